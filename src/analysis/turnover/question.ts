/** Questions about turnover: their arguments, and the days that answering reads. */
import { z } from 'zod';
import { amsterdamDay, type BucketSize, bucketSizes, buckets, endOf } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import type { Message, Warning } from '../../core/message.ts';
import { type Period, resolvePeriod, sayDays } from '../../core/periods.ts';
import { outputOnly } from '../../endpoints/define.ts';
import { locationRef, range, words } from '../../endpoints/parameters.ts';
import type { Call, ResolvedName } from '../answer.ts';
import { type FactSplit, factSplits } from '../reference/facts.ts';
import type { Services } from '../services.ts';
import {
  type ComparedPeriods,
  comparisons,
  earlierPeriods,
  maxUsualDays,
  referencePeriod,
} from './earlier-periods.ts';
import { asksForOrders, measures } from './measures.ts';
import { turnoverMessages } from './messages.ts';

const chosen = {
  measures,
  location_id: locationRef.optional(),
  shop_id: z.array(words).max(100).optional().describe('Shops by id or name: rows of these'),
};

const against = z.enum([...comparisons, 'usual', 'none']).optional();

/** The arguments of `compare_turnover`. */
export const comparison = z.strictObject({
  ...range,
  against: against
    .describe(
      'previous_period: as many days before, of this_month the same of last month; month_earlier: same dates; usual: median',
    )
    .meta({ default: 'previous_period' }),
  against_from: words.optional().describe('Instead of against: first day'),
  against_to: words.optional().describe('Last day'),
  by: z.enum(factSplits).optional().describe('How to split').meta({ default: 'total' }),
  explain: z.boolean().optional().describe('Parts of the difference').meta(outputOnly),
  ...chosen,
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
  against: against.describe('Beside each bucket').meta({ default: 'none' }),
  ...chosen,
});

/** The arguments of both tools. */
export type TurnoverArguments = z.output<typeof comparison>;

/** The split of the figures; by shop if shops are named. */
export function splitOf({ by, shop_id: shops }: TurnoverArguments): FactSplit {
  return by ?? (shops ? 'shop' : 'total');
}

interface Place {
  id: number;
  resolved?: ResolvedName;
}

/** The places that a question names, with warnings about names that may mean others. */
export interface Places {
  location?: Place | undefined;
  shops?: readonly Place[] | undefined;
  warnings: readonly Warning[];
}

/** A question about turnover, with the services that answer it. */
export interface Question {
  services: Services;
  tool: string;
  args: TurnoverArguments;
  by: FactSplit;
  places: Places;
  spans: readonly Span[];
  /** Only for trends: the unit of the buckets. */
  size?: BucketSize;
  call: Call;
}

/** A period to read figures of, and the periods that it is compared with. */
export interface Span extends ComparedPeriods {
  period: Period;
}

/** Each bucket costs a report. */
const maxBuckets = 120;

/** The least number of requests: a report for each period, and a count of orders if asked for. */
export function countRequests(args: TurnoverArguments, nowMs: number, size?: BucketSize): number {
  const reports = new Set(spansOf(args, nowMs, size).flatMap(daysOf).map(sayDays)).size;
  return reports * (asksForOrders(args.measures) || args.explain ? 2 : 1);
}

/** All periods of a span, its own first. */
export function daysOf({ period, others }: Span): Period[] {
  return [period, ...others];
}

/**
 * A whole period or its buckets, with the periods that they are compared with.
 * @param size of the buckets, for `turnover_trend`
 * @throws {InputError} for arguments that contradict each other, and for too many days or buckets
 */
export function spansOf(args: TurnoverArguments, nowMs: number, size?: BucketSize): Span[] {
  const { against_from: from, against_to: to } = args;
  const { against = size ? 'none' : 'previous_period' } = args;
  const period = resolvePeriod(args, nowMs);
  const periods = size ? bucketsOf(period, size, nowMs) : [period];
  const refusal = refusalOf(args, periods.length, size);
  if (refusal) throw new InputError(refusal);
  if ((from ?? to) !== undefined) {
    const names = { from: 'against_from', to: 'against_to' };
    return [{ period, others: [resolvePeriod({ from, to }, nowMs, names)] }];
  }
  return periods.map((days) => {
    if (against === 'none') return { period: days, others: [] };
    if (against !== 'usual')
      return { period: days, others: [referencePeriod(days, against, size)] };
    const earlier = earlierPeriods(days);
    if (earlier) return { period: days, ...earlier };
    const refused = { days: { from: days.from, to: days.to }, max: maxUsualDays };
    throw new InputError(turnoverMessages.no_usual_of_period(refused));
  });
}

function refusalOf(
  args: TurnoverArguments,
  count: number,
  size: BucketSize | undefined,
): Message | undefined {
  const { explain, against, against_from, against_to } = args;
  const by = splitOf(args);
  const isDated = (against_from ?? against_to) !== undefined;
  if (args.shop_id && by !== 'shop') return turnoverMessages.shops_by_shop({ by });
  if (explain && against === 'none' && !isDated) return turnoverMessages.explain_needs_reference();
  if (isDated && against !== undefined) return turnoverMessages.two_references();
  if (size && count > maxBuckets)
    return turnoverMessages.too_many_buckets({ size, max: maxBuckets });
  return undefined;
}

function bucketsOf(period: Period, size: BucketSize, nowMs: number): Period[] {
  // Buckets that have not begun have no figures; the one of today is read as it was requested.
  const end = endOf(size, amsterdamDay(nowMs));
  const begun = { from: period.from, to: period.to < end ? period.to : end };
  const pieces = buckets(begun, size, maxBuckets);
  return pieces.map(({ bucket, ...days }) => ({ ...period, ...days, given: bucket }));
}
