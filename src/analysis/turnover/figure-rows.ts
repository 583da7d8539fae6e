/** Figures of spans as rows: a row for each figure of a period, or for each id of a bucket. */
import { groupBy } from '../../core/group-by.ts';
import { type Decimal, percent, plain, zero } from '../../core/money.ts';
import type { Row } from '../rows/rows.ts';
import { isPercentage, orderCount, type TurnoverFigure } from './measures.ts';
import type { Span } from './spans.ts';
import type { Place } from './usual.ts';

/** What tells a figure from others. */
export function keyOf({ measure, of }: TurnoverFigure): string {
  return JSON.stringify([measure, of.id]);
}

/** Finds a figure; null where there is none. */
export type FigureReader = (entry: TurnoverFigure) => Decimal | null;

/**
 * Reads figures of a period.
 * @param fillZeros where a figure that is missing is zero, percentages and averages excepted: `empty`, of
 *   what has no figure at all; `all`, of everything
 */
export function readerOf(
  figures: readonly TurnoverFigure[],
  fillZeros?: 'empty' | 'all',
): FigureReader {
  const values = new Map(figures.map((figure) => [keyOf(figure), figure.value]));
  // Orders are counted, be there a report of that day or not.
  const ofReport = figures.filter(({ measure }) => measure !== orderCount);
  const reported = new Set(ofReport.map(({ of }) => of.id));
  return (entry) => {
    const isRatio = isPercentage(entry.measure) || entry.measure.startsWith('average_');
    const isFilled = fillZeros === 'all' || (fillZeros === 'empty' && !reported.has(entry.of.id));
    return values.get(keyOf(entry)) ?? (isFilled && !isRatio ? zero : null);
  };
}

export type Cell = ReturnType<typeof cellOf>;

/** A span with its figures. */
export interface FilledSpan extends Span {
  cells: readonly Cell[];
}

/** A figure of a span and of its reference, and how it changed: a percentage in points, and by no percent. */
export function cellOf(
  { measure, of }: TurnoverFigure,
  now: Decimal | null | undefined,
  then: Decimal | null | undefined,
  place?: Place,
) {
  const difference = now && then ? now.minus(then) : null;
  const share = now && then && !isPercentage(measure) ? percent(now, then) : null;
  const write = (value: Decimal | null | undefined) => (value ? plain(value) : null);
  return {
    ...{ measure, subject: of, current: write(now), reference: write(then) },
    among: {
      ...{ low: write(place?.low), high: write(place?.high) },
      ...{ of: place?.of ?? 0, rank: place?.rank ?? null },
    },
    ...(place && { place }),
    ...{ difference: write(difference), percent: write(share) },
  };
}

/** A row for each figure of either period; what a period lacks is null, never 0. */
export function rowPerFigure({ reference, earlier, cells }: FilledSpan): Row[] {
  return cells.map(({ measure, subject, current, among, ...cell }) => {
    const changed = { difference: cell.difference, percent: cell.percent };
    const compared = { reference: cell.reference, ...(earlier && among), ...changed };
    return { measure, ...subject, current, ...((reference || earlier) && compared) };
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
    const column = (valueOf: (cell: Cell) => unknown) =>
      Object.fromEntries(own.map((cell) => [cell.measure, valueOf(cell)]));
    const isUsual = earlier !== undefined && expected === undefined;
    const main = own.find(({ measure }) => measure === expected);
    return {
      ...{ bucket: period.given, from: period.from, to: period.to, ...own[0].subject },
      ...column(({ current }) => current),
      ...(main && {
        expected: main.place ? plain(main.place.median) : null,
        ...{ low: main.among.low, high: main.among.high },
      }),
      ...((reference || isUsual) && {
        reference: {
          ...(reference && { from: reference.from, to: reference.to }),
          ...column((cell) => cell.reference),
        },
        ...(isUsual && {
          low: column(({ among }) => among.low),
          high: column(({ among }) => among.high),
          of: column(({ among }) => among.of),
          rank: column(({ among }) => among.rank),
        }),
        difference: column((cell) => cell.difference),
        percent: column((cell) => cell.percent),
      }),
    };
  });
}
