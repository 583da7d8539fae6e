/** The financial report over a period, bucket by bucket. */
import { z } from 'zod';
import { bucketSizes, buckets, cutBuckets, sayCut, sayUnlike } from '../../core/buckets.ts';
import { amsterdamDay } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { type Decimal, plain, zero } from '../../core/money.ts';
import { resolvePeriod } from '../../core/periods.ts';
import { integer, listOf, text } from '../../endpoints/shapes.ts';
import { defineTool } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import type { TurnoverFigure } from './facts.ts';
import { isPercentage } from './measures.ts';
import { isOrderMeasure } from './order-counts.ts';
import { referenceOfBucket } from './reference-period.ts';
import {
  against,
  changeOf,
  countReports,
  readTurnover,
  type Span,
  type SpanFigures,
  turnoverInput,
} from './turnover.ts';

/** Each bucket costs a report. */
const maxBuckets = 120;

const { measures, location_id, ...range } = turnoverInput;

const input = z.strictObject({
  ...range,
  bucket: z.enum(bucketSizes).optional().describe('Size').meta({ default: 'day' }),
  by: z
    .enum(['total', 'shop', 'location', 'turnover_group'])
    .optional()
    .describe('How to split')
    .meta({ default: 'total' }),
  against: against.describe('What each bucket stands beside').meta({ default: 'none' }),
  location_id,
  measures,
});

export const turnoverTrend = defineTool({
  tool: 'turnover_trend',
  title: 'Turnover trend',
  description: [
    'The financial report per day, week or month, each bucket beside its reference if asked. One request a bucket.',
    { needs: 'get_financial_report', text: 'For a single total use get_financial_report.' },
  ],
  asksPlatform: true,
  input,
  calls: async (given, nowMs) => countReports(bucketSpans(given, nowMs), given.measures),
  output: listOf({ bucket: text, from: text, to: text, id: integer, name: text }),
  async answer(services, given, call) {
    const tool = 'turnover_trend';
    const period = resolvePeriod(given, call.nowMs);
    const spans = bucketSpans(given, call.nowMs);
    const size = given.bucket ?? 'day';
    if (spans.length > maxBuckets)
      throw new InputError(
        `${tool}: ${period.from} to ${period.to} has ${spans.length} buckets of a ${size}; at most ${maxBuckets} are read at once. Give a shorter period or a larger bucket.`,
        'bucket',
      );
    const turnover = await readTurnover(services, { ...given, tool }, spans, call);
    const entries = entriesOf(turnover.spans);
    const rows = spans.flatMap((span, index) => rowsOf(span, turnover.spans[index], entries));
    const ofDays = [...sayCut(cutBuckets(period, size)), ...sayUnlikeBuckets(spans)];
    return {
      ...turnover.answer(period, rows, { ofDays }),
      noun: 'rows',
      ...(size === 'day' && { repeats: ['from', 'to'] }),
      asked: { tool, arguments: given },
    };
  },
});

/** The buckets of a period that have begun; the name of a bucket is what its days are `given` as. */
function bucketSpans(given: z.output<typeof input>, nowMs: number): Span[] {
  const { bucket: size = 'day', against = 'none' } = given;
  const period = resolvePeriod(given, nowMs);
  const today = amsterdamDay(nowMs);
  return buckets(period, size)
    .filter(({ from }) => from <= today)
    .map(({ bucket, from, to }) => {
      const days = { ...period, from, to, given: bucket };
      return {
        period: days,
        ...(against !== 'none' && { reference: referenceOfBucket(days, size, against) }),
      };
    });
}

function sayUnlikeBuckets(spans: readonly Span[]): string[] {
  const unlike = spans.flatMap(({ period, reference }) => {
    const said = reference && sayUnlike(period, reference);
    return said === undefined ? [] : [`${period.given} is ${said}`];
  });
  const [first] = unlike;
  return first === undefined
    ? []
    : [`Not the same days in ${unlike.length} of ${spans.length} buckets, such as: ${first}.`];
}

/** What rows are of: an id with its name, or the whole; and the measures of it that some bucket has. */
interface Entry {
  id: number | null | undefined;
  name: string | undefined;
  measures: Set<string>;
}

function entriesOf(spans: readonly SpanFigures[]): Entry[] {
  const entries = new Map<Entry['id'], Entry>();
  for (const { current, reference = [] } of spans)
    for (const { id, name, measure } of [...current, ...reference]) {
      const entry = entries.get(id) ?? { id, name, measures: new Set() };
      entry.measures.add(measure);
      entries.set(id, entry);
    }
  return [...entries.values()];
}

/** A row for each entry of a bucket; measures are columns, nested for the reference and the change. */
function rowsOf(
  { period, reference: beside }: Span,
  { current, reference = [] }: SpanFigures = { current: [] },
  entries: readonly Entry[],
): Row[] {
  return entries.map((entry): Row => {
    const { id, name, measures } = entry;
    const [now, then] = [valuesOf(current, entry), valuesOf(reference, entry)];
    const changes = [...measures].map((measure) => ({
      measure,
      ...changeOf(measure, now.get(measure), then.get(measure)),
    }));
    const { from, to, given } = period;
    return {
      bucket: given,
      from,
      to,
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...plainly(now),
      ...(beside && {
        reference: { from: beside.from, to: beside.to, ...plainly(then) },
        difference: Object.fromEntries(changes.map((it) => [it.measure, it.difference])),
        percent: Object.fromEntries(changes.map((it) => [it.measure, it.percent])),
      }),
    };
  });
}

/** The figures of an entry; days without figures are zeros, but for percentages and averages. */
function valuesOf(figures: readonly TurnoverFigure[], { id, measures }: Entry) {
  const own = new Map(
    figures.filter((it) => it.id === id).map(({ measure, value }) => [measure, value]),
  );
  // Orders are counted, be there a report of that day or not.
  const isReported = [...own.keys()].some((measure) => !isOrderMeasure(measure));
  const values = new Map<string, Decimal | null>();
  for (const measure of measures) {
    const isRatio = isPercentage(measure) || measure.startsWith('average_');
    const value = own.get(measure) ?? (isReported ? undefined : isRatio ? null : zero);
    if (value !== undefined) values.set(measure, value);
  }
  return values;
}

function plainly(values: ReadonlyMap<string, Decimal | null>): Row {
  return Object.fromEntries([...values].map(([name, value]) => [name, value && plain(value)]));
}
