import { addDays, amsterdamDay, type Day, type Days, readTimestamp } from '../../core/calendar.ts';
import { listFirst } from '../../core/text.ts';
import type { Row } from './rows.ts';

/** Most days of a period that are looked through. */
const maxDays = 1000;

/**
 * The days of a period on which no row was made, up to yesterday; undefined where rows do not tell. They do by
 * a column of moments that has a value in every row, each on a day of the period and none later than that of another
 * such column: which one is the moment of creation is not documented.
 */
export function emptyDays(rows: readonly Row[], period: Days, nowMs: number): Day[] | undefined {
  const columns = Object.keys(rows[0] ?? {}).flatMap((column) => {
    const moments = momentsIn(rows, column, period);
    return moments ? [moments] : [];
  });
  const created = columns.find((own) =>
    columns.every((other) => own.every((ms, row) => ms <= (other[row] ?? ms))),
  );
  if (created === undefined) return undefined;
  const seen = new Set(created.map(amsterdamDay));
  const yesterday = addDays(amsterdamDay(nowMs), -1);
  const last = period.to < yesterday ? period.to : yesterday;
  const empty: Day[] = [];
  let day = period.from;
  for (let count = 0; day <= last; day = addDays(day, 1)) {
    if (++count > maxDays) return undefined;
    if (!seen.has(day)) empty.push(day);
  }
  return empty;
}

/** The moments of a column in epoch milliseconds; undefined where a cell is none, or lies outside of the period. */
function momentsIn(rows: readonly Row[], column: string, { from, to }: Days): number[] | undefined {
  const moments: number[] = [];
  for (const row of rows) {
    const moment = readTimestamp(row[column]);
    if (!moment?.hasTime) return undefined;
    const day = amsterdamDay(moment.ms);
    if (day < from || day > to) return undefined;
    moments.push(moment.ms);
  }
  return moments;
}

/** Most days that are named. */
const maxNamed = 3;

/** Days without rows, as an answer bears them; undefined where there are none. */
export function sayEmptyDays(days: readonly Day[] = [], noun = 'rows') {
  if (days.length === 0) return undefined;
  const named = days.slice(0, maxNamed);
  const on =
    days.length > maxNamed
      ? `${days.length} days, the first ${named[0]}`
      : listFirst(named, maxNamed);
  return { count: days.length, days: named, text: `no ${noun} on ${on}` };
}
