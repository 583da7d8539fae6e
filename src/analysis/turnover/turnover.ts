/**
 * The financial report over a period: held against another period, or bucket by bucket. Both are
 * figures over spans of days, each with an optional reference; what differs is the form of the rows.
 */
import { z } from 'zod';
import { amsterdamDay, cutBuckets, type Day, sayCut } from '../../core/calendar.ts';
import { isPercentage } from '../../core/column-name.ts';
import { periodWarnings, resolvePeriod } from '../../core/periods.ts';
import { sayCount } from '../../core/text.ts';
import { distinctWarnings, type Warning } from '../../core/warning.ts';
import { day, decimal, integer, listOf, text } from '../../endpoints/shapes.ts';
import type { AnalysisAnswer } from '../answer.ts';
import { defineTool } from '../define-tool.ts';
import { internalOrders, internalWords } from '../endpoint/findings.ts';
import { fillSpan, keyOf, rowPerFigure, rowPerId } from './cells.ts';
import { explainTurnover } from './explain.ts';
import {
  chooseMeasures,
  orderCount,
  orderMeasuresOf,
  type TurnoverFigure,
  turnoverWithVat,
} from './measures.ts';
import {
  countsOrders,
  type Question,
  type Readings,
  type Report,
  readPeriods,
} from './readings.ts';
import {
  comparison,
  countRequests,
  course,
  daysOf,
  type Span,
  sayUnlike,
  spansOf,
} from './spans.ts';
import { dayNotesIn } from './standing.ts';
import { sayUsual } from './usual.ts';

export const compareTurnover = defineTool({
  tool: 'compare_turnover',
  title: 'Compare turnover',
  description:
    'One period against another from the financial report, with difference and percent: in total, per shop, location, turnover group, payment method or VAT rate. First choice for "against last week" and for any split.',
  asksPlatform: true,
  opensToolsets: ['reports'],
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
  answer: (services, args, call) =>
    answerQuestion({ services, tool: 'compare_turnover', args, by: args.by ?? 'total', call }),
});

export const turnoverTrend = defineTool({
  tool: 'turnover_trend',
  title: 'Turnover trend',
  description: [
    'The financial report per day, week or month, each with its reference if asked. One request a bucket.',
    { needs: 'get_financial_report', text: 'For a single total use get_financial_report.' },
  ],
  asksPlatform: true,
  opensToolsets: ['reports'],
  input: course,
  calls: (args, nowMs) => countRequests(args, nowMs, args.bucket ?? 'day'),
  // Buckets are days, or names of weeks and months.
  output: listOf({ bucket: z.string().nullish(), from: day, to: day, id: integer, name: text }),
  measuresOf: 'get_financial_report',
  answer(services, args, call) {
    const { by = 'total', bucket: size = 'day' } = args;
    return answerQuestion({ services, tool: 'turnover_trend', args, by, size, call });
  },
});

async function answerQuestion(question: Question): Promise<AnalysisAnswer> {
  const { services, tool, args, by, size, call } = question;
  const period = resolvePeriod(args, call.nowMs);
  const today = amsterdamDay(call.nowMs);
  const spans = spansOf(args, call.nowMs, size);
  const days = spans.flatMap(daysOf);
  const references = spans.flatMap(({ reference }) => reference ?? []);
  const isCompared = references.length > 0 || args.against === 'usual';
  const [readings, notes] = await Promise.all([
    readPeriods(question, days),
    days.length > spans.length ? services.statements.days().catch(() => []) : [],
  ]);

  const all = readings.all.flatMap(({ figures }) => figures);
  const read = [...new Set(all.map(({ measure }) => measure))];
  const ofOrders = countsOrders(services, by) ? orderMeasuresOf(read) : [];
  const names = [...new Set([...ofOrders, ...read])];
  const { chosen, others, warnings } = chooseMeasures(names, args.measures, { tool, by });
  const figures = all.filter(({ measure }) => chosen.has(measure));
  const entries = [...new Map(figures.map((figure) => [keyOf(figure), figure])).values()];
  // Of several measures the one that sentences are about.
  const withVat = turnoverWithVat(read) ?? '';
  const main = (chosen.has(withVat) ? withVat : [...chosen][0]) ?? '';

  const firstDay = await firstDayFor(question, spans, readings);
  const trade = { hasTrade: readings.hasTrade, notes, firstDay };
  const filled = spans.map((span) => fillSpan(span, entries, readings, trade, question));
  const rows = filled.flatMap((span) =>
    size ? rowPerId(span, args.expected ? main : undefined) : rowPerFigure(span),
  );
  const usual = sayUsual(filled, question, main);
  const explained =
    args.explain && filled[0] ? await explainTurnover(question, readings, filled[0]) : undefined;
  const internal = chosen.has(orderCount) ? await internalOrders(services, call) : undefined;
  const [ofCount] = internalWords[String(internal?.value)] ?? [];
  const isFilled = !rows.some(({ current }) => current === null);
  const noted = dayNotesIn(notes, days);
  const isCut = noted.count > noted.latest.length;
  const definitions = [
    ...usual.definitions,
    ...entries.flatMap((entry) => definitionOf(entry, isCompared)),
    ...(await sayCovered(question, entries, isFilled)),
    ...(isCut ? [['notes', `the latest ${noted.latest.length} of ${sayCount(noted.count)}`]] : []),
  ];
  const summary = [
    ...usual.summary,
    ...(explained?.summary ?? []),
    ...(ofCount ? [`order_count: ${ofCount}`] : []),
  ];
  const contexts = readings.all.flatMap(({ reports }) => reports.map((it) => it.answer.context));
  // What a report says of its own figures is not about the rows here.
  const { definitions: _, ...oldest } = contexts.reduce((a, b) => (a.as_of <= b.as_of ? a : b));
  const hasPayments = [...chosen].some((name) => name.startsWith('direct_paid.'));
  const reports = [...spans.map((span) => span.period), ...references].flatMap(
    (it) => readings.of(it).reports,
  );
  const noFigures = { code: 'no_rows', text: `The report carries no figures by ${by}.` } as const;
  const { location } = readings;
  const calls = readings.all.reduce((sum, reading) => sum + reading.calls, explained?.calls ?? 0);
  return {
    payload: {
      ...{ count: rows.length, total: rows.length },
      ...(explained && { explained: explained.rows }),
    },
    rows,
    noun: size ? 'rows' : 'figures',
    ...(size === 'day' && { repeats: ['from', 'to'] }),
    context: {
      ...oldest,
      period,
      ...(location?.resolved && { resolved: { location_id: location.resolved } }),
      // Who named measures knows that there are others.
      ...(others.length > 0 && args.measures === undefined && { more: { measures: others } }),
      ...(definitions.length > 0 && { definitions: Object.fromEntries(definitions) }),
      warnings: distinctWarnings([
        ...[period, ...references].flatMap((it) => periodWarnings(it, call.nowMs)),
        ...(size ? sayCut(cutBuckets(period, size)) : []),
        ...sayUnlike(spans, today),
        ...reports.flatMap((report) => warningsOf(report, hasPayments)),
        ...warnings,
        ...usual.warnings,
        ...(read.length === 0 ? [noFigures] : []),
      ]),
      ...(!size && references[0] && { reference_period: references[0] }),
      ...(usual.usual && {
        usual: { ...usual.usual, ...(explained?.middle && { middle: explained.middle }) },
      }),
      ...(summary.length > 0 && { summary }),
      ...(noted.count > 0 && { notes: noted.latest }),
    },
    calls,
  };
}

function definitionOf(
  { measure, definition }: TurnoverFigure,
  isCompared: boolean,
): [measure: string, definition: string][] {
  if (isCompared && isPercentage(measure))
    return [[measure, 'is a percentage: its difference is in percentage points']];
  return definition === undefined ? [] : [[measure, definition]];
}

/**
 * Of how many shops or locations there are rows: whether that is all of them is what a reader asks next. Only for
 * callers who may have the list.
 */
async function sayCovered(
  { services, by, call }: Question,
  entries: readonly TurnoverFigure[],
  isFilled: boolean,
): Promise<[name: string, text: string][]> {
  if (by !== 'shop' && by !== 'location') return [];
  const listed = await services.reference.listForDisplay(by, call.signal).catch(() => undefined);
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
  { services: { survey }, call }: Question,
  spans: readonly Span[],
  { hasTrade }: Readings,
): Promise<Day | undefined> {
  const earlier = spans.flatMap((span) => span.earlier?.periods ?? []);
  const found = earlier.every(hasTrade)
    ? survey.known('first_day')
    : await survey.behaviour('first_day', call.signal);
  return found?.value;
}

/** What to know of a report; whether its payments balance is of no concern where none are shown. */
function warningsOf({ location, answer }: Report, hasPayments: boolean): Warning[] {
  const { warnings = [] } = answer.context;
  return warnings
    .filter(({ code }) => hasPayments || code !== 'balance_differs')
    .map((warning) => (location.name ? { ...warning, about: location.name } : warning));
}
