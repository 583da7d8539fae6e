/**
 * The financial report over a period: held against another period, or bucket by bucket. Both are
 * figures over spans of days, each with an optional reference; what differs is the form of the rows.
 */
import { z } from 'zod';
import { buckets, cutBuckets, sayCut } from '../../core/buckets.ts';
import { amsterdamDay, type BucketSize, bucketSizes, endOf } from '../../core/calendar.ts';
import { isPercentage } from '../../core/column-name.ts';
import { InputError } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import { type Decimal, percent, plain, zero } from '../../core/money.ts';
import { type Period, periodWarnings, resolvePeriod } from '../../core/periods.ts';
import { distinctWarnings, type Warning } from '../../core/warning.ts';
import { locationRef, range, words } from '../../endpoints/parameters.ts';
import { decimal, integer, listOf, text } from '../../endpoints/shapes.ts';
import type { Answer, Call } from '../answer.ts';
import { defineTool } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { factSplits } from './facts.ts';
import { countsOrders, type PlaceReport, readPeriods } from './figures.ts';
import {
  asksForOrders,
  chooseMeasures,
  measures,
  orderCount,
  orderMeasuresOf,
  type TurnoverFigure,
} from './measures.ts';
import { comparisons, referencePeriod, sayUnlike } from './reference-period.ts';

/** The ways to choose a reference, or none. */
const against = z.enum([...comparisons, 'none']).optional();

const comparison = z.strictObject({
  ...range,
  against: against
    .describe('What to compare with; none: no comparison')
    .meta({ default: 'previous_period' }),
  against_from: words.optional().describe('Instead of against: first day'),
  against_to: words.optional().describe('Instead of against: last day'),
  by: z.enum(factSplits).optional().describe('How to split').meta({ default: 'total' }),
  measures,
  location_id: locationRef.optional(),
});

export const compareTurnover = defineTool({
  tool: 'compare_turnover',
  title: 'Compare turnover',
  description:
    'One period against another from the financial report, with difference and percent: in total, per shop, location, turnover group, payment method or VAT rate. First choice for "against last week" and for any split.',
  asksPlatform: true,
  input: comparison,
  calls: (given, nowMs) => countRequests(given, nowMs),
  output: listOf({
    measure: text,
    id: integer,
    name: text,
    current: decimal,
    reference: decimal,
    difference: decimal,
    percent: decimal,
  }),
  answer: (services, given, call) => answerWith(services, 'compare_turnover', given, call),
});

/** Each bucket costs a report. */
const maxBuckets = 120;

const course = z.strictObject({
  ...range,
  bucket: z.enum(bucketSizes).optional().describe('Size').meta({ default: 'day' }),
  by: z
    .enum(['total', 'shop', 'location', 'turnover_group'])
    .optional()
    .describe('How to split')
    .meta({ default: 'total' }),
  against: against.describe('What each bucket is compared with').meta({ default: 'none' }),
  location_id: locationRef.optional(),
  measures,
});

export const turnoverTrend = defineTool({
  tool: 'turnover_trend',
  title: 'Turnover trend',
  description: [
    'The financial report per day, week or month, each with its reference if asked. One request a bucket.',
    { needs: 'get_financial_report', text: 'For a single total use get_financial_report.' },
  ],
  asksPlatform: true,
  input: course,
  calls: (given, nowMs) => countRequests(given, nowMs, given.bucket ?? 'day'),
  output: listOf({ bucket: text, from: text, to: text, id: integer, name: text }),
  answer: (services, given, call) =>
    answerWith(services, 'turnover_trend', given, call, given.bucket ?? 'day'),
});

/** The arguments of both. */
type Asked = z.output<typeof comparison>;

/** How many requests a question costs at least: a report for each period, and the orders where they are counted. */
function countRequests(given: Asked, nowMs: number, size?: BucketSize): number {
  return periodsOf(spansOf(given, nowMs, size)).length * (asksForOrders(given.measures) ? 2 : 1);
}

/** Days to read figures of, and the days to compare them with. */
interface Span {
  period: Period;
  reference?: Period;
}

function periodsOf(spans: readonly Span[]): Period[] {
  return spans.flatMap(({ period, reference }) => (reference ? [period, reference] : [period]));
}

/** A whole period or its buckets, with what they are compared with. */
function spansOf(given: Asked, nowMs: number, size?: BucketSize): Span[] {
  const { against = size ? 'none' : 'previous_period', against_from: from, against_to: to } = given;
  const period = resolvePeriod(given, nowMs);
  if ((from ?? to) !== undefined) {
    const twice = 'compare_turnover: against and against_from came together. Give one of the two.';
    if (given.against !== undefined) throw new InputError(twice);
    const names = { from: 'against_from', to: 'against_to' };
    return [{ period, reference: resolvePeriod({ from, to }, nowMs, names) }];
  }
  const periods = size ? bucketsOf(period, size, nowMs) : [period];
  if (against === 'none') return periods.map((days) => ({ period: days }));
  return periods.map((days) => ({ period: days, reference: referencePeriod(days, against, size) }));
}

/** The buckets of a period that have begun; the name of a bucket is what its days are `given` as. */
function bucketsOf(period: Period, size: BucketSize, nowMs: number): Period[] {
  // Buckets that have not begun have no figures; the one of today is read as it was asked for.
  const end = endOf(size, amsterdamDay(nowMs));
  const begun = { from: period.from, to: period.to < end ? period.to : end };
  const pieces = buckets(begun, size, maxBuckets);
  return pieces.map(({ bucket, ...days }) => ({ ...period, ...days, given: bucket }));
}

/** The answer about the chosen figures of a whole period, or of its buckets. */
async function answerWith(
  services: Services,
  tool: string,
  given: Asked,
  call: Call,
  size?: BucketSize,
): Promise<Answer> {
  const { by = 'total' } = given;
  const spans = spansOf(given, call.nowMs, size);
  if (spans.length > maxBuckets)
    throw new InputError(
      `${tool}: the period has more than ${maxBuckets} buckets of a ${size}, the most that are read at once. Give a shorter period or a larger bucket.`,
    );
  const period = resolvePeriod(given, call.nowMs);
  const reading = await readPeriods(services, tool, by, given, periodsOf(spans), call);
  const { reports, calls, resolved } = reading;
  const all = [...reading.figures.values()].flat();
  const read = [...new Set(all.map(({ measure }) => measure))];
  const ofOrders = countsOrders(services, by) ? orderMeasuresOf(read) : [];
  const names = [...new Set([...ofOrders, ...read])];
  const { chosen, others, warnings } = chooseMeasures(names, given.measures, { tool, by });
  const figures = all.filter(({ measure }) => chosen.has(measure));
  const entries = [...new Map(figures.map((figure) => [keyOf(figure), figure])).values()];
  const rows = spans.flatMap((span) => {
    const [now, then] = periodsOf([span]).map((days) =>
      readerOf(reading.figures.get(days) ?? [], size !== undefined),
    );
    const cells = entries.map((entry) => cellOf(entry, now?.(entry), then?.(entry)));
    return size ? rowPerId(span, cells) : rowPerFigure(span, cells);
  });

  const references = spans.flatMap(({ reference }) => reference ?? []);
  const definitions = entries.flatMap(({ measure, definition }) => {
    const isPoints = references.length > 0 && isPercentage(measure);
    const said = isPoints ? 'is a percentage: its difference is in percentage points' : definition;
    return said === undefined ? [] : [[measure, said]];
  });
  const contexts = reports.map(({ answer }) => answer.context);
  const oldest = contexts.reduce((a, b) => (a.as_of <= b.as_of ? a : b));
  const hasPayments = [...chosen].some((name) => name.startsWith('direct_paid.'));
  const found: Warning[] = [
    ...[period, ...references].flatMap((days) => periodWarnings(days, call.nowMs)),
    ...(size ? sayCut(cutBuckets(period, size)) : []),
    ...sayUnlikeSpans(spans, amsterdamDay(call.nowMs)),
    ...reports.flatMap((report) => warningsOf(report, hasPayments)),
    ...warnings,
    ...(read.length === 0
      ? [{ code: 'no_rows' as const, text: `The report carries no figures by ${by}.` }]
      : []),
  ];
  return {
    payload: { count: rows.length, total: rows.length },
    rows,
    noun: size ? 'rows' : 'figures',
    ...(size === 'day' && { repeats: ['from', 'to'] }),
    context: {
      ...oldest,
      period,
      ...(resolved && { resolved: { location_id: resolved } }),
      ...(others.length > 0 && { more: { measures: others } }),
      ...(definitions.length > 0 && { definitions: Object.fromEntries(definitions) }),
      warnings: distinctWarnings(found),
      ...(!size && references[0] && { reference_period: references[0] }),
    },
    calls,
    asked: { tool, arguments: given },
  };
}

/** What to know of a report; whether its payments balance is of no concern where none are shown. */
function warningsOf({ place, answer }: PlaceReport, hasPayments: boolean): Warning[] {
  const { warnings = [] } = answer.context;
  return warnings
    .filter(({ code }) => hasPayments || code !== 'balance_differs')
    .map(({ code, text }) => ({ code, text: place.name ? `${place.name}: ${text}` : text }));
}

function keyOf({ measure, of }: TurnoverFigure): string {
  return JSON.stringify([measure, of.id]);
}

/** Finds figures; null where there is none, zero on days without figures but for percentages and averages. */
function readerOf(figures: readonly TurnoverFigure[], fillsZeros: boolean) {
  const values = new Map(figures.map((figure) => [keyOf(figure), figure.value]));
  // Orders are counted, be there a report of that day or not.
  const ofReport = figures.filter(({ measure }) => measure !== orderCount);
  const reported = new Set(ofReport.map(({ of }) => of.id));
  return (entry: TurnoverFigure): Decimal | null => {
    const isRatio = isPercentage(entry.measure) || entry.measure.startsWith('average_');
    const isEmpty = fillsZeros && !isRatio && !reported.has(entry.of.id);
    return values.get(keyOf(entry)) ?? (isEmpty ? zero : null);
  };
}

type Cell = ReturnType<typeof cellOf>;

/** A figure of a span and of its reference, and how it changed: a percentage in points, and by no percent. */
function cellOf({ measure, of }: TurnoverFigure, now?: Decimal | null, then?: Decimal | null) {
  const difference = now && then ? now.minus(then) : null;
  const share = now && then && !isPercentage(measure) ? percent(now, then) : null;
  const [current, reference, changed, by] = [now, then, difference, share].map((it) =>
    it ? plain(it) : null,
  );
  return { measure, of, current, reference, difference: changed, percent: by };
}

/** A row for each figure of either period; what a period lacks is null, never 0. */
function rowPerFigure({ reference }: Span, cells: readonly Cell[]): Row[] {
  return cells.map(({ measure, of, current, ...compared }) => {
    return { measure, ...of, current, ...(reference && compared) };
  });
}

/** A row for each id; the measures are columns, nested for the reference and the change. */
function rowPerId({ period, reference }: Span, cells: readonly Cell[]): Row[] {
  return [...groupBy(cells, ({ of }) => String(of.id)).values()].map((own): Row => {
    const column = (side: 'current' | 'reference' | 'difference' | 'percent') =>
      Object.fromEntries(own.map((cell) => [cell.measure, cell[side]]));
    return {
      ...{ bucket: period.given, from: period.from, to: period.to, ...own[0].of },
      ...column('current'),
      ...(reference && {
        reference: { from: reference.from, to: reference.to, ...column('reference') },
        difference: column('difference'),
        percent: column('percent'),
      }),
    };
  });
}

/** What keeps spans from being compared with their references one to one. */
function sayUnlikeSpans(spans: readonly Span[], today: string): Warning[] {
  const unlike = spans.flatMap(({ period, reference }) => {
    if (!reference) return [];
    const isOpen = period.to >= today && reference.to < today;
    const open = isOpen ? ['not over, against whole days'] : [];
    const reasons = [...open, ...sayUnlike(period, reference)];
    return reasons.length === 0 ? [] : [`${period.given} is ${reasons.join(' and ')}`];
  });
  if (unlike.length === 0) return [];
  const where = spans.length > 1 ? ` in ${unlike.length} of ${spans.length} buckets, such as` : '';
  return [{ code: 'not_like_for_like', text: `Not like for like${where}: ${unlike[0]}.` }];
}
