/** What a column holds, and how its cells are put in order. */
import { isNumeric, toDecimal } from '../../core/money.ts';
import type { TimestampReader } from '../../core/timestamps.ts';
import { cellText, isEmptyCell } from './rows.ts';

/** What the cells of a column have in common; `text` where they are of several kinds. */
export type CellKind = 'number' | 'time' | 'boolean' | 'text' | 'empty';

/** The kind of all cells that hold something. */
export function kindOf(cells: Iterable<unknown>, reader: TimestampReader): CellKind {
  let kind: CellKind = 'empty';
  for (const cell of cells) {
    if (isEmptyCell(cell)) continue;
    const found = kindOfCell(cell, reader);
    if (found === 'text' || (kind !== 'empty' && found !== kind)) return 'text';
    kind = found;
  }
  return kind;
}

/** What stands for a cell when cells are put in order. */
export type OrderKey = number | string;

/** The order of the cells of one column. */
export interface CellOrder {
  /** The cell's key, undefined where it holds nothing. Made once a cell, as texts are slow to read. */
  keyOf(cell: unknown): OrderKey | undefined;
  /** Negative when the first key comes first, 0 when neither does. */
  compare(a: OrderKey, b: OrderKey): number;
}

/**
 * Numbers by value, timestamps by instant, false before true, and anything else as a Dutch reader
 * expects texts, with the numbers in them by value: `B2` before `B10`.
 */
export function orderOf(kind: CellKind, reader: TimestampReader): CellOrder {
  const read = keyReader(kind, reader);
  return {
    keyOf: (cell) => (isEmptyCell(cell) ? undefined : read(cell)),
    compare: kind === 'text' ? (a, b) => compareText(String(a), String(b)) : compareNumbers,
  };
}

/** Orders numbers, and texts that write a number, exactly: also where no double holds them. */
export function compareNumbers(a: OrderKey, b: OrderKey): number {
  const rough = Number(a) - Number(b);
  if (rough !== 0 || (typeof a === 'number' && typeof b === 'number')) return Math.sign(rough);
  const [exactA, exactB] = [toDecimal(a), toDecimal(b)];
  return exactA && exactB ? exactA.comparedTo(exactB) : 0;
}

let dutch: Intl.Collator | undefined;

/** Orders texts as a Dutch reader expects. */
export function compareText(a: string, b: string): number {
  // Its rules take a while to load: nobody waits for them who sorts nothing.
  dutch ??= new Intl.Collator('nl', { numeric: true });
  return dutch.compare(a, b);
}

function keyReader(
  kind: CellKind,
  reader: TimestampReader,
): (cell: unknown) => OrderKey | undefined {
  switch (kind) {
    case 'number':
      return (cell) => (isNumeric(cell) ? cell : undefined);
    case 'time':
      return (cell) => reader.read(cell)?.ms;
    case 'boolean':
      return (cell) => (typeof cell === 'boolean' ? Number(cell) : undefined);
    default:
      return cellText;
  }
}

function kindOfCell(cell: unknown, reader: TimestampReader): Exclude<CellKind, 'empty'> {
  if (isNumeric(cell)) return 'number';
  if (typeof cell === 'boolean') return 'boolean';
  return reader.read(cell) ? 'time' : 'text';
}
