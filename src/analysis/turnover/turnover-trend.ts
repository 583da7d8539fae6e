import { z } from 'zod';
import { type Bucket, type BucketSize, bucketSizes, buckets } from '../../core/buckets.ts';
import { amsterdamDay } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { plain } from '../../core/money.ts';
import { periodWarnings } from '../../core/period-warnings.ts';
import { type Period, resolvePeriod } from '../../core/periods.ts';
import { locationRef, range } from '../../endpoints/parameters.ts';
import { integer, listOf, text } from '../../endpoints/shapes.ts';
import { defineTool } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import { type Figure, readTurnover, resolveScope } from './turnover.ts';

/** A bucket costs a report: more of them is a question for a larger bucket. */
const maxBuckets = 120;

/** The financial report over a period, bucket by bucket. */
export const turnoverTrend = defineTool({
  tool: 'turnover_trend',
  title: 'Turnover trend',
  description:
    'Figures of the financial report per day, week or month over a period. One request a bucket: for a single total use get_financial_report.',
  asksPlatform: true,
  input: z.strictObject({
    ...range,
    bucket: z.enum(bucketSizes).optional().meta({ default: 'day' }),
    by: z.enum(['total', 'shop', 'turnover_group']).optional().meta({ default: 'total' }),
    location_id: locationRef.optional(),
  }),
  calls: (input, nowMs) => piecesOf(resolvePeriod(input, nowMs), input.bucket, nowMs).length,
  output: listOf({ bucket: text, from: text, to: text, id: integer, name: text }),
  async answer(services, input, call) {
    const { nowMs } = call;
    const period = resolvePeriod(input, nowMs);
    const { bucket: size = 'day', by = 'total' } = input;
    const pieces = piecesOf(period, size, nowMs);
    if (pieces.length > maxBuckets)
      throw new InputError(
        `turnover_trend: ${period.from} to ${period.to} has ${pieces.length} buckets of a ${size}; at most ${maxBuckets} are read at once. Give a shorter period or a larger bucket.`,
        'bucket',
      );
    const scope = await resolveScope(services, 'turnover_trend', by, input.location_id, call);
    let done = 0;
    const reports = await Promise.all(
      pieces.map(async (piece) => {
        const { bucket: given, from, to } = piece;
        const days = { ...period, from, to, given };
        const report = await readTurnover(services, { period: days, by, ...scope }, call);
        done += 1;
        call.onProgress?.({
          done,
          total: pieces.length,
          message: `read ${done} of ${pieces.length} reports`,
        });
        return { piece, report };
      }),
    );
    const rows = reports.flatMap(({ piece, report }) => rowsOf(piece, report.figures));
    const oldest = reports
      .map(({ report }) => report.context)
      .reduce((a, b) => (a.as_of <= b.as_of ? a : b));
    const { warnings: _, period: __, ...context } = oldest;
    return {
      payload: { count: rows.length, total: rows.length },
      rows,
      noun: 'rows',
      context: {
        ...context,
        period,
        ...(Object.keys(scope.resolved).length > 0 && { resolved: scope.resolved }),
        warnings: [
          ...new Set([
            ...periodWarnings(period, nowMs),
            ...reports.flatMap(({ report }) => report.warnings),
            ...(rows.length === 0 ? [`The report carries no figures by ${by}.`] : []),
          ]),
        ],
      },
      calls: reports.reduce((sum, { report }) => sum + report.calls, 0),
      asked: { tool: 'turnover_trend', arguments: input },
    };
  },
});

/** The buckets of a period that have begun: each costs a report. */
function piecesOf(period: Period, size: BucketSize = 'day', nowMs: number): Bucket[] {
  const today = amsterdamDay(nowMs);
  return buckets(period, size).filter(({ from }) => from <= today);
}

/** One row a bucket, or where it is split one row a bucket and id; measures are columns. */
function rowsOf(
  { bucket, from, to }: { bucket: string; from: string; to: string },
  figures: readonly Figure[],
): Row[] {
  const rows = new Map<number | null | undefined, Row>();
  for (const { measure, value, id, name } of figures) {
    const row = rows.get(id) ?? {
      bucket,
      from,
      to,
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
    };
    row[measure] = plain(value);
    rows.set(id, row);
  }
  return [...rows.values()];
}
