import { addDays, addMonths, amsterdamDay, type Day, endOf, startOf } from './calendar.ts';

/**
 * Words that stand for a period. `this_*` ends today, `last_N_days` ends yesterday, `last_N_weeks`
 * and `last_N_months` are whole ones; {@link daysOfWord} knows them for any N.
 */
export const periodWords = [
  'today',
  'yesterday',
  'this_week',
  'last_week',
  'this_month',
  'last_month',
  'this_quarter',
  'last_quarter',
  'this_year',
  'last_year',
  'last_7_days',
  'last_30_days',
  'last_90_days',
] as const;

/** The first and last day of a period. */
interface Days {
  from: Day;
  to: Day;
}

/** The first and last day that a word in small letters means at the instant `nowMs`, if any. */
export function daysOfWord(word: string, nowMs: number): Days | undefined {
  const today = amsterdamDay(nowMs);
  const yesterday = addDays(today, -1);
  switch (word) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: yesterday, to: yesterday };
  }
  const [, side, count, unit] = /^(this|last)_(?:([1-9]\d{0,3})_)?([a-z]+?)s?$/.exec(word) ?? [];
  if (side === 'last' && count !== undefined) return lastOf(Number(count), unit, word, today);
  if (count !== undefined || !isUnit(unit) || word.endsWith('s')) return undefined;
  if (side === 'this') return { from: startOf(unit, today), to: today };
  return wholeBefore(unit, 1, today);
}

type Unit = 'week' | 'month' | 'quarter' | 'year';

function isUnit(word: string | undefined): word is Unit {
  return word === 'week' || word === 'month' || word === 'quarter' || word === 'year';
}

/** The days of `last_8_weeks`. */
function lastOf(count: number, unit: string | undefined, word: string, today: Day) {
  if (!word.endsWith('s')) return undefined;
  if (unit === 'day') return { from: addDays(today, -count), to: addDays(today, -1) };
  return unit === 'week' || unit === 'month' ? wholeBefore(unit, count, today) : undefined;
}

/** So many whole weeks, months, quarters or years, the last one that is over among them. */
function wholeBefore(unit: Unit, count: number, today: Day): Days {
  const first = startOf(unit, today);
  const months = { month: 1, quarter: 3, year: 12 };
  const from =
    unit === 'week' ? addDays(first, -7 * count) : addMonths(first, -months[unit] * count);
  return { from, to: endOf(unit, addDays(first, -1)) };
}
