import { stringify } from 'csv-stringify/sync';
import { isNumeric } from '../../core/money.ts';
import { cellReader, cellText, columnNames, type Row } from './rows.ts';

/** Rows that become text at a time: a long list is never one text. */
const rowsAtOnce = 1000;

/** How CSV is written. */
export interface CsvStyle {
  /** Names for the header of no rows. */
  columns?: readonly string[] | undefined;
  /** As a Dutch Excel opens it: a byte-order mark, `;` between cells and decimal commas. */
  isForExcel?: boolean;
}

/** Rows as CSV with a header, in pieces; nested fields become dotted columns. */
export function* csvChunks(
  rows: readonly Row[],
  { columns = [], isForExcel = false }: CsvStyle = {},
): Generator<string> {
  const shown = rows.length === 0 ? columns : columnNames(rows);
  if (shown.length === 0) return;
  const write = (cell: unknown) =>
    isForExcel && isNumeric(cell) ? cellText(cell).replace('.', ',') : inertText(cell);
  // An empty cell that has its line to itself would be read as no row.
  const style = { quoted_empty: shown.length === 1, ...(isForExcel && { delimiter: ';' }) };
  yield (isForExcel ? '\uFEFF' : '') + stringify([shown.map(inertText)], style);
  const readers = shown.map(cellReader);
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const piece = rows.slice(start, start + rowsAtOnce);
    yield stringify(
      piece.map((row) => readers.map((read) => write(read(row)))),
      style,
    );
  }
}

/**
 * Where a spreadsheet would begin to read a formula: at the start of a cell, and behind what some
 * locales or pastes take for the end of one.
 */
const formulaStart = /(^|[;\t\r\n])([\s"]*)(?=[=+\-@])(?![+-]?\d+(?:[.,]\d+)?\s*(?:[;\t\r\n]|$))/g;

/** A text with an apostrophe before whatever a spreadsheet would run as a formula; figures stay figures. */
function inertText(cell: unknown): string {
  const text = cellText(cell);
  return isNumeric(cell) ? text : text.replace(formulaStart, "$1$2'");
}
