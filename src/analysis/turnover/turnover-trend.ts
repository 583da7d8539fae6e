/** The financial report over a period, bucket by bucket. */
import { z } from 'zod';
import { amsterdamDay } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { plain } from '../../core/money.ts';
import { resolvePeriod } from '../../core/periods.ts';
import { integer, listOf, text } from '../../endpoints/shapes.ts';
import { defineTool } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import { bucketSizes, buckets } from './buckets.ts';
import { referencePeriod } from './reference-period.ts';
import {
  against,
  countReports,
  readTurnover,
  type Span,
  type SpanFigures,
  type TurnoverFigure,
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
    const rows = spans.flatMap((span, index) => rowsOf(span, turnover.spans[index]));
    return {
      ...turnover.answer(period, rows),
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
        ...(against !== 'none' && { reference: referencePeriod(days, against) }),
      };
    });
}

/** One row for a bucket, or for a bucket and an id; measures are columns, those of the reference nested. */
function rowsOf(
  { period, reference: beside }: Span,
  { current, reference = [] }: SpanFigures = { current: [] },
): Row[] {
  const [now, then] = [byId(current), byId(reference)];
  const days = { bucket: period.given, from: period.from, to: period.to };
  return [...new Set([...now.keys(), ...then.keys()])].map((id) => {
    const name = (now.get(id) ?? then.get(id))?.name;
    return {
      ...days,
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...now.get(id)?.values,
      ...(beside && { reference: { from: beside.from, to: beside.to, ...then.get(id)?.values } }),
    };
  });
}

function byId(figures: readonly TurnoverFigure[]) {
  const rows = new Map<number | null | undefined, { name: string | undefined; values: Row }>();
  for (const { measure, value, id, name } of figures) {
    const row = rows.get(id) ?? { name, values: {} };
    row.values[measure] = plain(value);
    rows.set(id, row);
  }
  return rows;
}
