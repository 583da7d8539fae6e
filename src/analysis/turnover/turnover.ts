/**
 * The financial report over a period: held against another period, or bucket by bucket. Both are
 * figures over spans of days, each with an optional reference; what differs is the form of the rows.
 */
import { z } from 'zod';
import { bucketSizes, buckets, cutBuckets, daysIn, sayCut, sayUnlike } from '../../core/buckets.ts';
import { amsterdamDay, type Day } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { type Decimal, difference, percent, plain, zero } from '../../core/money.ts';
import { type Period, periodWarnings, resolvePeriod, sayDays } from '../../core/periods.ts';
import { locationRef, range, words } from '../../endpoints/parameters.ts';
import { decimal, integer, listOf, text } from '../../endpoints/shapes.ts';
import type { Answer, Call } from '../answer.ts';
import { defineTool } from '../define-tool.ts';
import { nameWithId } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { factSplits, type TurnoverFigure } from './facts.ts';
import { countReports, readTurnover, type Span, type SpanFigures } from './figures.ts';
import { isOrderMeasure, isPercentage, measures } from './measures.ts';
import { comparisons, referenceOfBucket, referencePeriod } from './reference-period.ts';

const location_id = locationRef.optional();

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
  location_id,
});

export const compareTurnover = defineTool({
  tool: 'compare_turnover',
  title: 'Compare turnover',
  description:
    'One period against another from the financial report, with difference and percent, in total or split. First choice for "against last week" and turnover per location.',
  asksPlatform: true,
  input: comparison,
  calls: async (given, nowMs) => countReports([spanOf(given, nowMs)], given.measures),
  output: listOf({
    measure: text,
    id: integer,
    name: text,
    current: decimal,
    reference: decimal,
    difference: decimal,
    percent: decimal,
  }),
  async answer(services, given, call) {
    const span = spanOf(given, call.nowMs);
    const { period, reference } = span;
    const ofDays = reference && [
      ...periodWarnings(reference, call.nowMs),
      ...likeForLike(period, reference, amsterdamDay(call.nowMs)),
    ];
    const asked = { tool: 'compare_turnover', given, period, spans: [span], ofDays };
    const answer = await answerWith(services, asked, call, (spans) => spans.flatMap(compare));
    const { warnings = [], ...context } = answer.context;
    return {
      ...answer,
      noun: 'figures',
      context: {
        ...context,
        ...(reference && { reference_period: reference }),
        warnings: [...warnings, ...(reference ? oneSided(answer.rows) : [])],
      },
    };
  },
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
  against: against.describe('What each bucket stands beside').meta({ default: 'none' }),
  location_id,
  measures,
});

export const turnoverTrend = defineTool({
  tool: 'turnover_trend',
  title: 'Turnover trend',
  description: [
    'The financial report per day, week or month, each beside its reference if asked. One request a bucket.',
    { needs: 'get_financial_report', text: 'For a single total use get_financial_report.' },
  ],
  asksPlatform: true,
  input: course,
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
    const ofDays = [...sayCut(cutBuckets(period, size)), ...sayUnlikeBuckets(spans)];
    const asked = { tool, given, period, spans, ofDays };
    const answer = await answerWith(services, asked, call, (figures) => {
      const entries = entriesOf(figures);
      return spans.flatMap((span, index) => rowsOf(span, figures[index], entries));
    });
    return { ...answer, noun: 'rows', ...(size === 'day' && { repeats: ['from', 'to'] }) };
  },
});

interface Asked {
  tool: string;
  given: z.output<typeof comparison> | z.output<typeof course>;
  period: Period;
  spans: readonly Span[];
  /** Warnings about the days, before those of the reports. */
  ofDays: readonly string[] | undefined;
}

/** An answer about turnover, whose rows are written from the figures of each span. */
async function answerWith(
  services: Services,
  { tool, given, period, spans, ofDays = [] }: Asked,
  call: Call,
  write: (figures: readonly SpanFigures[]) => Row[],
): Promise<Answer & { rows: Row[] }> {
  const turnover = await readTurnover(services, { ...given, tool }, spans, call);
  const rows = write(turnover.spans);
  const { warnings = [], ...context } = turnover.context;
  return {
    payload: { count: rows.length, total: rows.length },
    rows,
    context: {
      ...context,
      period,
      warnings: [...new Set([...periodWarnings(period, call.nowMs), ...ofDays, ...warnings])],
    },
    calls: turnover.calls,
    asked: { tool, arguments: given },
  };
}

function spanOf(given: z.output<typeof comparison>, nowMs: number): Span {
  const { against, against_from: from, against_to: to } = given;
  const period = resolvePeriod(given, nowMs);
  if (from === undefined && to === undefined) {
    if (against === 'none') return { period };
    return { period, reference: referencePeriod(period, against ?? 'previous_period') };
  }
  if (against !== undefined)
    throw new InputError(
      'compare_turnover: against and against_from came together. Give one of the two.',
      'against',
    );
  const names = { from: 'against_from', to: 'against_to' };
  return { period, reference: resolvePeriod({ from, to }, nowMs, names) };
}

/** The buckets of a period that have begun; the name of a bucket is what its days are `given` as. */
function bucketSpans(given: z.output<typeof course>, nowMs: number): Span[] {
  const { bucket: size = 'day', against = 'none' } = given;
  const period = resolvePeriod(given, nowMs);
  const today = amsterdamDay(nowMs);
  return buckets(period, size)
    .filter(({ from }) => from <= today)
    .map(({ bucket, from, to }) => {
      const days = { ...period, from, to, given: bucket };
      if (against === 'none') return { period: days };
      return { period: days, reference: referenceOfBucket(days, size, against) };
    });
}

/** A row for each figure of either period; what a period lacks is null, never 0. */
function compare({ current, reference }: SpanFigures): Row[] {
  if (reference === undefined)
    return current.map((figure) => ({ ...nameOf(figure), current: plain(figure.value) }));
  const keyed = (figures: readonly TurnoverFigure[]) =>
    new Map(figures.map((figure) => [JSON.stringify([figure.measure, figure.id]), figure]));
  const [now, then] = [keyed(current), keyed(reference)];
  return [...new Map([...now, ...then])].map(([key, figure]) => {
    const [a, b] = [now.get(key)?.value, then.get(key)?.value];
    return {
      ...nameOf(now.get(key) ?? figure),
      current: a ? plain(a) : null,
      reference: b ? plain(b) : null,
      ...changeOf(figure.measure, a, b),
    };
  });
}

function nameOf({ measure, id, name }: TurnoverFigure): Row {
  return { measure, ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
}

/** How a figure changed; a percentage changes in points, and by no percent. */
function changeOf(
  measure: string,
  current: Decimal | null | undefined,
  reference: Decimal | null | undefined,
) {
  if (!current || !reference) return { difference: null, percent: null };
  const share = isPercentage(measure) ? null : percent(current, reference);
  return { difference: plain(difference(current, reference)), percent: share && plain(share) };
}

/** What keeps the two periods from being compared one to one. */
function likeForLike(period: Period, reference: Period, today: Day): string[] {
  const warnings: string[] = [];
  if (period.to >= today && reference.to < today)
    warnings.push(
      `Not like for like: ${sayDays(period)} includes a day that is not over, ${sayDays(reference)} has whole days only.`,
    );
  const [days, referenceDays] = [daysIn(period), daysIn(reference)];
  const unlike = sayUnlike(period, reference);
  if (days !== referenceDays)
    warnings.push(`The periods differ in length: ${days} and ${referenceDays} days.`);
  else if (unlike !== undefined) warnings.push(`Not the same weekdays: ${unlike}.`);
  return warnings;
}

/** What has figures in one of the periods only: a shop that opened, closed or did not sell. */
function oneSided(rows: readonly Row[]): string[] {
  return ['current', 'reference'].flatMap((side) => {
    const names = new Set<string>();
    for (const { id, name } of rows)
      if (typeof id === 'number' && rows.every((row) => row.id !== id || row[side] === null))
        names.add(nameWithId({ id, name: typeof name === 'string' ? name : String(id) }));
    return names.size === 0
      ? []
      : [
          `No figures in the ${side} period for ${[...names].join(', ')}: null there, which is not zero.`,
        ];
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
interface Entry extends Pick<TurnoverFigure, 'id' | 'name'> {
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
  const { from, to, given } = period;
  return entries.map((entry): Row => {
    const { id, name, measures } = entry;
    const [now, then] = [valuesOf(current, entry), valuesOf(reference, entry)];
    const changes = [...measures].map((it) => ({ it, ...changeOf(it, now.get(it), then.get(it)) }));
    return {
      bucket: given,
      from,
      to,
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...plainly(now),
      ...(beside && {
        reference: { from: beside.from, to: beside.to, ...plainly(then) },
        difference: Object.fromEntries(changes.map((change) => [change.it, change.difference])),
        percent: Object.fromEntries(changes.map((change) => [change.it, change.percent])),
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
