/** Cells as a sheet holds them: their values, and how they are shown. */
import type { CellRichTextValue } from '@cj-tech-master/excelts';
import stringWidth from 'string-width';
import { readTimestamp, spreadsheetClock } from '../core/calendar.ts';
import { isAmountName, isIdentifier } from '../core/column-name.ts';
import { type ColumnType, cellText, columnType, isOfTimes } from '../core/column-type.ts';
import { decimalsOf, isNumeric } from '../core/money.ts';
import { writeFigures } from '../mcp/answers/table.ts';

type SheetValue = string | number | boolean | null | CellRichTextValue;

/** A column of a sheet: what each of its cells holds, and how they are shown. */
export interface SheetColumn {
  header: string;
  isId: boolean;
  /** What is aligned to the left: texts and ids. */
  isText: boolean;
  /** Long texts take several lines. */
  isWrapped?: boolean;
  width: number;
  format: string;
  valueAt(row: number): SheetValue;
  /** Of a cell that is shown in another way than its column. */
  formatAt?(row: number): string | undefined;
}

/** Characters of a text that a cell holds. */
export const mostCharacters = 32_767;
const mostDigits = 15;
/** Widths of columns, in characters. */
const narrowest = 8;
const widest = 60;
const widestHeader = 26;
/** A column is as wide as the widest of its first cells. */
const measuredRows = 1000;

/**
 * A column of rows as one of a sheet: days and moments as dates by Amsterdam's clock, amounts with two decimals,
 * other numbers with all of their decimals, and as text what a spreadsheet would change or read as a formula.
 *
 * @param measures what each figure measures, in rows that say so
 * @param header what stands above it
 */
export function sheetColumn(
  name: string,
  cells: readonly unknown[],
  measures?: readonly unknown[],
  header = name,
): SheetColumn {
  const type = columnType(cells, name);
  const isId = isIdentifier(name);
  const amounts = isId ? [] : writeFigures(name, cells, measures);
  const isWholeEuros = isAmountName(name) && type === 'integer';
  const format = amounts.length > 0 || isWholeEuros ? '#,##0.00' : formatOf(type, cells);
  const shown = isOfTimes(type) ? [format] : cells.slice(0, measuredRows).map(cellText);
  // More than is shown need not be measured.
  const widths = shown.map((it) => stringWidth(it.slice(0, 2 * widest)) + 2);
  // The arrow of the filter stands beside the header.
  const width = Math.max(narrowest, Math.min(stringWidth(header) + 3, widestHeader), ...widths);
  return {
    header: xmlText(header),
    format,
    isId,
    isText: format === '@' || isId || type === 'mixed',
    width: Math.min(widest, width),
    valueAt: (row) => sheetValue(cells[row], type),
    ...(amounts.includes(undefined) && {
      formatAt: (row) =>
        amounts[row] === undefined ? formatOf(columnType([cells[row]]), [cells[row]]) : undefined,
    }),
  };
}

/** A column whose cells are each shown in their own way, by the names of what they hold. */
export function mixedColumn(
  header: string,
  cells: readonly unknown[],
  names: readonly string[],
): SheetColumn {
  const own = cells.map((cell, row) => sheetColumn(names[row] ?? '', [cell], undefined, ''));
  return {
    header,
    format: '@',
    isId: false,
    isText: true,
    width: Math.max(stringWidth(header) + 3, ...own.map(({ width }) => width)),
    valueAt: (row) => own[row]?.valueAt(0) ?? null,
    formatAt: (row) => own[row]?.format,
  };
}

/** Whether a cell holds more characters than one of a sheet can. */
export function isCut(cell: unknown): boolean {
  return cellText(cell).length > mostCharacters;
}

/** As many decimals as any cell of the column has, so that nothing is shown rounded. */
function formatOf(type: ColumnType, cells: readonly unknown[]): string {
  if (type === 'day') return 'yyyy-mm-dd';
  if (type === 'timestamp') return 'yyyy-mm-dd hh:mm:ss';
  if (type === 'integer') return '0';
  if (type === 'text' || type === 'nested') return '@';
  const decimals = cells.reduce<number>((most, cell) => Math.max(most, decimalsOf(cell)), 0);
  return decimals > 0 ? `0.${'0'.repeat(Math.min(decimals, mostDigits))}` : 'General';
}

function sheetValue(cell: unknown, type: ColumnType): SheetValue {
  if (cell === undefined || cell === null || cell === '') return null;
  if (typeof cell === 'boolean') return cell;
  const number = isOfTimes(type) ? serialOf(cell) : exactNumber(cell, type);
  if (number !== undefined && type !== 'text') return number;
  const text = cellText(cell).slice(0, mostCharacters);
  // Half of a character of two units would be none.
  const plain = xmlText(text.replace(/[\uD800-\uDBFF]$/, ''));
  const encoded = plain.replace(/_(?=x[\da-f]{4}_)/gi, '_x005F_');
  // As rich text alone every program decodes it.
  return encoded === plain ? plain : { richText: [{ text: encoded }] };
}

function xmlText(text: string): string {
  return text.replace(/[\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD');
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
