import { stringify } from 'csv-stringify/sync';
import { isNumeric } from '../../core/money.ts';
import { cellReader, cellText, columnsOf, type Row } from './rows.ts';

/** Rows that become text at a time: a long list is never one text. */
const rowsAtOnce = 1000;

/**
 * Rows as CSV with a header, in pieces; nested fields become dotted columns.
 *
 * @param columns names for the header of no rows
 */
export function* csvChunks(
  rows: readonly Row[],
  columns: readonly string[] = [],
): Generator<string> {
  const shown = rows.length === 0 ? columns : columnsOf(rows);
  if (shown.length === 0) return;
  yield stringify([shown.map(inertText)]);
  const readers = shown.map(cellReader);
  // An empty cell that has its line to itself would be read as no row.
  const options = { quoted_empty: shown.length === 1 };
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const piece = rows.slice(start, start + rowsAtOnce);
    yield stringify(
      piece.map((row) => readers.map((read) => inertText(read(row)))),
      options,
    );
  }
}

/** A text that a spreadsheet would run as a formula gets an apostrophe in front; figures stay figures. */
function inertText(cell: unknown): string {
  const text = cellText(cell);
  const isFormula = typeof cell === 'string' && /^[=+\-@\t\r]/.test(text) && !isNumeric(text);
  return isFormula ? `'${text}` : text;
}
