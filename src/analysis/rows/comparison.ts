import { addDays, amsterdamDay, type Day, isDay } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { isNumeric, toDecimal } from '../../core/money.ts';
import { quote } from '../../core/text.ts';
import type { TimestampReader } from '../../core/timestamps.ts';
import { foldName } from '../reference/names.ts';
import { type CellKind, compareNumbers, compareText } from './cells.ts';
import { cellText } from './rows.ts';

/** A cell against a value: negative when the cell is less, 0 when equal, NaN when neither can be said. */
export type CellComparison = (cell: unknown) => number;

/** A column that a value is compared with. */
export interface HeldColumn {
  column: string;
  cells: readonly unknown[];
  kind: CellKind;
  reader: TimestampReader;
}

/**
 * How the cells of a column compare with what a caller wrote, read as the column's own kind:
 * - numbers by value (`true` and `false` are 1 and 0);
 * - timestamps and days by instant, where a plain day, `today` and `yesterday` stand for the whole
 *   Amsterdam day: `lte 2026-11-19` lets all of that day through;
 * - true and false;
 * - anything else as text without regard to case and accents, numbers among them by value.
 * @throws InputError for a value that no cell of the column's kind can be compared with.
 */
export function comparisonWith(value: string, held: HeldColumn, nowMs: number): CellComparison {
  switch (held.kind) {
    case 'number':
      return numberComparison(value, held);
    case 'time':
      return timeComparison(value, held, nowMs);
    case 'boolean':
      return booleanComparison(value, held);
    case 'text':
      return textComparison(value);
    case 'empty':
      return () => Number.NaN;
  }
}

const flags: ReadonlyMap<string, number> = new Map([
  ['true', 1],
  ['yes', 1],
  ['1', 1],
  ['false', 0],
  ['no', 0],
  ['0', 0],
]);

function numberComparison(value: string, held: HeldColumn): CellComparison {
  const number = toDecimal(value) ? value : flags.get(value.toLowerCase());
  if (number !== undefined) {
    return (cell) => (isNumeric(cell) ? compareNumbers(cell, number) : Number.NaN);
  }
  // Codes that happen to be all digits here are texts to the platform: A12 may be one of them.
  if (held.cells.some((cell) => typeof cell === 'string')) return textComparison(value);
  throw mismatch(value, held, 'numbers', 'a number with a point, such as 12.50');
}

function timeComparison(value: string, held: HeldColumn, nowMs: number): CellComparison {
  const { reader } = held;
  const day = dayOf(value, nowMs);
  if (day !== undefined) {
    return (cell) => {
      const moment = reader.read(cell);
      const cellDay = moment && reader.part(moment, 'day');
      return cellDay === undefined ? Number.NaN : compareDays(cellDay, day);
    };
  }
  const wanted = reader.read(value);
  if (!wanted) {
    throw mismatch(value, held, 'times', 'YYYY-MM-DD, today, yesterday or an ISO 8601 time');
  }
  return (cell) => (reader.read(cell)?.ms ?? Number.NaN) - wanted.ms;
}

function booleanComparison(value: string, held: HeldColumn): CellComparison {
  const flag = flags.get(value.toLowerCase());
  if (flag === undefined) throw mismatch(value, held, 'true and false', 'true or false');
  return (cell) => (typeof cell === 'boolean' ? Number(cell) - flag : Number.NaN);
}

function textComparison(value: string): CellComparison {
  const text = foldName(value);
  return (cell) => {
    if (isNumeric(cell) && isNumeric(value)) return compareNumbers(cell, value);
    const found = foldName(cellText(cell));
    if (found === text) return 0;
    // Dutch order takes 0031 and 31 for equals: as codes they are two.
    return compareText(found, text) || (found < text ? -1 : 1);
  };
}

function dayOf(value: string, nowMs: number): Day | undefined {
  const word = value.toLowerCase();
  if (word === 'today') return amsterdamDay(nowMs);
  if (word === 'yesterday') return addDays(amsterdamDay(nowMs), -1);
  return isDay(value) ? value : undefined;
}

function compareDays(a: Day, b: Day): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function mismatch(value: string, { column }: HeldColumn, holds: string, give: string): InputError {
  return new InputError(
    `where: ${column} holds ${holds}, and "${quote(value)}" cannot be compared with them. Give ${give}.`,
    'where',
  );
}
