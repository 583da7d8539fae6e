/**
 * The earlier periods that a period is compared with: one, or several alike; which of them count, and how a figure
 * compares with theirs (docs/answers.md#what-is-usual).
 */
import {
  addDuration,
  type BucketSize,
  type CalendarUnit,
  type Days,
  endOf,
  lengthOf,
  startOf,
  weekdayOf,
} from '../../core/calendar.ts';
import { type Decimal, percent } from '../../core/money.ts';
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

/** A distance back; a whole `unit` stays whole. */
type Step = { days: number } | { months: number; unit: CalendarUnit };

/** The distance back by comparison, and for `previous_period` by the word that gave the period. */
const steps: Readonly<Record<string, Step>> = {
  week_earlier: { days: 7 },
  month_earlier: { months: 1, unit: 'month' },
  year_earlier: { months: 12, unit: 'month' },
  year_earlier_same_weekdays: { days: 364 },
  this_week: { days: 7 },
  this_month: { months: 1, unit: 'month' },
  this_quarter: { months: 3, unit: 'quarter' },
  this_year: { months: 12, unit: 'year' },
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
  const step = steps[against === 'previous_period' ? previousStep : against];
  if (step) return moveBack(period, step, against);
  const adjoining: Step = isWholeUnits('month', period)
    ? { months: lengthOf(period, 'months'), unit: 'month' }
    : { days: lengthOf(period) };
  return moveBack(period, adjoining, against);
}

/** The periods that another is compared with. */
export interface ComparedPeriods {
  /** One reference, or several earlier periods that are alike, the latest first; none without a comparison. */
  others: readonly Period[];
  /** Names earlier periods that are alike: `Thursdays`, `months up to day 20`. */
  like?: string;
}

/** The one period that a period is compared with; undefined against several. */
export function referenceOf({ others, like }: ComparedPeriods): Period | undefined {
  return like === undefined ? others[0] : undefined;
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
export function earlierPeriods(period: Period): ComparedPeriods | undefined {
  const days = lengthOf(period);
  const unit = calendarUnit(period);
  if (!unit && days > maxUsualDays) return undefined;
  const upToDay = unit && isWholeUnits(unit, period) ? '' : ` up to day ${days}`;
  const others = Array.from({ length: unit ? earlierUnits : earlierStretches }, (_, at) => {
    const months = (at + 1) * (unit === 'month' ? 1 : 3);
    const step = unit ? { months, unit } : { days: (at + 1) * 7 * Math.ceil(days / 7) };
    return moveBack(period, step, 'usual');
  });
  return {
    like: unit ? `${unit}s${upToDay}` : likeStretches(days, weekdayOf(period.from)),
    others,
  };
}

function likeStretches(days: number, weekday: string): string {
  if (days === 1) return `${weekday}s`;
  const noun = days === 7 ? 'weeks' : days === 14 ? 'fortnights' : `stretches of ${days} days`;
  return weekday === 'Monday' && days % 7 === 0 ? noun : `${noun} from ${weekday}`;
}

/** By months, a day that a month lacks becomes its last one. */
function moveBack(period: Period, step: Step, given: string): Period {
  const back = 'days' in step ? { days: -step.days } : { months: -step.months };
  const to = addDuration(period.to, back);
  const isWhole = 'unit' in step && isWholeUnits(step.unit, period);
  return {
    ...period,
    from: addDuration(period.from, back),
    to: isWhole ? endOf(step.unit, to) : to,
    given,
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

/** An earlier period that does not count. */
export interface Excluded extends Days {
  reason: string;
}

/** Splits earlier periods into those that count and those that do not: before the first trade, without trade, unusual. */
export function chooseEarlier(
  periods: readonly Period[],
  hasTrade: (days: Days) => boolean,
  notes: readonly DayNote[],
) {
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
  const judged = periods.map((days) => ({ days, reason: reasonOf(days) }));
  return {
    counted: judged.flatMap(({ days, reason }) => (reason ? [] : [days])),
    excluded: judged.flatMap(({ days: { from, to }, reason }): Excluded[] =>
      reason ? [{ from, to, reason }] : [],
    ),
  };
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

/** A figure beside those of other periods; null where it is not known. */
export type ComparedValues = ReturnType<typeof compareValues>;

/** The reference is the median of the others. Rank 1 is below all others; it is null if all are equal to the current figure. */
export function compareValues(current: Decimal | null, others: readonly Decimal[]) {
  const sorted = others.toSorted((a, b) => a.cmp(b));
  const [low = null, high = null] = [sorted.at(0), sorted.at(-1)];
  const middle = (sorted.length - 1) / 2;
  const [lower = null, upper = lower] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  const isBetween = lower && upper && !lower.eq(upper);
  const reference = isBetween ? lower.plus(upper).div(2).toDecimalPlaces(2) : lower;
  const isRanked = current && low && high && !(current.eq(low) && current.eq(high));
  return {
    current,
    reference,
    low,
    high,
    of: sorted.length,
    rank: isRanked ? 1 + sorted.filter((value) => value.lt(current)).length : null,
    difference: current && reference && current.minus(reference),
    percent: current && reference && percent(current, reference),
  };
}
