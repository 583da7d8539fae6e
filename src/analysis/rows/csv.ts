import { cellText } from '../../core/column-type.ts';
import { isNumeric } from '../../core/money.ts';
import { neutralise } from '../../core/text.ts';
import type { Columns } from './rows.ts';

/** Rows that become text at a time: a long list is never one text. */
const rowsAtOnce = 1000;

/** Columns as CSV with a header, in pieces. */
export function* csvChunks(columns: Columns): Generator<string> {
  if (columns.size === 0) return;
  const write = (cells: readonly unknown[]) => `${csvLine(cells)}\n`;
  yield write([...columns.keys()]);
  const cells = [...columns.values()];
  const [first = []] = cells;
  for (let start = 0; start < first.length; start += rowsAtOnce) {
    const piece = first.slice(start, start + rowsAtOnce);
    yield piece.map((_, at) => write(cells.map((column) => column[start + at]))).join('');
  }
}

/**
 * Where a spreadsheet would begin to read a formula: at the start of a cell, or of what a locale takes for one; some
 * take signs of full width, too. Numbers are none, those in lists written as JSON included.
 */
const formulaStart =
  /(^|[,;\t\r\n])([\s"]*)(?=[=+\-@＝＋－＠])(?![+-]?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?\s*(?:[,;\t\r\n\]}]|$))/g;

/** Cells as a line of CSV (RFC 4180), without its end, in which a spreadsheet finds no formula. */
export function csvLine(cells: readonly unknown[]): string {
  const fields = cells.map((cell) => {
    const text = cellText(cell);
    if (isNumeric(cell)) return text;
    const inert = text.replace(formulaStart, "$1$2'").replace(/[^\t\r\n]+/g, neutralise);
    return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
  });
  // An empty cell that has its line to itself would be read as no row.
  return fields.join(',') || '""';
}
