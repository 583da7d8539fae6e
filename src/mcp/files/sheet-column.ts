import { readTimestamp, spreadsheetClock } from '../../core/calendar.ts';
import { isAmountName, isIdentifier } from '../../core/column-name.ts';
import { cellText, columnType, isNumberType, isTimeType } from '../../core/column-type.ts';
import { isNumeric } from '../../core/money.ts';
import { cutText } from '../../core/text.ts';
import { writeFigures } from '../answers/table.ts';

/** Longest text that a cell holds, in characters. */
const maxCharacters = 32_767;
/** Most digits that a cell keeps of a number. */
const maxDigits = 15;
/** Widths of columns in characters. A column is as wide as the widest of its first cells. */
const widths = { min: 8, max: 60, measuredRows: 1000 };

const textFormat = '@';
const amountFormat = '#,##0.00';

type SheetValue = string | number | boolean | null;

export type SheetColumn = ReturnType<typeof sheetColumn>;

/**
 * Days and moments become dates by Amsterdam's clock and amounts get two decimals; ids, codes and values that a
 * spreadsheet would change become texts.
 * @param measures the measure of each row, where rows differ in it
 */
export function sheetColumn(
  name: string,
  cells: readonly unknown[],
  measures: readonly unknown[] | undefined,
) {
  const type = isIdentifier(name) ? 'text' : columnType(cells, name);
  const amounts = isNumberType(type) ? writeFigures(name, cells, measures) : [];
  const isAmount = amounts.length > 0 || (isAmountName(name) && type === 'integer');
  const format = isAmount ? amountFormat : formatOf(type);
  const valueAt = (row: number): SheetValue => {
    const cell = cells[row];
    if (cell === undefined || cell === null || cell === '') return null;
    if (typeof cell === 'boolean') return cell;
    const number = isTimeType(type) ? serialOf(cell) : exactNumber(cell);
    return number !== undefined && type !== 'text' && type !== 'mixed' ? number : textOf(cell);
  };
  const texts = isTimeType(type) ? [format] : cells.slice(0, widths.measuredRows).map(cellText);
  const longest = Math.max(widths.min, ...[name, ...texts].map(({ length }) => length + 2));
  return {
    header: textOf(name),
    format,
    width: Math.min(widths.max, longest),
    valueAt,
    /** The format of a cell that differs from its column, such as a count among amounts. */
    formatAt: (row: number) =>
      amounts.length > 0 && amounts[row] === undefined ? 'General' : undefined,
  };
}

function formatOf(type: ReturnType<typeof columnType>): string {
  if (type === 'day') return 'yyyy-mm-dd';
  if (type === 'timestamp') return 'yyyy-mm-dd hh:mm:ss';
  return isNumberType(type) || type === 'boolean' ? 'General' : textFormat;
}

/** A text that is too long ends in `…`. Characters that XML forbids are replaced: no program opens a file with them. */
function textOf(cell: unknown): string {
  const text = cellText(cell);
  const fitting = text.length > maxCharacters ? `${cutText(text, maxCharacters - 1)}…` : text;
  return fitting.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
}

/** Undefined where a cell would lose digits of the number. */
function exactNumber(cell: unknown): number | undefined {
  if (!isNumeric(cell)) return undefined;
  const digits = String(cell).replace(/^-?[0.]*|\.|e.*$/g, '');
  return digits.length <= maxDigits ? Number(cell) : undefined;
}

/** A day or a moment by Amsterdam's clock as the serial number of a spreadsheet. */
function serialOf(cell: unknown): number | undefined {
  const time = readTimestamp(cell);
  if (time === undefined) return undefined;
  const clockMs = Date.parse(`${spreadsheetClock(time.ms).replace(' ', 'T')}Z`);
  const days = clockMs / 86_400_000 + 25_569;
  // Spreadsheets disagree about days before March 1900, and have none after 9999.
  return days >= 61 && days < 2_958_466 ? days : undefined;
}
