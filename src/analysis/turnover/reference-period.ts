import type { BucketSize, Days } from '../../core/buckets.ts';
import {
  addDays,
  addMonths,
  daysBetween,
  endOf,
  monthsBetween,
  startOf,
  timezone,
} from '../../core/calendar.ts';
import type { Period } from '../../core/periods.ts';

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
 * - `previous_period`: as many days as the period has, right before it. Two kinds of period have a
 *   nearer counterpart: whole calendar months (so a quarter or a year too) are compared with as many
 *   whole months before them, and a period given as `this_week`, `this_month`, `this_quarter` or
 *   `this_year` with the same stretch of the week, month, quarter or year before: with 1 to 20
 *   October on 20 November.
 * - `week_earlier`: 7 days earlier. `year_earlier_same_weekdays`: 364 days, 52 weeks, earlier.
 * - `month_earlier`, `year_earlier`: the same dates one month or one year earlier. Whole calendar
 *   months stay whole: February 2027 becomes February 2026, all of it, however long.
 *
 * Where dates move by months, a day that the month lacks becomes its last day: 31 March becomes
 * 28 February, and 29 February 2028 becomes 28 February 2027.
 */
export function referencePeriod(period: Period, against: Comparison): Period {
  return { ...referenceDays(period, against), timezone, given: against };
}

/**
 * The days that a bucket of a period is compared with: with `previous_period` the same days of the
 * bucket before it, also where the period cuts the bucket.
 */
export function referenceOfBucket(bucket: Period, size: BucketSize, against: Comparison): Period {
  const before = { day: 'previous_period', week: 'week_earlier', month: 'month_earlier' } as const;
  const days = referenceDays(bucket, against === 'previous_period' ? before[size] : against);
  return { ...days, timezone, given: against };
}

function referenceDays(period: Period, against: Comparison): Days {
  switch (against) {
    case 'previous_period':
      return daysBefore(period);
    case 'week_earlier':
      return byDays(period, -7);
    case 'month_earlier':
      return byMonths(period, -1);
    case 'year_earlier':
      return byMonths(period, -12);
    case 'year_earlier_same_weekdays':
      return byDays(period, -364);
  }
}

function daysBefore(period: Period): Days {
  switch (period.given) {
    case 'this_week':
      return byDays(period, -7);
    case 'this_month':
      return byMonths(period, -1);
    case 'this_quarter':
      return unitBefore(period, 'quarter', -3);
    case 'this_year':
      return unitBefore(period, 'year', -12);
  }
  const months = monthsBetween(period.from, period.to) + 1;
  return isWholeMonths(period)
    ? byMonths(period, -months)
    : byDays(period, -(daysBetween(period.from, period.to) + 1));
}

// On the last day of its first month a quarter or a year looks like a whole month: it is not one yet.
function unitBefore({ from, to }: Period, unit: 'quarter' | 'year', months: number): Days {
  const isWhole = to === endOf(unit, from);
  const moved = addMonths(to, months);
  return { from: addMonths(from, months), to: isWhole ? endOf(unit, moved) : moved };
}

function byDays({ from, to }: Period, days: number): Days {
  return { from: addDays(from, days), to: addDays(to, days) };
}

function byMonths(period: Period, months: number): Days {
  const to = addMonths(period.to, months);
  return {
    from: addMonths(period.from, months),
    to: isWholeMonths(period) ? endOf('month', to) : to,
  };
}

function isWholeMonths({ from, to }: Period): boolean {
  return from === startOf('month', from) && to === endOf('month', to);
}
