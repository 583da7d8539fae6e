/** How a column of an answer stands in a sheet of Excel or LibreOffice. */
import stringWidth from 'string-width';
import { type ColumnType, columnType } from '../analysis/rows/column-type.ts';
import { cellText } from '../analysis/rows/rows.ts';
import { readTimestamp, spreadsheetClock } from '../core/calendar.ts';
import { isAmountName, isIdentifier } from '../core/column-name.ts';
import { isNumeric } from '../core/money.ts';
import { writeFigures } from '../mcp/answers/table.ts';

export type SheetValue = string | number | boolean | null;

/** A column of a sheet: what each of its cells holds, and how they are shown. */
export interface SheetColumn {
  header: string;
  width: number;
  format: string;
  valueAt(row: number): SheetValue;
  /** Of a cell that is shown in another way than its column. */
  formatAt?(row: number): string | undefined;
}

/** Characters that a cell holds. */
export const mostCharacters = 32_767;
/** Digits of a number that a cell holds. */
const mostDigits = 15;
const [narrowest, widest] = [8, 60];
/** A column is as wide as the widest of its first cells. */
const measuredRows = 1000;

/**
 * A column of rows as one of a sheet: days and moments as dates by Amsterdam's clock, amounts with two decimals,
 * other numbers with all of their decimals, and as text what a spreadsheet would change or read as a formula.
 *
 * @param measures what each figure measures, in rows that say so
 */
export function sheetColumn(
  header: string,
  cells: readonly unknown[],
  measures?: readonly unknown[],
): SheetColumn {
  const type = columnType(cells);
  const amounts = isIdentifier(header) ? [] : writeFigures(header, cells, measures);
  const isWholeEuros = isAmountName(header) && type === 'integer';
  const format = amounts.length > 0 || isWholeEuros ? '#,##0.00' : formatOf(type, cells);
  const shown = isTime(type) ? [format] : cells.slice(0, measuredRows).map(cellText);
  const widths = shown.map((it) => stringWidth(it) + 2);
  // The arrow of the filter stands beside the header.
  const width = Math.max(narrowest, stringWidth(header) + 3, ...widths);
  return {
    ...{ header, format },
    width: Math.min(widest, width),
    valueAt: (row) => sheetValue(cells[row], type),
    ...(amounts.includes(undefined) && {
      formatAt: (row) => (amounts[row] === undefined ? 'General' : undefined),
    }),
  };
}

/** Whether a cell holds more characters than one of a sheet can. */
export function isCut(cell: unknown): boolean {
  return cellText(cell).length > mostCharacters;
}

function isTime(type: ColumnType): boolean {
  return type === 'day' || type === 'timestamp';
}

/** As many decimals as any cell of the column has, so that nothing is shown rounded. */
function formatOf(type: ColumnType, cells: readonly unknown[]): string {
  if (type === 'day') return 'yyyy-mm-dd';
  if (type === 'timestamp') return 'yyyy-mm-dd hh:mm:ss';
  if (type === 'integer') return '0';
  if (type === 'text' || type === 'nested') return '@';
  const decimalsOf = (cell: unknown) =>
    (isNumeric(cell) && String(cell).split('.')[1]?.length) || 0;
  const decimals = cells.reduce<number>((most, cell) => Math.max(most, decimalsOf(cell)), 0);
  return decimals > 0 ? `0.${'0'.repeat(Math.min(decimals, mostDigits))}` : 'General';
}

function sheetValue(cell: unknown, type: ColumnType): SheetValue {
  if (cell === undefined || cell === null || cell === '') return null;
  if (typeof cell === 'boolean') return cell;
  const number = isTime(type) ? serialOf(cell) : exactNumber(cell, type);
  if (number !== undefined) return number;
  const text = cellText(cell).slice(0, mostCharacters);
  // Half of a character of two units would be none.
  return text.replace(/[\uD800-\uDBFF]$/, '');
}

/** A number that a sheet holds with all of its digits; a text of digits among other texts is a code. */
function exactNumber(cell: unknown, type: ColumnType): number | undefined {
  const isCode = typeof cell === 'string' && (type === 'text' || type === 'mixed');
  if (!isNumeric(cell) || isCode) return undefined;
  const digits = String(cell).replace(/^-?[0.]*|\.|e.*$/g, '');
  return digits.length <= mostDigits ? Number(cell) : undefined;
}

/** A day or a moment by Amsterdam's clock, as the number of days that a sheet counts. */
function serialOf(cell: unknown): number | undefined {
  const time = readTimestamp(cell);
  if (time === undefined) return undefined;
  const clockMs = Date.parse(`${spreadsheetClock(time.ms).replace(' ', 'T')}Z`);
  const days = clockMs / 86_400_000 + 25_569;
  // Spreadsheets differ about days before March 1900, and know none after 9999.
  return days >= 61 && days < 2_958_466 ? days : undefined;
}
