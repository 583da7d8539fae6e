/**
 * The earlier periods that a period is compared with: one, or several alike; the choice of those that count, and the
 * rank of a figure among theirs (docs/answers.md#what-is-usual).
 */
import {
  addDays,
  addTo,
  type BucketSize,
  type CalendarUnit,
  type Days,
  endOf,
  lengthOf,
  startOf,
  weekdayOf,
} from '../../core/calendar.ts';
import type { Decimal } from '../../core/money.ts';
import type { Period } from '../../core/periods.ts';
import { quote } from '../../core/text.ts';
import type { DayNote } from '../answer.ts';

/** The ways to choose the period that another is compared with. */
export const comparisons = [
  'previous_period',
  'week_earlier',
  'month_earlier',
  'year_earlier',
  'year_earlier_same_weekdays',
] as const;

type Comparison = (typeof comparisons)[number];

/** The distance back by comparison, and for `previous_period` by the word that gave the period. */
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
 * - `previous_period`: the same number of days right before it. Whole calendar months are compared with whole
 *   months, `this_week`, `this_month`, `this_quarter` and `this_year` with the same stretch of the one before
 *   (1 to 20 October on 20 November), and a bucket, cut by its period or not, with the same days of the bucket before.
 * - `week_earlier`: 7 days earlier. `year_earlier_same_weekdays`: 364 days, 52 weeks, earlier.
 * - `month_earlier`, `year_earlier`: the same dates one month or year earlier; a day that the month lacks becomes its
 *   last one. Whole calendar months stay whole, however long.
 * @param size the unit of the bucket that the period is
 */
export function referencePeriod(period: Period, against: Comparison, size?: BucketSize): Period {
  const previousStep = size ? `${size}_earlier` : period.given;
  const isWholeMonths = isWholeUnits('month', period);
  const [count, unit] = steps[against === 'previous_period' ? previousStep : against] ?? [
    lengthOf(period, isWholeMonths ? 'months' : 'days'),
    isWholeMonths ? 'month' : 'days',
  ];
  const days = unit === 'days' ? daysEarlier(period, count) : monthsEarlier(period, count, unit);
  return { ...period, ...days, given: against };
}

/** Earlier periods that are alike, the latest first. */
export interface EarlierPeriods {
  /** Names them: `Thursdays`, `months up to day 20`. */
  like: string;
  periods: readonly Days[];
}

/** How many of the earlier periods count. */
export interface CountedPeriods {
  like: string;
  counted: number;
  of: number;
}

/** `8 Thursdays`, or `7 of 8 Thursdays` where one does not count. */
export function countLike({ counted, of, like }: CountedPeriods): string {
  return `${counted}${counted === of ? '' : ` of ${of}`} ${like}`;
}

/** The longest period that is no calendar month or quarter, in days. */
export const maxUsualDays = 31;

/** How many earlier months or quarters, and how many other periods, tell what is usual. */
const earlierUnits = 6;
const earlierStretches = 8;

/** The number of earlier periods that tell what is usual for a bucket. */
export function countEarlier(bucket: unknown): number {
  return bucket === 'month' ? earlierUnits : earlierStretches;
}

/**
 * The periods that tell what is usual for a period; undefined if it is too long.
 *
 * - A calendar month or quarter, whole or from its first day on: the same stretch of the six before. A whole month stays
 *   whole; a day that a shorter month lacks is left off.
 * - Any other period of at most {@link maxUsualDays} days: eight periods, each moved back by the fewest whole weeks that
 *   keep them from overlapping. A single day, whole weeks from a Monday and a period `given` in days or weeks count here
 *   even if they begin a month by chance.
 */
export function earlierPeriods(period: Period): EarlierPeriods | undefined {
  const days = lengthOf(period);
  const unit = calendarUnit(period);
  if (unit) {
    const months = unit === 'month' ? 1 : 3;
    const upToDay = isWholeUnits(unit, period) ? '' : ` up to day ${days}`;
    return {
      like: `${unit}s${upToDay}`,
      periods: countFrom1(earlierUnits).map((nth) => monthsEarlier(period, nth * months, unit)),
    };
  }
  if (days > maxUsualDays) return undefined;
  const step = 7 * Math.ceil(days / 7);
  return {
    like: likeStretches(days, weekdayOf(period.from)),
    periods: countFrom1(earlierStretches).map((nth) => daysEarlier(period, nth * step)),
  };
}

function likeStretches(days: number, weekday: string): string {
  if (days === 1) return `${weekday}s`;
  const noun = days === 7 ? 'weeks' : days === 14 ? 'fortnights' : `stretches of ${days} days`;
  return weekday === 'Monday' && days % 7 === 0 ? noun : `${noun} from ${weekday}`;
}

function countFrom1(max: number): number[] {
  return Array.from({ length: max }, (_, index) => index + 1);
}

function daysEarlier({ from, to }: Days, days: number): Days {
  return { from: addDays(from, -days), to: addDays(to, -days) };
}

/** Moves back by months: a day that a month lacks becomes its last one, and a whole unit stays whole. */
function monthsEarlier(period: Days, months: number, unit: CalendarUnit): Days {
  const to = addTo(period.to, { months: -months });
  return {
    from: addTo(period.from, { months: -months }),
    to: isWholeUnits(unit, period) ? endOf(unit, to) : to,
  };
}

/** Whether a period is one or several whole calendar units. */
export function isWholeUnits(unit: CalendarUnit, { from, to }: Days): boolean {
  return from === startOf(unit, from) && to === endOf(unit, to);
}

/** The month or quarter that a period is or begins; undefined if it was given in days or weeks. */
function calendarUnit({ from, to, given }: Period): 'month' | 'quarter' | undefined {
  const begins = (unit: CalendarUnit) => from === startOf(unit, from) && to <= endOf(unit, from);
  const begun = (['month', 'quarter'] as const).filter(begins);
  const named = begun.find((unit) => given === `this_${unit}`);
  const whole = begun.find((unit) => to === endOf(unit, from));
  const days = lengthOf({ from, to });
  const isWeeks = days % 7 === 0 && weekdayOf(from) === 'Monday';
  const isGivenInDays = /^this_week$|_days$|-W/.test(given);
  return named ?? whole ?? (days === 1 || isWeeks || isGivenInDays ? undefined : begun[0]);
}

/** The facts that decide which earlier periods count. */
export interface Trade {
  hasTrade(days: Days): boolean;
  notes: readonly DayNote[];
}

/** An earlier period that does not count. */
export interface Excluded extends Days {
  reason: string;
}

/** Splits earlier periods into those that count and those that do not: before the first trade, without trade, unusual. */
export function chooseEarlier(periods: readonly Days[], { hasTrade, notes }: Trade) {
  const first = periods.findLast(hasTrade);
  const hasBegunLater = first !== periods.at(-1);
  const reasonOf = (days: Days): string | undefined => {
    if (first && days.to < first.from) return 'before the first trade that was read';
    if (days === first && hasBegunLater && days.from < days.to)
      return 'the first with trade, which may have begun within it';
    if (!hasTrade(days)) return 'no trade';
    const unusual = unusualOn(days, notes, undefined);
    return unusual && `unusual: ${quote(unusual.note, 60)}`;
  };
  const counted: Days[] = [];
  const excluded: Excluded[] = [];
  for (const days of periods) {
    const reason = reasonOf(days);
    if (reason) excluded.push({ ...days, reason });
    else counted.push(days);
  }
  return { counted, excluded };
}

/** The note that makes a single day unusual, for one shop or, if none is given, for all. */
export function unusualOn(
  { from, to }: Days,
  notes: readonly DayNote[],
  shop: number | undefined,
): DayNote | undefined {
  if (from !== to) return undefined;
  return notes.find((note) => note.unusual && note.day === from && note.shop_id === shop);
}

/** With fewer earlier periods nothing is usual. */
export const fewestEarlier = 4;

/**
 * The standing of a figure among `count` earlier ones; undefined if there are none. Rank 1 is lower than all; null
 * without a current figure, and if all are equal.
 */
export function standingOf(current: Decimal | null, earlier: readonly Decimal[]) {
  const sorted = earlier.toSorted((a, b) => a.cmp(b));
  const [low, high] = [sorted.at(0), sorted.at(-1)];
  const middle = (sorted.length - 1) / 2;
  const [lower, upper] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  if (!low || !high || !lower || !upper) return undefined;
  const isRanked = current && !(current.eq(low) && current.eq(high));
  const rank = isRanked ? 1 + earlier.filter((value) => value.lt(current)).length : null;
  const median = lower.plus(upper).div(2).toDecimalPlaces(2);
  return { median, low, high, count: sorted.length, rank };
}
