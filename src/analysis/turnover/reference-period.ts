import { type BucketSize, type Days, lengthOf, weekdayOf } from '../../core/calendar.ts';
import type { Period } from '../../core/periods.ts';
import { daysEarlier, isWhole, monthsEarlier } from '../../core/periods.ts';

/** The ways to choose the period that another is held against. */
export const comparisons = [
  'previous_period',
  'week_earlier',
  'month_earlier',
  'year_earlier',
  'year_earlier_same_weekdays',
] as const;

export type Comparison = (typeof comparisons)[number];

/**
 * The period that `period` is compared with; its `given` is the comparison's name.
 *
 * - `previous_period`: as many days as the period has, right before it. Whole calendar months have as
 *   many whole months before them, and what is given as `this_week`, `this_month`, `this_quarter` or
 *   `this_year` the same stretch of the one before: 1 to 20 October on 20 November. Of a bucket, also one
 *   that its period cuts, the same days of the bucket before it.
 * - `week_earlier`: 7 days earlier. `year_earlier_same_weekdays`: 364 days, 52 weeks, earlier.
 * - `month_earlier`, `year_earlier`: the same dates one month or one year earlier, a day that the month
 *   lacks being its last one. Whole calendar months stay whole, however long.
 * @param size where the period is a bucket
 */
export function referencePeriod(period: Period, against: Comparison, size?: BucketSize): Period {
  const before = { day: 'previous_period', week: 'week_earlier', month: 'month_earlier' } as const;
  const meant = size && against === 'previous_period' ? before[size] : against;
  return { ...period, ...daysBefore(period, meant), given: against };
}

function daysBefore(period: Period, against: Comparison): Days {
  if (against === 'week_earlier') return daysEarlier(period, 7);
  if (against === 'year_earlier_same_weekdays') return daysEarlier(period, 364);
  if (against === 'month_earlier') return monthsEarlier(period, 1, 'month');
  if (against === 'year_earlier') return monthsEarlier(period, 12, 'month');
  const { given } = period;
  if (given === 'this_week') return daysEarlier(period, 7);
  if (given === 'this_month') return monthsEarlier(period, 1, 'month');
  if (given === 'this_quarter') return monthsEarlier(period, 3, 'quarter');
  if (given === 'this_year') return monthsEarlier(period, 12, 'year');
  return isWhole('month', period)
    ? monthsEarlier(period, lengthOf(period, 'months'), 'month')
    : daysEarlier(period, lengthOf(period));
}

/** What keeps two spans of days from being compared one to one: their lengths, or their weekdays. */
export function sayUnlike(days: Days, others: Days): string[] {
  const [count, other] = [lengthOf(days), lengthOf(others)];
  if (count !== other) return [`${count} against ${other} days`];
  const [first, last] = [sayWeekdays(days), sayWeekdays(others)];
  return count % 7 === 0 || first === last ? [] : [`${first} against ${last}`];
}

function sayWeekdays({ from, to }: Days): string {
  const [first, last, days] = [weekdayOf(from), weekdayOf(to), lengthOf({ from, to })];
  if (days > 7) return `${days} days from ${first}`;
  return days === 1 ? first : `${first} to ${last}`;
}
