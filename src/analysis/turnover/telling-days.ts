/** Days that tell why figures differ. */
import type { Days } from '../../core/calendar.ts';
import { type Holiday, holidaysIn } from '../../core/holidays.ts';
import type { Warning } from '../../core/message.ts';
import { turnoverMessages } from './messages.ts';
import type { Span } from './question.ts';

/**
 * Warns of holidays on one side of a comparison. Against several earlier periods, these are the holidays of the period
 * that most of the others lack.
 */
export function holidayWarnings(
  spans: readonly (Span & { counted: readonly Days[] })[],
): Warning[] {
  const sides = spans.map(({ period, reference, counted }) => {
    const others = (reference ? [reference] : counted).map(holidaysIn);
    const own = holidaysIn(period);
    const isMissing = ({ name }: Holiday) =>
      others.filter((holidays) => hasName(holidays, name)).length * 2 < others.length;
    const isExtra = ({ name }: Holiday) => reference !== undefined && !hasName(own, name);
    return { period: own.filter(isMissing), reference: others.flat().filter(isExtra) };
  });
  const period = sides.flatMap((side) => side.period);
  const reference = sides.flatMap((side) => side.reference);
  if (period.length + reference.length === 0) return [];
  return [turnoverMessages.holidays_on_one_side({ period, reference })];
}

function hasName(holidays: readonly Holiday[], name: string): boolean {
  return holidays.some((holiday) => holiday.name === name);
}
