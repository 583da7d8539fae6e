/** One period of the financial report against another, figure by figure. */
import { z } from 'zod';
import { daysIn, sayUnlike } from '../../core/buckets.ts';
import { amsterdamDay, type Day } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { plain } from '../../core/money.ts';
import { type Period, periodWarnings, resolvePeriod, sayDays } from '../../core/periods.ts';
import { words } from '../../endpoints/parameters.ts';
import { decimal, integer, listOf, text } from '../../endpoints/shapes.ts';
import { defineTool } from '../define-tool.ts';
import { nameWithId } from '../reference/names.ts';
import type { Row } from '../rows/rows.ts';
import { factSplits, type TurnoverFigure } from './facts.ts';
import { referencePeriod } from './reference-period.ts';
import {
  against,
  changeOf,
  countReports,
  readTurnover,
  type Span,
  type SpanFigures,
  turnoverInput,
} from './turnover.ts';

const { measures, location_id, ...range } = turnoverInput;

const input = z.strictObject({
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
    'One period against another from the financial report: each figure with difference and percent, in total or split. First choice for "against last week" and turnover per location.',
  asksPlatform: true,
  input,
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
    const tool = 'compare_turnover';
    const span = spanOf(given, call.nowMs);
    const { period, reference } = span;
    const turnover = await readTurnover(services, { ...given, tool }, [span], call);
    const rows = turnover.spans.flatMap(compare);
    return {
      ...turnover.answer(period, rows, {
        context: reference && { reference_period: reference },
        ofDays: reference && [
          ...periodWarnings(reference, call.nowMs),
          ...likeForLike(period, reference, amsterdamDay(call.nowMs)),
        ],
        ofRows: reference && oneSided(rows),
      }),
      noun: 'figures',
      asked: { tool, arguments: given },
    };
  },
});

function spanOf(given: z.output<typeof input>, nowMs: number): Span {
  const { against, against_from: from, against_to: to } = given;
  const period = resolvePeriod(given, nowMs);
  if (from === undefined && to === undefined) {
    const isAlone = against === 'none';
    return {
      period,
      ...(!isAlone && { reference: referencePeriod(period, against ?? 'previous_period') }),
    };
  }
  if (against !== undefined)
    throw new InputError(
      'compare_turnover: against and against_from came together. Give one of the two.',
      'against',
    );
  const names = { from: 'against_from', to: 'against_to' };
  return { period, reference: resolvePeriod({ from, to }, nowMs, names) };
}

/** A row for each figure of either period; what a period lacks is null, never 0. */
function compare({ current, reference }: SpanFigures): Row[] {
  if (reference === undefined)
    return current.map((figure) => ({ ...nameOf(figure), current: plain(figure.value) }));
  const now = new Map(current.map((figure) => [keyOf(figure), figure]));
  const then = new Map(reference.map((figure) => [keyOf(figure), figure]));
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
  return {
    measure,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
  };
}

function keyOf({ measure, id }: TurnoverFigure): string {
  return JSON.stringify([measure, id]);
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
