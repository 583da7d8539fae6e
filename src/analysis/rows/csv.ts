import { cellText } from '../../core/column-type.ts';
import { isNumeric } from '../../core/money.ts';
import { neutralise } from '../../core/text.ts';
import type { Columns } from './rows.ts';

const rowsPerChunk = 1000;

/** Columns as CSV with a header. */
export function* csvChunks(columns: Columns): Generator<string> {
  if (columns.size === 0) return;
  const write = (cells: readonly unknown[]) => `${csvLine(cells)}\n`;
  yield write([...columns.keys()]);
  const cells = [...columns.values()];
  const [first = []] = cells;
  for (let start = 0; start < first.length; start += rowsPerChunk) {
    const rows = first.slice(start, start + rowsPerChunk);
    yield rows.map((_, at) => write(cells.map((column) => column[start + at]))).join('');
  }
}

/** A sign and a number as people write it (`-1.234,50`, `+5 %`), a telephone number, or nothing. */
const harmless = String.raw`[+-]+(?:\d+(?:[.,' ]\d+)*(?:e[+-]?\d+)?(?: ?%)?|(?<=\+)\d+(?:[ ().\/-]{1,3}\d+)*)?`;

/**
 * The place where a spreadsheet would read a formula: at the start of a cell, or behind a separator of some locale. Some
 * accept full-width signs, and some skip a tab at the start. Numbers within JSON lists are no formulas.
 */
const formulaStart = new RegExp(
  String.raw`^(?=[\t\r])|(^|[,;\t\r\n])([\s"]*)(?=[=+\-@＝＋－＠])(?!${harmless}\s*(?:[,;\t\r\n\]}"]|$))`,
  'gi',
);

/** A line of CSV (RFC 4180) without line end, and without formulas of a spreadsheet. */
function csvLine(cells: readonly unknown[]): string {
  const fields = cells.map((cell) => {
    const text = cellText(cell);
    if (isNumeric(cell)) return text;
    const inert = text.replace(formulaStart, "$1$2'").replace(/[^\t\r\n]+/g, neutralise);
    return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
  });
  // An empty line would be read as no row.
  return fields.join(',') || '""';
}
