import { amsterdamDay } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { plain } from '../../core/money.ts';
import { periodWarnings } from '../../core/period-warnings.ts';
import { type Period, resolvePeriod } from '../../core/periods.ts';
import type { Answer, Call } from '../answer.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { type Bucket, type BucketSize, buckets } from './buckets.ts';
import type { TrendInput } from './inputs.ts';
import { asksForOrders } from './order-counts.ts';
import { referencePeriod } from './reference-period.ts';
import {
  readTurnover,
  resolveScope,
  showMeasures,
  type Turnover,
  type TurnoverFigure,
} from './turnover.ts';

/** A bucket costs a report: more of them is a question for a larger bucket. */
const maxBuckets = 120;

/** A report for each bucket and each reference, and the orders of it where they are counted. */
export function countTrend(input: TrendInput, nowMs: number): number {
  const reports = piecesOf(resolvePeriod(input, nowMs), input.bucket, nowMs).length;
  return reports * (hasReference(input) ? 2 : 1) * (asksForOrders(input.measures) ? 2 : 1);
}

/** A period bucket by bucket. */
export async function answerTrend(
  services: Services,
  input: TrendInput,
  call: Call,
): Promise<Answer> {
  const { nowMs } = call;
  const period = resolvePeriod(input, nowMs);
  const { bucket: size = 'day', against = 'none' } = input;
  const pieces = piecesOf(period, size, nowMs);
  if (pieces.length > maxBuckets)
    throw new InputError(
      `turnover_trend: ${period.from} to ${period.to} has ${pieces.length} buckets of a ${size}; at most ${maxBuckets} are read at once. Give a shorter period or a larger bucket.`,
      'bucket',
    );
  const scope = await resolveScope(services, 'turnover_trend', input, call);
  const total = pieces.length * (against === 'none' ? 1 : 2);
  let done = 0;
  const read = async (days: Period): Promise<Turnover> => {
    const report = await readTurnover(services, { period: days, ...scope }, call);
    done += 1;
    call.onProgress?.({ done, total, message: `read ${done} of ${total} reports` });
    return report;
  };
  const lines = await Promise.all(
    pieces.map(async (piece): Promise<Line> => {
      const days = { ...period, from: piece.from, to: piece.to, given: piece.bucket };
      const beside = against === 'none' ? undefined : referencePeriod(days, against);
      const [report, reference] = await Promise.all([read(days), beside && read(beside)]);
      return { piece, report, ...(beside && reference && { beside, reference }) };
    }),
  );
  const reports = lines.flatMap(({ report, reference }) => [
    report,
    ...(reference ? [reference] : []),
  ]);
  const all = reports.flatMap(({ figures }) => figures);
  const shown = showMeasures(services, 'turnover_trend', scope, input.measures, all);
  const rows = lines.flatMap((line) => rowsOf(line, shown.isChosen));
  const oldest = reports
    .map((report) => report.context)
    .reduce((a, b) => (a.as_of <= b.as_of ? a : b));
  const { warnings: _, period: __, ...context } = oldest;
  return {
    payload: { count: rows.length, total: rows.length },
    rows,
    noun: 'rows',
    ...(size === 'day' && { repeats: ['from', 'to'] }),
    context: {
      ...context,
      period,
      ...(Object.keys(scope.resolved).length > 0 && { resolved: scope.resolved }),
      ...shown.context,
      warnings: [
        ...new Set([
          ...periodWarnings(period, nowMs),
          ...reports.flatMap((report) => report.warnings),
          ...(rows.length === 0 ? [`The report carries no figures by ${scope.by}.`] : []),
        ]),
      ],
    },
    calls: reports.reduce((sum, report) => sum + report.calls, 0),
    asked: { tool: 'turnover_trend', arguments: input },
  };
}

/** A bucket with its report, and what it stands beside. */
interface Line {
  piece: Bucket;
  report: Turnover;
  beside?: Period;
  reference?: Turnover;
}

function hasReference({ against = 'none' }: { against?: string | undefined }): boolean {
  return against !== 'none';
}

/** The buckets of a period that have begun: each costs a report. */
function piecesOf(period: Period, size: BucketSize = 'day', nowMs: number): Bucket[] {
  const today = amsterdamDay(nowMs);
  return buckets(period, size).filter(({ from }) => from <= today);
}

/**
 * One row a bucket, or where it is split one row a bucket and id; measures are columns, and those of
 * the reference stand under `reference`.
 */
function rowsOf({ piece, report, beside, reference }: Line, isChosen: IsChosen): Row[] {
  const { bucket, from, to } = piece;
  const current = byId(report.figures, isChosen);
  const other = byId(reference?.figures ?? [], isChosen);
  const days = { bucket, from, to };
  return [...new Set([...current.keys(), ...other.keys()])].map((id) => {
    const { name, values } = current.get(id) ?? other.get(id) ?? { values: {} };
    return {
      ...days,
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...(current.has(id) && values),
      ...(beside && {
        reference: { from: beside.from, to: beside.to, ...other.get(id)?.values },
      }),
    };
  });
}

type IsChosen = (measure: string) => boolean;

function byId(figures: readonly TurnoverFigure[], isChosen: IsChosen) {
  const rows = new Map<number | null | undefined, { name?: string; values: Row }>();
  for (const { measure, value, id, name } of figures) {
    if (!isChosen(measure)) continue;
    const row = rows.get(id) ?? { ...(name !== undefined && { name }), values: {} };
    row.values[measure] = plain(value);
    rows.set(id, row);
  }
  return rows;
}
