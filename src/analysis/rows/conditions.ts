import { InputError } from '../../core/errors.ts';
import { createTimestampReader } from '../../core/timestamps.ts';
import { foldName } from '../reference/names.ts';
import { kindOf } from './cells.ts';
import { comparisonWith } from './comparison.ts';
import { cellReader, cellText, isEmptyCell, type Row, requireColumn } from './rows.ts';

/** The ways to test a column. `in` takes a comma list; `empty` and `not_empty` take no value. */
export const conditionOps = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'contains',
  'in',
  'empty',
  'not_empty',
] as const;

export type ConditionOp = (typeof conditionOps)[number];

/** A test of one column. */
export interface Condition {
  column: string;
  op: ConditionOp;
  value?: string | undefined;
}

/**
 * The rows that pass every condition. A value is read as what its column holds: see
 * {@link comparisonWith}. `contains` looks at the text of a cell, without regard to case and accents;
 * `in` takes `a,b` or `"a, b",c`. A row without the column passes `empty` and `ne` only.
 * @throws InputError for an unknown column, and for a value that is missing or that nothing in the
 * column can be compared with.
 */
export function filterRows(
  rows: readonly Row[],
  where: readonly Condition[],
  nowMs: number,
): Row[] {
  const tests = where.map((condition) => {
    requireColumn(rows, condition.column, 'where');
    const read = cellReader(condition.column);
    const test = testOf(condition, rows.map(read), nowMs);
    return (row: Row) => test(read(row));
  });
  return rows.filter((row) => tests.every((test) => test(row)));
}

function testOf(
  condition: Condition,
  cells: readonly unknown[],
  nowMs: number,
): (cell: unknown) => boolean {
  const { column, op } = condition;
  if (op === 'empty') return isEmptyCell;
  if (op === 'not_empty') return (cell) => !isEmptyCell(cell);
  const value = requiredValue(condition);
  if (op === 'contains') {
    const part = foldName(value);
    return (cell) => foldName(cellText(cell)).includes(part);
  }
  const reader = createTimestampReader();
  const held = { column, cells, kind: kindOf(cells, reader), reader };
  const orders = (op === 'in' ? listOf(value) : [value]).map((text) =>
    comparisonWith(text, held, nowMs),
  );
  const isAny = (holds: (order: number) => boolean) => (cell: unknown) =>
    !isEmptyCell(cell) && orders.some((order) => holds(order(cell)));
  switch (op) {
    case 'ne':
      return (cell) => !orders.some((order) => order(cell) === 0);
    case 'lt':
      return isAny((order) => order < 0);
    case 'lte':
      return isAny((order) => order <= 0);
    case 'gt':
      return isAny((order) => order > 0);
    case 'gte':
      return isAny((order) => order >= 0);
    default:
      return isAny((order) => order === 0);
  }
}

function requiredValue({ column, op, value = '' }: Condition): string {
  const text = value.trim();
  if (text !== '') return text;
  throw new InputError(
    `where: ${op} on ${column} needs a value. Rows without one are found by op "empty".`,
    'where',
  );
}

/** The items of `a,b` or `"a, b",c`. */
function listOf(text: string): string[] {
  const items = [...text.matchAll(/\s*(?:"([^"]*)"|([^,]*))\s*(?:,|$)/g)];
  return items
    .map(([, quoted, bare = '']) => (quoted ?? bare).trim())
    .filter((item) => item !== '');
}
