/** Earlier periods that another is compared with: one of them, or all that are like it. */
import {
  addDays,
  addTo,
  type BucketSize,
  type CalendarUnit,
  type Day,
  type Days,
  endOf,
  lengthOf,
  startOf,
  weekdayOf,
} from './calendar.ts';
import type { MessageOf } from './message.ts';
import type { Period } from './periods.ts';

declare module './message.ts' {
  interface Messages {
    /** Calendar units, whole or up to a day of each. */
    like_units: { unit: 'month' | 'quarter'; upToDay?: number | undefined };
    /** As many days, from the same weekday on. */
    like_days: { days: number; weekday: string };
  }
}

/** The ways to choose the period that another is compared with. */
export const comparisons = [
  'previous_period',
  'week_earlier',
  'month_earlier',
  'year_earlier',
  'year_earlier_same_weekdays',
] as const;

type Comparison = (typeof comparisons)[number];

/** How far back a comparison goes, and `previous_period` of what is given in such words. */
const steps: Readonly<Record<string, readonly [count: number, unit: 'days' | CalendarUnit]>> = {
  week_earlier: [7, 'days'],
  month_earlier: [1, 'month'],
  year_earlier: [12, 'month'],
  year_earlier_same_weekdays: [364, 'days'],
  this_week: [7, 'days'],
  this_month: [1, 'month'],
  this_quarter: [3, 'quarter'],
  this_year: [12, 'year'],
};

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
  const ofPrevious = size ? `${size}_earlier` : period.given;
  const isWholeMonths = isWhole('month', period);
  const [count, unit] = steps[against === 'previous_period' ? ofPrevious : against] ?? [
    lengthOf(period, isWholeMonths ? 'months' : 'days'),
    isWholeMonths ? 'month' : 'days',
  ];
  const days = unit === 'days' ? daysEarlier(period, count) : monthsEarlier(period, count, unit);
  return { ...period, ...days, given: against };
}

/** Periods like another, the latest first, and in what they are alike. */
export interface EarlierPeriods {
  like: MessageOf<'like_units' | 'like_days'>;
  periods: readonly Days[];
}

/** Most days of what is no calendar month or quarter. */
export const maxUsualDays = 31;

/** How many earlier months or quarters tell what is usual, and how many other periods. */
const earlierUnits = 6;
const earlierStretches = 8;

/**
 * The periods that tell what is usual for one.
 *
 * - A calendar month or quarter, whole or from its first day on: the same stretch of the six before. A whole
 *   one stays whole; a day that a shorter month lacks is left off.
 * - Anything else of at most {@link maxUsualDays} days: moved back by the least number of whole weeks that is
 *   not shorter than it, eight times. So are one day and whole weeks from a Monday, and what is `given` in days
 *   or weeks, where they begin a month by chance.
 *
 * Undefined for what is longer.
 */
export function earlierPeriods(period: Period): EarlierPeriods | undefined {
  const days = lengthOf(period);
  const unit = calendarUnit(period);
  if (unit) {
    const months = unit === 'month' ? 1 : 3;
    const upToDay = isWhole(unit, period) ? undefined : days;
    return {
      like: { code: 'like_units', unit, upToDay },
      periods: repeat(earlierUnits, (nth) => monthsEarlier(period, nth * months, unit)),
    };
  }
  return days > maxUsualDays ? undefined : stretchesEarlier(period, 7 * Math.ceil(days / 7), 1);
}

/** The eight weeks before a day. */
export function weeksBefore(first: Day): Days {
  return { from: addDays(first, -7 * earlierStretches), to: addDays(first, -1) };
}

/** The days of the same weekday in the eight weeks before the day `first`. */
export function earlierWeekdays(day: Day, first: Day): EarlierPeriods {
  const weeks = Math.ceil(lengthOf({ from: first, to: day }) / 7);
  return stretchesEarlier({ from: day, to: day }, 7, weeks);
}

/** Moved back by so many `days`, eight times, the first time `first` times as far. */
function stretchesEarlier(period: Days, days: number, first: number): EarlierPeriods {
  return {
    like: { code: 'like_days', days: lengthOf(period), weekday: weekdayOf(period.from) },
    periods: repeat(earlierStretches, (nth) => daysEarlier(period, days * (first + nth - 1))),
  };
}

function repeat<T>(times: number, make: (nth: number) => T): T[] {
  return Array.from({ length: times }, (_, index) => make(index + 1));
}

function daysEarlier({ from, to }: Days, days: number): Days {
  return { from: addDays(from, -days), to: addDays(to, -days) };
}

/** A day that a month lacks becomes its last one; a whole unit stays whole. */
function monthsEarlier(period: Days, months: number, unit: CalendarUnit): Days {
  const to = addTo(period.to, { months: -months });
  return {
    from: addTo(period.from, { months: -months }),
    to: isWhole(unit, period) ? endOf(unit, to) : to,
  };
}

/** Whether a period is a calendar unit, or several. */
export function isWhole(unit: CalendarUnit, { from, to }: Days): boolean {
  return from === startOf(unit, from) && to === endOf(unit, to);
}

/** The month or quarter that a period is, or begins, unless it was given in days or weeks. */
function calendarUnit({ from, to, given }: Period): 'month' | 'quarter' | undefined {
  const begins = (unit: CalendarUnit) => from === startOf(unit, from) && to <= endOf(unit, from);
  const begun = (['month', 'quarter'] as const).filter(begins);
  const named = begun.find((unit) => given === `this_${unit}`);
  const days = lengthOf({ from, to });
  const isWeeks = days % 7 === 0 && weekdayOf(from) === 'Monday';
  const isOfDays =
    days === 1 || isWeeks || /^today$|^yesterday$|_(week|weeks|days)$|-W/.test(given);
  const whole = begun.find((unit) => to === endOf(unit, from));
  return named ?? whole ?? (isOfDays ? undefined : begun[0]);
}
