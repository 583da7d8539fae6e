/** Which days a question about turnover reads: a period or its buckets, and what they are held against. */
import { z } from 'zod';
import {
  amsterdamDay,
  type BucketSize,
  bucketSizes,
  buckets,
  type CalendarUnit,
  type Day,
  type Days,
  endOf,
  lengthOf,
  weekdayOf,
} from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import {
  daysEarlier,
  type EarlierPeriods,
  earlierPeriods,
  earlierWeekdays,
  isWhole,
  maxUsualDays,
  monthsEarlier,
  type Period,
  resolvePeriod,
  sayDays,
} from '../../core/periods.ts';
import type { Warning } from '../../core/warning.ts';
import { form } from '../../endpoints/define.ts';
import { locationRef, range, words } from '../../endpoints/parameters.ts';
import { factSplits } from '../reference/facts.ts';
import { asksForOrders, measures } from './measures.ts';

/** The ways to choose the period that another is held against. */
export const comparisons = [
  'previous_period',
  'week_earlier',
  'month_earlier',
  'year_earlier',
  'year_earlier_same_weekdays',
] as const;

type Comparison = (typeof comparisons)[number];

/** The ways to choose a reference, or none. */
const against = z.enum([...comparisons, 'usual', 'none']).optional();

/** The arguments of `compare_turnover`. */
export const comparison = z.strictObject({
  ...range,
  against: against
    .describe('What to compare with; usual: median of earlier; none: no comparison')
    .meta({ default: 'previous_period' }),
  against_from: words.optional().describe('Instead of against: first day'),
  against_to: words.optional().describe('Instead of against: last day'),
  by: z.enum(factSplits).optional().describe('How to split').meta({ default: 'total' }),
  explain: z.boolean().optional().describe('Parts of the difference').meta(form),
  measures,
  location_id: locationRef.optional(),
});

/** The arguments of `turnover_trend`. */
export const course = z.strictObject({
  ...range,
  bucket: z.enum(bucketSizes).optional().describe('Size').meta({ default: 'day' }),
  by: z
    .enum(['total', 'shop', 'location', 'turnover_group'])
    .optional()
    .describe('How to split')
    .meta({ default: 'total' }),
  against: against.describe('What each bucket is compared with').meta({ default: 'none' }),
  expected: z.boolean().optional().describe('Usual range of each day'),
  location_id: locationRef.optional(),
  measures,
});

/** The arguments of either. */
export type TurnoverArguments = z.output<typeof comparison> &
  Pick<z.output<typeof course>, 'expected'>;

/** Days to read figures of, and the days to compare them with: one period, or several like it. */
export interface Span {
  period: Period;
  reference?: Period;
  earlier?: EarlierPeriods;
}

/** Each bucket costs a report. */
const maxBuckets = 120;

/** How many requests a question costs at least: a report for each period, and the orders where they are counted. */
export function countRequests(args: TurnoverArguments, nowMs: number, size?: BucketSize): number {
  const reports = new Set(spansOf(args, nowMs, size).flatMap(daysOf).map(sayDays)).size;
  return reports * (asksForOrders(args.measures) ? 2 : 1) + (args.explain ? 2 : 0);
}

/** All days of a span, its own first. */
export function daysOf({ period, reference, earlier }: Span): Days[] {
  return [period, ...(reference ? [reference] : []), ...(earlier?.periods ?? [])];
}

/**
 * A whole period or its buckets, with what they are compared with.
 * @param size of the buckets, for `turnover_trend`
 * @throws {InputError} for what does not go together, and for too many days or buckets
 */
export function spansOf(args: TurnoverArguments, nowMs: number, size?: BucketSize): Span[] {
  const { against_from: from, against_to: to, expected } = args;
  const { against = size ? 'none' : 'previous_period' } = args;
  const period = resolvePeriod(args, nowMs);
  const periods = size ? bucketsOf(period, size, nowMs) : [period];
  const reason = refusalOf(args, period, periods.length, size);
  if (reason) throw new InputError(`${size ? 'turnover_trend' : 'compare_turnover'}: ${reason}`);
  if ((from ?? to) !== undefined) {
    const names = { from: 'against_from', to: 'against_to' };
    return [{ period, reference: resolvePeriod({ from, to }, nowMs, names) }];
  }
  return periods.map((days) => {
    const like = against === 'usual' ? earlierPeriods(days) : undefined;
    const earlier = expected ? earlierWeekdays(days.from, period.from) : like;
    const isOne = against !== 'none' && against !== 'usual';
    return {
      period: days,
      ...(isOne && { reference: referencePeriod(days, against, size) }),
      ...(earlier && { earlier }),
    };
  });
}

function refusalOf(
  { by = 'total', explain, expected, against, against_from, against_to }: TurnoverArguments,
  period: Period,
  count: number,
  size: BucketSize | undefined,
): string | undefined {
  if (explain && by !== 'total')
    return `explain splits a total itself, so it goes without by: "${by}".`;
  if (explain && against === 'none' && against_from === undefined)
    return 'explain needs a reference: give against, such as "usual" or "week_earlier".';
  if ((against_from ?? against_to) !== undefined && against !== undefined)
    return 'against and against_from came together. Give one of the two.';
  if (count > maxBuckets)
    return `the period has more than ${maxBuckets} buckets of a ${size}, the most that are read at once. Give a shorter period or a larger bucket.`;
  if (expected && (size !== 'day' || lengthOf(period) > maxUsualDays))
    return `expected goes with days, ${maxUsualDays} at most: give bucket: "day" and a period such as "last_30_days".`;
  if (expected && against === 'usual')
    return 'expected tells what is usual already: leave against: "usual" out.';
  // A bucket is never too long.
  if (against === 'usual' && !size && !earlierPeriods(period))
    return `against: "usual" takes a calendar month or quarter, whole or from its first day on, or at most ${maxUsualDays} days; ${sayDays(period)} has ${lengthOf(period)}. Give such a period, or against: "year_earlier".`;
  return undefined;
}

/** The buckets of a period that have begun; the name of a bucket is what its days are `given` as. */
function bucketsOf(period: Period, size: BucketSize, nowMs: number): Period[] {
  // Buckets that have not begun have no figures; the one of today is read as it was requested.
  const end = endOf(size, amsterdamDay(nowMs));
  const begun = { from: period.from, to: period.to < end ? period.to : end };
  const pieces = buckets(begun, size, maxBuckets);
  return pieces.map(({ bucket, ...days }) => ({ ...period, ...days, given: bucket }));
}

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

/** What keeps spans from being compared with their references one to one. */
export function sayUnlike(spans: readonly Span[], today: Day): Warning[] {
  const unlike = spans.flatMap(({ period, reference, earlier }) => {
    const compared = reference ?? earlier?.periods[0];
    const isOpen = compared && period.to >= today && compared.to < today;
    const open = isOpen ? ['not over, against whole days'] : [];
    const reasons = [...open, ...(reference ? unlikeDays(period, reference) : [])];
    return reasons.length === 0 ? [] : [`${period.given} is ${reasons.join(' and ')}`];
  });
  if (unlike.length === 0) return [];
  const where = spans.length > 1 ? ` in ${unlike.length} of ${spans.length} buckets, such as` : '';
  return [{ code: 'not_like_for_like', text: `Not like for like${where}: ${unlike[0]}.` }];
}

function unlikeDays(days: Days, others: Days): string[] {
  const [count, other] = [lengthOf(days), lengthOf(others)];
  if (count !== other) return [`${count} against ${other} days`];
  const [first, last] = [sayWeekdays(days, count), sayWeekdays(others, count)];
  return count % 7 === 0 || first === last ? [] : [`${first} against ${last}`];
}

function sayWeekdays({ from, to }: Days, count: number): string {
  const first = weekdayOf(from);
  if (count > 7) return `${count} days from ${first}`;
  return count === 1 ? first : `${first} to ${weekdayOf(to)}`;
}
