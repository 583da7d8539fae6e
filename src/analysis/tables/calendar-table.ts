/** The table of days: what no list has a row for is joined with it. */
import { bucketOf, buckets, weekdayOf } from '../../core/calendar.ts';
import type { FieldTypes } from '../../core/column-type.ts';
import { InputError } from '../../core/errors.ts';
import { resolvePeriod } from '../../core/periods.ts';
import type { StatementShape, TableCall } from '../../query/provider.ts';
import type { Row } from '../rows/rows.ts';

declare module '../../core/message.ts' {
  interface Messages {
    calendar_too_long: { most: number };
  }
}

export const calendarArguments = ['period', 'from', 'to'];

export const calendarColumns: FieldTypes = {
  day: 'day',
  weekday: 'text',
  week: 'text',
  month: 'text',
};

const mostDays = 20_000;

/**
 * The days of a period, or of each of several, once; weeks and months are called as the buckets of turnover_trend are.
 * @throws {InputError} for what is no period
 */
export function calendarRows(
  { args }: Pick<TableCall, 'args'>,
  { comparedWith }: Pick<StatementShape, 'comparedWith'>,
  nowMs: number,
): Row[] {
  const [from, to] = [args.from, args.to].map(textOf);
  const days = new Set<string>();
  try {
    for (const word of [args.period].flat()) {
      const period = resolvePeriod({ period: textOf(word), from, to }, nowMs);
      for (const { bucket } of buckets(period, 'day', mostDays)) days.add(bucket);
      if (days.size > mostDays) throw new InputError({ code: 'calendar_too_long', most: mostDays });
    }
  } catch (error) {
    if (!(error instanceof InputError) || Object.keys(args).length > 0) throw error;
    const call = { table: 'calendar', argument: 'period', value: comparedWith.get('period')?.[0] };
    throw new InputError({ code: 'table_failed', reason: error.reason, call });
  }
  return [...days].sort().map((day) => ({
    day,
    weekday: weekdayOf(day),
    week: bucketOf(day, 'week'),
    month: bucketOf(day, 'month'),
  }));
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}
