/** Which days a question about turnover reads: a period or its buckets, and what they are held against. */
import {
  amsterdamDay,
  type BucketSize,
  buckets,
  type Days,
  endOf,
  lengthOf,
} from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import {
  type EarlierPeriods,
  earlierPeriods,
  earlierWeekdays,
  maxUsualDays,
  type Period,
  type PeriodInput,
  resolvePeriod,
  sayDays,
} from '../../core/periods.ts';
import type { FactSplit } from './facts.ts';
import { asksForOrders } from './measures.ts';
import { type Comparison, referencePeriod } from './reference-period.ts';

/** Days to read figures of, and the days to compare them with: one period, or several like it. */
export interface Span {
  period: Period;
  reference?: Period;
  earlier?: EarlierPeriods;
}

/** The arguments that say what is read. */
export interface SpanInput extends PeriodInput {
  against?: Comparison | 'usual' | 'none' | undefined;
  against_from?: string | undefined;
  against_to?: string | undefined;
  by?: FactSplit | undefined;
  measures?: string[] | undefined;
  explain?: boolean | undefined;
  expected?: boolean | undefined;
}

/** Each bucket costs a report. */
const maxBuckets = 120;

/** How many requests a question costs at least: a report for each period, and the orders where they are counted. */
export function countRequests(input: SpanInput, nowMs: number, size?: BucketSize): number {
  const spans = spansOf(input, nowMs, size);
  const reports = new Set(spans.flatMap(periodsOf).map(sayDays)).size;
  return reports * (asksForOrders(input.measures) ? 2 : 1) + (input.explain ? 2 : 0);
}

/** All periods of a span, its own first. */
export function periodsOf({ period, reference, earlier }: Span): Period[] {
  const others = (earlier?.periods ?? []).map((days) => asPeriod(period, days));
  return [period, ...(reference ? [reference] : []), ...others];
}

/** Days that are read as those of a period are. */
export function asPeriod(period: Period, days: Days): Period {
  return { ...period, ...days, given: sayDays(days) };
}

/**
 * A whole period or its buckets, with what they are compared with.
 * @param size of the buckets, for `turnover_trend`
 * @throws {InputError} for what does not go together, and for too many days or buckets
 */
export function spansOf(input: SpanInput, nowMs: number, size?: BucketSize): Span[] {
  const tool = size ? 'turnover_trend' : 'compare_turnover';
  const { against = size ? 'none' : 'previous_period', against_from: from, against_to: to } = input;
  const refuse = (reason: string) => new InputError(`${tool}: ${reason}`);
  const period = resolvePeriod(input, nowMs);
  if (input.explain) {
    if ((input.by ?? 'total') !== 'total')
      throw refuse(`explain splits a total itself, so it goes without by: "${input.by}".`);
    if (against === 'none' && from === undefined)
      throw refuse('explain needs a reference: give against, such as "usual" or "week_earlier".');
  }
  if ((from ?? to) !== undefined) {
    if (input.against !== undefined)
      throw refuse('against and against_from came together. Give one of the two.');
    const names = { from: 'against_from', to: 'against_to' };
    return [{ period, reference: resolvePeriod({ from, to }, nowMs, names) }];
  }
  const periods = size ? bucketsOf(period, size, nowMs) : [period];
  if (periods.length > maxBuckets)
    throw refuse(
      `the period has more than ${maxBuckets} buckets of a ${size}, the most that are read at once. Give a shorter period or a larger bucket.`,
    );
  if (input.expected) {
    if (size !== 'day' || lengthOf(period) > maxUsualDays)
      throw refuse(
        `expected goes with days, ${maxUsualDays} at most: give bucket: "day" and a period such as "last_30_days".`,
      );
    if (against === 'usual')
      throw refuse('expected tells what is usual already: leave against: "usual" out.');
  }
  return periods.map((days) => {
    const reference =
      against === 'none' || against === 'usual' ? undefined : referencePeriod(days, against, size);
    const like = against === 'usual' ? earlierPeriods(days) : undefined;
    if (against === 'usual' && !like)
      throw refuse(
        `against: "usual" takes a calendar month or quarter, whole or from its first day on, or at most ${maxUsualDays} days; ${sayDays(days)} has ${lengthOf(days)}. Give such a period, or against: "year_earlier".`,
      );
    const earlier = input.expected ? earlierWeekdays(days.from, period.from) : like;
    return { period: days, ...(reference && { reference }), ...(earlier && { earlier }) };
  });
}

/** The buckets of a period that have begun; the name of a bucket is what its days are `given` as. */
function bucketsOf(period: Period, size: BucketSize, nowMs: number): Period[] {
  // Buckets that have not begun have no figures; the one of today is read as it was requested.
  const end = endOf(size, amsterdamDay(nowMs));
  const begun = { from: period.from, to: period.to < end ? period.to : end };
  const pieces = buckets(begun, size, maxBuckets);
  return pieces.map(({ bucket, ...days }) => ({ ...period, ...days, given: bucket }));
}
