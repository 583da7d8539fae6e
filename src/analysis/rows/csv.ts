import { stringify } from 'csv-stringify/sync';
import { isNumeric } from '../../core/money.ts';
import { inertCell } from '../../core/text.ts';
import { cellText, type Row, readColumns } from './rows.ts';

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
  const read = readColumns(rows);
  const header = rows.length === 0 ? columns : [...read.keys()];
  if (header.length === 0) return;
  const write = (cell: unknown) =>
    isForExcel && isNumeric(cell) ? cellText(cell).replace('.', ',') : inertText(cell);
  // An empty cell that has its line to itself would be read as no row.
  const style = { quoted_empty: header.length === 1, ...(isForExcel && { delimiter: ';' }) };
  yield (isForExcel ? '\uFEFF' : '') + stringify([header.map(inertText)], style);
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const piece = rows.slice(start, start + rowsAtOnce);
    const cells = [...read.values()];
    yield stringify(
      piece.map((_, index) => cells.map((column) => write(column[start + index]))),
      style,
    );
  }
}

/** A cell that no spreadsheet takes for a formula. */
function inertText(cell: unknown): string {
  const text = cellText(cell);
  return isNumeric(cell) ? text : inertCell(text);
}
