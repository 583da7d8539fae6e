/** Figures of spans as rows: a row for each figure of a period, or for each id of a bucket. */
import type { Days } from '../../core/calendar.ts';
import { isPercentage } from '../../core/column-name.ts';
import { groupBy } from '../../core/group-by.ts';
import { type Decimal, percent, plain, zero } from '../../core/money.ts';
import type { LeftOut } from '../answer.ts';
import type { Row } from '../rows/rows.ts';
import { orderCount, type TurnoverFigure } from './measures.ts';
import type { Span } from './spans.ts';
import type { Standing } from './usual.ts';

/** A span with its figures, the earlier periods that count, and those that do not. */
export interface FilledSpan extends Span {
  cells: readonly Cell[];
  kept: readonly Days[];
  leftOut: readonly LeftOut[];
}

/** A figure of a span, that of its reference, and its standing among earlier ones. */
interface Cell {
  measure: string;
  subject: TurnoverFigure['of'];
  current: Decimal | null;
  reference: Decimal | null;
  standing?: Standing | undefined;
}

/** What tells a figure from others. */
export function keyOf({ measure, of }: TurnoverFigure): string {
  return JSON.stringify([measure, of.id]);
}

/**
 * Finds figures of a period; null where there is none.
 * @param zeros where a missing one is zero, percentages and averages excepted: `all`, or those of what has no figure
 */
export function readerOf(figures: readonly TurnoverFigure[], zeros?: 'all' | 'empty') {
  const values = new Map(figures.map((figure) => [keyOf(figure), figure.value]));
  // Orders are counted without the report: they do not show that it has figures.
  const ofReport = figures.filter(({ measure }) => measure !== orderCount);
  const reported = new Set(ofReport.map(({ of }) => of.id));
  return (entry: TurnoverFigure): Decimal | null => {
    const isRatio = isPercentage(entry.measure) || entry.measure.startsWith('average_');
    const isZero = zeros === 'all' || (zeros === 'empty' && !reported.has(entry.of.id));
    return values.get(keyOf(entry)) ?? (isZero && !isRatio ? zero : null);
  };
}

/** What a cell holds, as it is written; a percentage changes in points, and by no percent. */
function write({ measure, current, reference, standing }: Cell) {
  const both = current && reference;
  const share = both && !isPercentage(measure) ? percent(current, reference) : null;
  const of = (value: Decimal | null | undefined) => (value ? plain(value) : null);
  return {
    ...{ current: of(current), reference: of(reference), expected: of(standing?.median) },
    ...{ low: of(standing?.low), high: of(standing?.high) },
    ...{ of: standing?.of ?? 0, rank: standing?.rank ?? null },
    ...{ difference: both ? plain(current.minus(reference)) : null, percent: of(share) },
  };
}

type Written = ReturnType<typeof write>;

/** A row for each figure of either period; what a period lacks is null, never 0. */
export function rowPerFigure({ reference, earlier, cells }: FilledSpan): Row[] {
  return cells.map((cell) => {
    const { current, expected: _, reference: held, difference, percent, ...usual } = write(cell);
    const compared = { reference: held, ...(earlier && usual), difference, percent };
    return {
      measure: cell.measure,
      ...cell.subject,
      current,
      ...((reference || earlier) && compared),
    };
  });
}

/**
 * A row for each id; the measures are columns, nested for the reference and the change.
 * @param expected the measure whose usual figures are columns of their own
 */
export function rowPerId(
  { period, reference, earlier, cells }: FilledSpan,
  expected?: string,
): Row[] {
  return [...groupBy(cells, ({ subject }) => String(subject.id)).values()].map((own): Row => {
    const written = own.map((cell) => [cell.measure, write(cell)] as const);
    const column = (side: keyof Written) =>
      Object.fromEntries(written.map(([measure, cell]) => [measure, cell[side]]));
    const columns = (...sides: (keyof Written)[]) =>
      Object.fromEntries(sides.map((side) => [side, column(side)]));
    const [, main] = written.find(([measure]) => measure === expected) ?? [];
    const days = reference && { from: reference.from, to: reference.to };
    const isUsual = earlier !== undefined && expected === undefined;
    return {
      ...{ bucket: period.given, from: period.from, to: period.to, ...own[0].subject },
      ...column('current'),
      ...(main && { expected: main.expected, low: main.low, high: main.high }),
      ...((reference || isUsual) && { reference: { ...days, ...column('reference') } }),
      ...(isUsual && columns('low', 'high', 'of', 'rank')),
      ...((reference || isUsual) && columns('difference', 'percent')),
    };
  });
}
