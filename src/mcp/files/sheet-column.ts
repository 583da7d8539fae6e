/** A column of rows as one of a sheet: what its cells hold, and how they are shown. */
import { readTimestamp, spreadsheetClock } from '../../core/calendar.ts';
import { isAmountName, isIdentifier } from '../../core/column-name.ts';
import { cellText, columnType, isOfNumbers, isOfTimes } from '../../core/column-type.ts';
import { isNumeric } from '../../core/money.ts';
import { cutText } from '../../core/text.ts';
import { writeFigures } from '../answers/table.ts';

/** Characters of a text that a cell holds. */
const maxCharacters = 32_767;
/** Digits of a number that a cell holds. */
const maxDigits = 15;
/** Widths of columns, in characters; a column is as wide as the widest of its first cells. */
const widths = { least: 8, most: 60, measuredRows: 1000 };

const textFormat = '@';
const amountFormat = '#,##0.00';

/** What a cell of a sheet holds; nothing for null. */
type SheetValue = string | number | boolean | null;

/** A column of a sheet. */
export type SheetColumn = ReturnType<typeof sheetColumn>;

/**
 * Days and moments are dates by Amsterdam's clock, amounts numbers with two decimals, other numbers have all of their
 * decimals; ids, codes and what a spreadsheet would change are texts.
 * @param measures what each row measures, in rows that say so
 */
export function sheetColumn(
  name: string,
  cells: readonly unknown[],
  measures: readonly unknown[] | undefined,
) {
  const type = isIdentifier(name) ? 'text' : columnType(cells, name);
  const amounts = isOfNumbers(type) ? writeFigures(name, cells, measures) : [];
  const isAmount = amounts.length > 0 || (isAmountName(name) && type === 'integer');
  const format = isAmount ? amountFormat : formatOf(type);
  const valueAt = (row: number): SheetValue => {
    const cell = cells[row];
    if (cell === undefined || cell === null || cell === '') return null;
    if (typeof cell === 'boolean') return cell;
    const number = isOfTimes(type) ? serialOf(cell) : exactNumber(cell);
    return number !== undefined && type !== 'text' && type !== 'mixed' ? number : textOf(cell);
  };
  const shown = isOfTimes(type) ? [format] : cells.slice(0, widths.measuredRows).map(cellText);
  const longest = Math.max(widths.least, ...[name, ...shown].map(({ length }) => length + 2));
  return {
    header: textOf(name),
    format,
    width: Math.min(widths.most, longest),
    valueAt,
    /** The format of a cell where it is another than that of the column: of a count among amounts. */
    formatAt: (row: number) =>
      amounts.length > 0 && amounts[row] === undefined ? 'General' : undefined,
  };
}

function formatOf(type: ReturnType<typeof columnType>): string {
  if (type === 'day') return 'yyyy-mm-dd';
  if (type === 'timestamp') return 'yyyy-mm-dd hh:mm:ss';
  return isOfNumbers(type) || type === 'boolean' ? 'General' : textFormat;
}

/** A text that is too long ends in `…`. What XML has no place for is replaced: with it no program opens the file. */
function textOf(cell: unknown): string {
  const text = cellText(cell);
  const held = text.length > maxCharacters ? `${cutText(text, maxCharacters - 1)}…` : text;
  return held.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
}

/** A number that a cell holds with all of its digits. */
function exactNumber(cell: unknown): number | undefined {
  if (!isNumeric(cell)) return undefined;
  const digits = String(cell).replace(/^-?[0.]*|\.|e.*$/g, '');
  return digits.length <= maxDigits ? Number(cell) : undefined;
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
