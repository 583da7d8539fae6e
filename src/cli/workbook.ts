/** Answers as a workbook for Excel and LibreOffice: a sheet of rows for each, and one that says what they are. */
import { setImmediate } from 'node:timers/promises';
import { type CellRichTextValue, WorkbookWriter } from '@cj-tech-master/excelts';
import stringWidth from 'string-width';
import { readColumns } from '../analysis/rows/rows.ts';
import { readTimestamp, spreadsheetClock } from '../core/calendar.ts';
import { isAmountName, isIdentifier } from '../core/column-name.ts';
import { type ColumnType, cellText, columnType, isOfTimes } from '../core/column-type.ts';
import { decimalsOf, isNumeric } from '../core/money.ts';
import { countNoun, sayCount } from '../core/text.ts';
import { writeFigures } from '../mcp/answers/table.ts';
import { CommandError } from './command-line.ts';
import { type AboutLine, aboutLines, type FlatAnswer } from './flat-answer.ts';
import { writeWhole } from './write-whole.ts';

/** Rows that a sheet holds, the header included; letters of its name. */
const [mostRows, longestName] = [1_048_576, 31];
/** Rows that are written before the packer and the disk have their turn. */
const rowsAtOnce = 500;

/** An answer with the title of its sheet. @default the name of the tool */
export type Sheet = FlatAnswer & { title?: string };

/**
 * Writes the rows of answers into a workbook, and what was asked, of where and when, what is missing and the
 * warnings into its last sheet. Rows are packed as they are written: no second copy of them is in memory.
 *
 * @param others what its last sheet says beside
 * @returns what a reader of the rows has to know beside them
 * @throws {Error} for more rows than a sheet holds, and for a file that cannot be written
 */
export async function writeWorkbook(
  path: string,
  flats: readonly Sheet[],
  others: readonly AboutLine[] = [],
): Promise<string[]> {
  const most = mostRows - 1;
  const long = flats.find(({ rows }) => rows.length > most);
  if (long)
    throw new CommandError({ code: 'too_many_for_sheet', path, rows: long.rows.length, most });
  const sheets = flats.map((flat, at) => {
    const name = flat.title === undefined ? flat.toolCall.tool : `${at + 1} ${flat.title}`;
    return { ...sheetOf(flat), name: name.replaceAll(/[[\]:*?/\\]/g, ' ').slice(0, longestName) };
  });
  const about = sheets.flatMap((sheet) => [
    ...(sheets.length > 1 ? [['Sheet', sheet.name] as const] : []),
    ...sheet.about,
  ]);
  const lines = [...about, ...others];
  await writeWhole(path, async (draft) => {
    const book = new WorkbookWriter({ filename: draft, useStyles: true });
    for (const { name, columns, rows } of sheets) await writeSheet(book, name, columns, rows);
    await writeSheet(book, 'About', aboutColumns(lines), lines.length);
    await book.commit();
  });
  return sheets.flatMap(({ notes }) => notes);
}

function sheetOf(flat: FlatAnswer) {
  const { rows } = flat;
  const read =
    rows.length > 0 ? [...readColumns(rows)] : flat.columns.map((it) => [it, []] as const);
  const measures = read.find(([name]) => name === 'measure')?.[1];
  const columns = read.map(([name, cells]) => sheetColumn(name, cells, measures));
  const cut = read.reduce((sum, [, cells]) => sum + cells.filter(isCut).length, 0);
  const limit = sayCount(mostCharacters);
  const notes = cut > 0 ? [`${countNoun(cut, 'text')} cut after ${limit} characters`] : [];
  const about = [...aboutLines(flat), ...notes.map((it) => ['Not whole', it] as const)];
  return { columns, rows: rows.length, about, notes };
}

async function writeSheet(
  book: WorkbookWriter,
  name: string,
  columns: readonly SheetColumn[],
  rows: number,
): Promise<void> {
  const sheet = book.addWorksheet(name, {
    views: [{ state: 'frozen', ySplit: 1 }],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  });
  sheet.columns = columns.map(({ header, width, format }) => {
    return { header, width, style: { numFmt: format } };
  });
  if (columns.length > 0)
    sheet.autoFilter = {
      from: { row: 1, column: 1 },
      to: { row: rows + 1, column: columns.length },
    };
  const head = sheet.getRow(1);
  head.font = { name: 'Calibri', size: 11, bold: true };
  head.commit();
  for (let at = 0; at < rows; at += 1) {
    const row = sheet.addRow(columns.map(({ valueAt }) => valueAt(at)));
    for (const [index, { formatAt }] of columns.entries()) {
      const format = formatAt?.(at);
      if (format) row.getCell(index + 1).numFmt = format;
    }
    row.commit();
    if (at % rowsAtOnce === 0) await setImmediate();
  }
  sheet.commit();
}

function aboutColumns(lines: readonly AboutLine[]): SheetColumn[] {
  const values = lines.map(([, value]) =>
    sheetColumn('Value', [typeof value === 'boolean' ? String(value) : value]),
  );
  const names = lines.map(([what]) => what);
  const value: SheetColumn = {
    ...{ header: 'Value', width: 90, format: '@' },
    valueAt: (row) => values[row]?.valueAt(0) ?? null,
    formatAt: (row) => values[row]?.format,
  };
  return [{ ...sheetColumn('What', names), width: 28 }, value];
}

type SheetValue = string | number | boolean | null | CellRichTextValue;

/** A column of a sheet: what each of its cells holds, and how they are shown. */
interface SheetColumn {
  header: string;
  width: number;
  format: string;
  valueAt(row: number): SheetValue;
  /** Of a cell that is shown in another way than its column. */
  formatAt?(row: number): string | undefined;
}

const mostCharacters = 32_767;
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
  const type = columnType(cells, header);
  const amounts = isIdentifier(header) ? [] : writeFigures(header, cells, measures);
  const isWholeEuros = isAmountName(header) && type === 'integer';
  const format = amounts.length > 0 || isWholeEuros ? '#,##0.00' : formatOf(type, cells);
  const shown = isOfTimes(type) ? [format] : cells.slice(0, measuredRows).map(cellText);
  // More than is shown need not be measured.
  const widths = shown.map((it) => stringWidth(it.slice(0, 2 * widest)) + 2);
  // The arrow of the filter stands beside the header.
  const width = Math.max(narrowest, stringWidth(header) + 3, ...widths);
  return {
    ...{ header: xmlText(header), format },
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
