import { addDays, amsterdamDay, type Day, type Days, readTimestamp } from '../../core/calendar.ts';
import type { Row } from './rows.ts';

/**
 * The days of a period on which no row was made, up to yesterday; undefined where rows do not tell. They do by
 * a column of moments in every row, each on a day of the period and none later than that of another such column.
 */
export function emptyDays(rows: readonly Row[], period: Days, nowMs: number): Day[] | undefined {
  const columns = Object.keys(rows[0] ?? {}).flatMap((column) => {
    const days = daysOf(rows, column, period);
    return days ? [days] : [];
  });
  const created = columns.find((days) =>
    columns.every((other) => days.every((day, row) => day <= (other[row] ?? day))),
  );
  if (created === undefined) return undefined;
  const seen = new Set(created);
  const yesterday = addDays(amsterdamDay(nowMs), -1);
  const last = period.to < yesterday ? period.to : yesterday;
  const empty: Day[] = [];
  for (let day = period.from; day <= last; day = addDays(day, 1))
    if (!seen.has(day)) empty.push(day);
  return empty;
}

/** The days of a column's moments, a day for each row; undefined where a cell is none, or lies outside of the period. */
function daysOf(rows: readonly Row[], column: string, { from, to }: Days): Day[] | undefined {
  const days: Day[] = [];
  const dayByHour = new Map<string, Day>();
  for (const row of rows) {
    const { [column]: value } = row;
    const hour = typeof value === 'string' && wholeHourZone.exec(value)?.slice(1).join('');
    const day = (hour && dayByHour.get(hour)) || dayOf(value);
    if (day === undefined || day < from || day > to) return undefined;
    if (hour) dayByHour.set(hour, day);
    days.push(day);
  }
  return days;
}

/** A moment whose zone is whole hours from Amsterdam's, so that each hour of it lies in one day there. */
const wholeHourZone =
  /^(\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3])):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(Z|[+-]\d\d:00)$/;

function dayOf(value: unknown): Day | undefined {
  const moment = readTimestamp(value);
  return moment?.hasTime ? amsterdamDay(moment.ms) : undefined;
}
