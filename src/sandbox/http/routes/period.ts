/** The two ends of a period. */

import { badParameter } from '../../wire/problem.ts';
import type { DayNumber } from '../../world/business/calendar.ts';

/**
 * First and last day; `to` is `from` when omitted. @throws ProblemError 400 when they are crossed
 */
export function readPeriod(values: {
  from: DayNumber;
  to: DayNumber | undefined;
}): [from: DayNumber, to: DayNumber] {
  const { from, to = from } = values;
  if (to < from) throw badParameter('to', 'lies before from.');
  return [from, to];
}
