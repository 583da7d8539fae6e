/** Figures of spans next to what they are held against, and the rows that show them. */
import type { Days } from '../../core/calendar.ts';
import { isPercentage } from '../../core/column-name.ts';
import { groupBy } from '../../core/group-by.ts';
import { type Decimal, percent, plain, zero } from '../../core/money.ts';
import type { Row } from '../rows/rows.ts';
import { orderCount, type TurnoverFigure } from './measures.ts';
import type { Question, Readings } from './readings.ts';
import type { Span } from './spans.ts';
import { chooseEarlier, standingOf, type Trade, unusualOn } from './standing.ts';

/** A span with its figures, the earlier periods that count, and those that do not. */
export type FilledSpan = ReturnType<typeof fillSpan>;

/** A figure of a span, that of its reference, and its standing among earlier ones; null where there is none. */
type Cell = FilledSpan['cells'][number];

/** What tells a figure from others. */
export function keyOf({ measure, of }: TurnoverFigure): string {
  return JSON.stringify([measure, of.id]);
}

/**
 * A span with a cell for each figure that any period has.
 * @param trade what decides which earlier periods count
 */
export function fillSpan(
  span: Span,
  entries: readonly TurnoverFigure[],
  { of }: Readings,
  trade: Trade,
  { by, args, size }: Question,
) {
  const { period, reference, earlier } = span;
  const { kept, excluded } = chooseEarlier(earlier?.periods ?? [], trade);
  // What has no figure in a bucket is zero there.
  const zeros = earlier ? 'all' : size && 'empty';
  const readerFor = (days: Days) => readerOf(of(days).figures, zeros);
  const [now, then] = [readerFor(period), reference && readerFor(reference)];
  const before = kept.map((days) => ({ days, read: readerFor(days) }));
  const cells = entries.map((entry) => {
    const shop = (by === 'shop' && entry.of.id) || undefined;
    const usual = before.filter(({ days }) => !shop || !unusualOn(days, trade.notes, shop));
    const current = now(entry);
    const values = usual.flatMap(({ read }) => read(entry) ?? []);
    const standing = standingOf(current, values);
    const compared = args.against === 'usual' ? standing?.median : then?.(entry);
    const { measure, of: subject } = entry;
    return { measure, subject, current, reference: compared ?? null, standing };
  });
  return { ...span, kept, excluded, cells };
}

/**
 * Finds figures of a period; null where there is none.
 * @param zeros where a missing one is zero, percentages and averages excepted: `all`, or those of what has no figure
 */
function readerOf(figures: readonly TurnoverFigure[], zeros: 'all' | 'empty' | undefined) {
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

function write({ measure, current, reference, standing }: Cell) {
  const of = (value: Decimal | null | undefined) => (value ? plain(value) : null);
  const both = current && reference;
  return {
    ...{ current: of(current), reference: of(reference), expected: of(standing?.median) },
    ...{ low: of(standing?.low), high: of(standing?.high) },
    ...{ of: standing?.of ?? 0, rank: standing?.rank ?? null },
    difference: of(both && current.minus(reference)),
    percent: of(both && !isPercentage(measure) ? percent(current, reference) : null),
  };
}

type Side = keyof ReturnType<typeof write>;

function comparedSides({ reference, earlier }: Span, isExpected = false): readonly Side[] {
  const isUsual = earlier !== undefined && !isExpected;
  if (!reference && !isUsual) return [];
  const standing = isUsual ? (['low', 'high', 'of', 'rank'] as const) : [];
  return ['reference', ...standing, 'difference', 'percent'];
}

/** A row for each figure of either period; what a period lacks is null, never 0. */
export function rowPerFigure(span: FilledSpan): Row[] {
  const sides = comparedSides(span);
  return span.cells.map((cell) => {
    const written = write(cell);
    const compared = Object.fromEntries(sides.map((side) => [side, written[side]]));
    return { measure: cell.measure, ...cell.subject, current: written.current, ...compared };
  });
}

/**
 * A row for each id; the measures are columns, nested for the reference and the change.
 * @param expected the measure whose usual figures are columns of their own
 */
export function rowPerId(span: FilledSpan, expected?: string): Row[] {
  const { period, reference, cells } = span;
  const days = reference && { from: reference.from, to: reference.to };
  return [...groupBy(cells, ({ subject }) => String(subject.id)).values()].map((ofId): Row => {
    const written = ofId.map((cell) => [cell.measure, write(cell)] as const);
    const column = (side: Side) => ({
      ...(side === 'reference' && days),
      ...Object.fromEntries(written.map(([measure, values]) => [measure, values[side]])),
    });
    const [, main] = written.find(([measure]) => measure === expected) ?? [];
    const sides = comparedSides(span, expected !== undefined);
    return {
      ...{ bucket: period.given, from: period.from, to: period.to, ...ofId[0].subject },
      ...column('current'),
      ...(main && { expected: main.expected, low: main.low, high: main.high }),
      ...Object.fromEntries(sides.map((side) => [side, column(side)])),
    };
  });
}
