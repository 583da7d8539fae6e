/**
 * The financial report over a period: held against another period, or bucket by bucket. Both are
 * figures over spans of days, each with an optional reference; what differs is the form of the rows.
 */
import { z } from 'zod';
import { cutBuckets, sayCut } from '../../core/buckets.ts';
import {
  amsterdamDay,
  type BucketSize,
  bucketSizes,
  type Day,
  type Days,
} from '../../core/calendar.ts';
import { isPercentage } from '../../core/column-name.ts';
import { plain, sayAmount, zero } from '../../core/money.ts';
import { periodWarnings, resolvePeriod, sayDays } from '../../core/periods.ts';
import { distinctWarnings, type Warning } from '../../core/warning.ts';
import { locationRef, range, words } from '../../endpoints/parameters.ts';
import { day, decimal, integer, listOf, text } from '../../endpoints/shapes.ts';
import type { Answer, AnswerContext, Call } from '../answer.ts';
import { defineTool } from '../define-tool.ts';
import { internalOrders } from '../endpoint/findings.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { explainDifference, signed, totalOf } from './explain.ts';
import { type FactSplit, factSplits } from './facts.ts';
import { type FilledSpan, keyOf, readerOf, rowPerFigure, rowPerId } from './figure-rows.ts';
import { countOrdersIn, countsOrders, namesFor, type PlaceReport, readPeriods } from './figures.ts';
import {
  chooseMeasures,
  measures,
  orderCount,
  orderMeasuresOf,
  type TurnoverFigure,
  turnoverWithVat,
} from './measures.ts';
import { comparisons, sayUnlike } from './reference-period.ts';
import { asPeriod, countRequests, periodsOf, type Span, spansOf } from './spans.ts';
import { chooseEarlier, dayNotesIn, middlePeriod, standingOf, unusualOn } from './usual.ts';
import { sayUsual } from './usual-context.ts';

/** The ways to choose a reference, or none. */
const against = z.enum([...comparisons, 'usual', 'none']).optional();

const comparison = z.strictObject({
  ...range,
  against: against
    .describe('What to compare with; usual: median of earlier; none: no comparison')
    .meta({ default: 'previous_period' }),
  against_from: words.optional().describe('Instead of against: first day'),
  against_to: words.optional().describe('Instead of against: last day'),
  by: z.enum(factSplits).optional().describe('How to split').meta({ default: 'total' }),
  explain: z.boolean().optional().describe('Parts of the difference'),
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
  calls: (args, nowMs) => countRequests(args, nowMs),
  output: listOf({
    measure: text,
    id: integer,
    name: text,
    current: decimal,
    reference: decimal,
    difference: decimal,
    percent: decimal,
    ...{ low: decimal, high: decimal, of: integer, rank: integer },
  }),
  answer: (services, args, call) => answerWith(services, 'compare_turnover', args, call),
});

const course = z.strictObject({
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

export const turnoverTrend = defineTool({
  tool: 'turnover_trend',
  title: 'Turnover trend',
  description: [
    'The financial report per day, week or month, each with its reference if asked. One request a bucket.',
    { needs: 'get_financial_report', text: 'For a single total use get_financial_report.' },
  ],
  asksPlatform: true,
  input: course,
  calls: (args, nowMs) => countRequests(args, nowMs, args.bucket ?? 'day'),
  // Buckets are days, or names of weeks and months.
  output: listOf({ bucket: z.string().nullish(), from: day, to: day, id: integer, name: text }),
  measuresOf: 'get_financial_report',
  answer: (services, args, call) =>
    answerWith(services, 'turnover_trend', args, call, args.bucket ?? 'day'),
});

/** The arguments of both. */
type TurnoverArguments = z.output<typeof comparison> & Pick<z.output<typeof course>, 'expected'>;

/** The answer about the chosen figures of a whole period, or of its buckets. */
async function answerWith(
  services: Services,
  tool: string,
  args: TurnoverArguments,
  call: Call,
  size?: BucketSize,
): Promise<Answer> {
  const { by = 'total' } = args;
  const spans = spansOf(args, call.nowMs, size);
  const period = resolvePeriod(args, call.nowMs);
  const days = spans.flatMap(periodsOf);
  const [reading, notes] = await Promise.all([
    readPeriods(services, tool, by, args, days, call),
    days.length > spans.length ? services.statements.days().catch(() => []) : [],
  ]);
  const all = reading.all.flatMap(({ figures }) => figures);
  const read = [...new Set(all.map(({ measure }) => measure))];
  const ofOrders = countsOrders(services, by) ? orderMeasuresOf(read) : [];
  const names = [...new Set([...ofOrders, ...read])];
  const { chosen, others, warnings } = chooseMeasures(names, args.measures, { tool, by });
  const figures = all.filter(({ measure }) => chosen.has(measure));
  const entries = [...new Map(figures.map((figure) => [keyOf(figure), figure])).values()];
  // Of several measures the one that sentences are about.
  const withVat = turnoverWithVat(read) ?? '';
  const main = chosen.has(withVat) ? withVat : [...chosen][0];
  const hasTrade = (it: Days) => reading.of(it).hasTrade;
  const firstDay = await firstDayFor(services, spans, hasTrade, call);
  const found = spans.map((span): FilledSpan => {
    const { earlier = { like: '', periods: [] } } = span;
    const { kept, leftOut } = chooseEarlier(earlier, { hasTrade, notes, firstDay });
    const fill = earlier.periods.length > 0 ? 'all' : size && 'empty';
    const readOf = (days: Days | undefined) => days && readerOf(reading.of(days).figures, fill);
    const [now, then] = [readOf(span.period), readOf(span.reference)];
    const others = kept.map((days) => ({ days, read: readOf(days) }));
    const cells = entries.map((entry) => {
      const shop = by === 'shop' ? entry.of.id : null;
      const isUnusual = (days: Days) => typeof shop === 'number' && unusualOn(days, notes, shop);
      const own = others.filter(({ days }) => !isUnusual(days));
      const values = own.flatMap(({ read }) => read?.(entry) ?? []);
      const current = now?.(entry) ?? null;
      const standing = standingOf(current, values);
      const held = (args.against === 'usual' ? standing?.median : then?.(entry)) ?? null;
      return { measure: entry.measure, subject: entry.of, current, reference: held, standing };
    });
    return { ...span, kept, leftOut, cells };
  });
  const { expected: isExpected = false } = args;
  const rows = found.flatMap((span) =>
    size ? rowPerId(span, isExpected ? main : undefined) : rowPerFigure(span),
  );
  const today = amsterdamDay(call.nowMs);
  const usual = sayUsual(found, { period, by, main, isExpected, today });
  const explained =
    args.explain && found[0] ? await explain(services, reading, found[0], call) : undefined;
  const { rows: parts, middle, calls: moreCalls = 0, summary: sentences = [] } = explained ?? {};
  const noted = dayNotesIn(notes, days);
  const references = spans.flatMap(({ reference }) => reference ?? []);
  const isCompared = references.length > 0 || args.against === 'usual';
  const definitions = entries.flatMap(({ measure, definition }) => {
    const isPoints = isCompared && isPercentage(measure);
    const text = isPoints ? 'is a percentage: its difference is in percentage points' : definition;
    return text === undefined ? [] : [[measure, text] as const];
  });
  const isFilled = !rows.some(({ current }) => current === null);
  const covered = await sayCovered(services, by, entries, isFilled, call);
  const defined = [...usual.definitions, ...definitions, ...covered];
  const contexts = reading.all.flatMap(({ reports }) => reports.map((it) => it.answer.context));
  // What a report says of its own figures is not about the rows here.
  const { definitions: _, ...oldest } = contexts.reduce((a, b) => (a.as_of <= b.as_of ? a : b));
  const hasPayments = [...chosen].some((name) => name.startsWith('direct_paid.'));
  const reports = [...spans.map((span) => span.period), ...references].flatMap(
    (it) => reading.of(it).reports,
  );
  const noFigures: Warning = {
    code: 'no_rows',
    text: `The report carries no figures by ${by}.`,
  };
  const internal = chosen.has(orderCount) ? await internalOrders(services, call) : undefined;
  const summary = [...usual.summary, ...sentences, ...(internal ? [internal.sentence] : [])];
  const { location } = reading;
  return {
    payload: { count: rows.length, total: rows.length, ...(parts && { explained: parts }) },
    rows,
    noun: size ? 'rows' : 'figures',
    ...(size === 'day' && { repeats: ['from', 'to'] }),
    context: {
      ...oldest,
      period,
      ...(location?.resolved && { resolved: { location_id: location.resolved } }),
      ...(others.length > 0 && { more: { measures: others } }),
      ...(defined.length > 0 && { definitions: Object.fromEntries(defined) }),
      warnings: distinctWarnings([
        ...[period, ...references].flatMap((it) => periodWarnings(it, call.nowMs)),
        ...(size ? sayCut(cutBuckets(period, size)) : []),
        ...sayUnlikeSpans(spans, today),
        ...reports.flatMap((report) => warningsOf(report, hasPayments)),
        ...warnings,
        ...usual.warnings,
        ...(read.length === 0 ? [noFigures] : []),
      ]),
      ...(!size && references[0] && { reference_period: references[0] }),
      ...(usual.usual && { usual: { ...usual.usual, ...(middle && { middle }) } }),
      ...(summary.length > 0 && { summary }),
      ...(noted.length > 0 && { notes: noted }),
    },
    calls: reading.calls + moreCalls,
    toolCall: { tool, arguments: args },
  };
}

/**
 * Of how many shops or locations there are rows: whether that is all of them is what a reader asks next. Only for
 * callers who may have the list.
 */
async function sayCovered(
  { reference }: Services,
  by: FactSplit,
  entries: readonly TurnoverFigure[],
  isFilled: boolean,
  { signal }: Call,
): Promise<[name: string, said: string][]> {
  if (by !== 'shop' && by !== 'location') return [];
  const listed = await reference.list(by, signal).catch(() => undefined);
  if (listed === undefined) return [];
  const ids = new Set(entries.map(({ of }) => of.id));
  const rows = listed.filter(({ id }) => ids.has(id)).length;
  const without = isFilled ? 'are rows of zero' : 'have no figure';
  const rest =
    rows === listed.length
      ? `those without turnover ${without}`
      : 'the report has none of the others';
  return [[`${by}s`, `${rows} of ${listed.length} of this key; ${rest}`]];
}

/** The first day with orders: looked for where an earlier period has no trade, else as far as it is known. */
async function firstDayFor(
  { survey }: Services,
  spans: readonly Span[],
  hasTrade: (days: Days) => boolean,
  { signal }: Call,
): Promise<Day | undefined> {
  const earlier = spans.flatMap((span) => span.earlier?.periods ?? []);
  const { value } = earlier.every(hasTrade)
    ? { ...survey.known('firstDay') }
    : await survey.behaviour('firstDay', signal);
  return typeof value === 'string' ? value : undefined;
}

/** The parts of a difference, and the sentences about them. */
interface Explanation extends Pick<NonNullable<AnswerContext['usual']>, 'middle'> {
  rows: readonly Row[];
  summary: readonly string[];
  calls: number;
}

/** The parts of the difference of a span: against its reference, or the earlier period in the middle. */
async function explain(
  services: Services,
  { of, location }: Awaited<ReturnType<typeof readPeriods>>,
  { period, reference, kept }: FilledSpan,
  call: Call,
): Promise<Explanation> {
  const factsOf = (days: Days) => of(days).reports.flatMap(({ facts }) => facts);
  const totals = kept.map((days) => ({ days, value: totalOf(factsOf(days)) ?? zero }));
  const middle = reference ? undefined : middlePeriod(totals);
  const against = reference ?? (middle && asPeriod(period, middle.days));
  const none = (why: string): Explanation => {
    return { rows: [], summary: [`Not explained: ${why}.`], calls: 0 };
  };
  if (!against) return none('there is no earlier period with trade to hold it against');
  const [counted, shop, turnover_group] = await Promise.all([
    countOrdersIn(services, location?.id, [period, against], call),
    namesFor(services, 'shop', call),
    namesFor(services, 'turnover_group', call),
  ]);
  const [now, then] = [period, against].map((days, at) => {
    return { facts: factsOf(days), orders: counted?.counts[at] };
  });
  const found = now && then && explainDifference(now, then, { shop, turnover_group });
  if (!found) return none('the report has no turnover incl. VAT as a whole');
  const values = totals.map(({ value }) => value);
  const gap = (middle?.value ?? zero).minus(standingOf(null, values)?.median ?? zero);
  const { from, to } = against;
  const place = middle
    ? `, in the middle of these periods (${sayAmount(middle.value)}, ${signed(gap)} from the median)`
    : '';
  const [sentence = '', ...others] = found.sentences;
  const parts = sentence && `: ${sentence}`;
  return {
    rows: found.rows,
    summary: [
      `${signed(found.difference)} against ${sayDays(against)}${place}${parts}.`,
      ...others,
    ],
    calls: counted?.calls ?? 0,
    ...(middle && { middle: { from, to, turnover: plain(middle.value), from_median: plain(gap) } }),
  };
}

/** What to know of a report; whether its payments balance is of no concern where none are shown. */
function warningsOf({ place, answer }: PlaceReport, hasPayments: boolean): Warning[] {
  const { warnings = [] } = answer.context;
  return warnings
    .filter(({ code }) => hasPayments || code !== 'balance_differs')
    .map(({ code, text }) => ({ code, text: place.name ? `${place.name}: ${text}` : text }));
}

/** What keeps spans from being compared with their references one to one. */
function sayUnlikeSpans(spans: readonly Span[], today: string): Warning[] {
  const unlike = spans.flatMap(({ period, reference, earlier }) => {
    const held = reference ?? earlier?.periods[0];
    if (!held) return [];
    const isOpen = period.to >= today && held.to < today;
    const open = isOpen ? ['not over, against whole days'] : [];
    const reasons = [...open, ...(reference ? sayUnlike(period, reference) : [])];
    return reasons.length === 0 ? [] : [`${period.given} is ${reasons.join(' and ')}`];
  });
  if (unlike.length === 0) return [];
  const where = spans.length > 1 ? ` in ${unlike.length} of ${spans.length} buckets, such as` : '';
  return [{ code: 'not_like_for_like', text: `Not like for like${where}: ${unlike[0]}.` }];
}
