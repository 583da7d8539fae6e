/** Reads a business's own tables: CSV files of spreadsheets, Dutch ones too. */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { isDay } from '../../core/calendar.ts';
import { isDayName, isDecimalName, isTextName } from '../../core/column-name.ts';
import { columnType, type FieldTypes } from '../../core/column-type.ts';
import { InputError } from '../../core/errors.ts';
import type { Row } from '../rows/rows.ts';
import { tableMessages, type UnreadRow } from './messages.ts';

export interface OwnTable {
  /** The comments before the header. */
  description: string;
  columns: FieldTypes;
  rows: readonly Row[];
  unread?: ReturnType<typeof tableMessages.rows_unread>;
}

type Cell = string | number | boolean | null;

/** `line`: the last line of the record. */
interface CsvRecord {
  line: number;
  cells: Readonly<Record<string, string>>;
}

type Kind = 'flag' | 'day' | 'number' | 'text';

interface Column {
  name: string;
  kind: Kind;
  /** By row; undefined where a cell is not of the kind. */
  values: readonly (Cell | undefined)[];
}

/** The share of its cells that decides a column's kind; rows with other cells are left out. */
const minShare = 3 / 4;

const maxNamed = 3;

/** A small file may hold so many short cells that a statement would take seconds and hundreds of megabytes. */
const maxCells = 1_000_000;
const maxColumns = 1000;

/** Characters and cells that are read between two pauses, in which others are served. */
const sliceLength = 16_000;
const cellsAtOnce = 20_000;

/** A cell such as `€ 1.234,50` in a file that Dutch Excel wrote. */
const decimalComma = /(^|;)\s*"?(€\s*)?-?[\d.]*\d,\d{1,9}"?\s*(;|$)/m;

/**
 * Reads a file of comments, a header and rows.
 * @param needed columns in which each row must have a value; in `day`, a day
 * @throws {InputError} for a file of nothing but comments, or of too many columns or cells
 */
export async function readOwnTable(
  table: string,
  text: string,
  needed: readonly string[],
): Promise<OwnTable> {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  const header = lines[start];
  if (header === undefined) throw new InputError(tableMessages.only_comments());
  const delimiter = delimiterOf(header);
  const names = header.split(delimiter).map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  const cellCount = lines.length + text.split(delimiter).length;
  if (cellCount > maxCells || names.length > maxColumns)
    throw new InputError(tableMessages.too_many_cells({ cells: maxCells, columns: maxColumns }));
  const { records, unread } = await readRecords(text, delimiter, names, start + 1);
  // 1.000 is a thousand only if the file has decimal commas.
  const isDutch = delimiter === ';' && decimalComma.test(text);
  const columns: Column[] = [];
  for (const name of names) {
    const cells = records.map((record) => record.cells[name] ?? '');
    columns.push(columnOf(name, cells, isDutch));
    await setImmediate();
  }
  const rows: Row[] = [];
  const rowsAtOnce = Math.ceil(cellsAtOnce / names.length);
  for (const [index, { line }] of records.entries()) {
    if (index % rowsAtOnce === 0) await setImmediate();
    const row = Object.fromEntries(columns.map(({ name, values }) => [name, values[index]]));
    const fault = faultOf(row, columns, needed);
    const day = String(row[columns.find(({ kind }) => kind === 'day')?.name ?? '']);
    if (fault) unread.push({ line, ...fault, ...(isDay(day) && { day }) });
    else rows.push(row);
  }
  const count = unread.length;
  const named = unread.sort((a, b) => a.line - b.line).slice(0, maxNamed);
  const comments = lines.slice(0, start).map((line) => line.replace('#', '').trim());
  return {
    description: comments.join(' ').trim(),
    rows,
    columns: Object.fromEntries(columns.map((column) => [column.name, typeOf(column)])),
    ...(count > 0 && { unread: tableMessages.rows_unread({ table, count, rows: named }) }),
  };
}

/** The delimiter that the header has most often. */
function delimiterOf(header: string): string {
  const count = (sign: string) => header.split(sign).length;
  return [';', '\t', '|', ','].reduce((a, b) => (count(b) > count(a) ? b : a), ',');
}

/** Reads the records after some lines. A quote that does not close makes each of its lines unread. */
async function readRecords(text: string, delimiter: string, names: string[], skipped: number) {
  const { parse } = await import('csv-parse');
  const unread: UnreadRow[] = [];
  let lastLine = skipped;
  const parser = parse<CsvRecord, CsvRecord['cells']>({
    columns: names,
    delimiter,
    from_line: skipped + 1,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    trim: true,
    on_record(cells, { lines: line }) {
      lastLine = line;
      return { line, cells };
    },
    on_skip(error) {
      const wants = error?.code === 'CSV_RECORD_INCONSISTENT_COLUMNS' ? 'cells' : 'quotes';
      while (lastLine < Number(error?.lines)) unread.push({ line: ++lastLine, wants });
    },
  });
  const records: CsvRecord[] = await Readable.from(slicesOf(text)).compose(parser).toArray();
  return { records, unread };
}

async function* slicesOf(text: string): AsyncGenerator<string> {
  for (let from = 0; from < text.length; from += sliceLength) {
    yield text.slice(from, from + sliceLength);
    await setImmediate();
  }
}

const dutchDay = /^(\d{1,2})-(\d{1,2})-(\d{4})$/;
const plainNumber = /^(?:€\s*)?(-?(?:0|[1-9]\d*)(?:\.\d+)?)$/;
const dutchNumber = /^(?:€\s*)?(-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d{1,9})?)$/;

/** `ja`, `05-11-2026` and `€ 12.50` are a truth, a day and a number; other cells are texts. */
function readCell(cell: string, isDutch: boolean): Cell {
  if (cell === '') return null;
  if (/^(true|waar|ja|yes)$/i.test(cell)) return true;
  if (/^(false|onwaar|nee|no)$/i.test(cell)) return false;
  const [, date = '', month = '', year] = dutchDay.exec(cell) ?? [];
  const day = year ? `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}` : cell;
  if (isDay(day)) return day;
  const [, digits = ''] = (isDutch ? dutchNumber : plainNumber).exec(cell) ?? [];
  const number = isDutch ? digits.replaceAll('.', '').replace(',', '.') : digits;
  // JavaScript would lose digits of a longer number.
  return number !== '' && number.replace(/\D/g, '').length <= 15 ? Number(number) : cell;
}

function columnOf(name: string, cells: readonly string[], isDutchFile: boolean): Column {
  const plain = cells.map((cell) => readCell(cell, false));
  const dutch = isDutchFile ? cells.map((cell) => readCell(cell, true)) : plain;
  const all = countOf(dutch, 'number') < countOf(plain, 'number') ? plain : dutch;
  const kind = kindOfColumn(name, all);
  if (kind === 'text') return { name, kind, values: cells.map((cell) => cell || null) };
  const values = all.map((value) => (value === null || kindOf(value) === kind ? value : undefined));
  return { name, kind, values };
}

function kindOfColumn(name: string, values: readonly Cell[]): Kind {
  const isAny = (kind: Kind) => countOf(values, kind) > 0;
  const filled = values.filter((value) => value !== null);
  if (filled.length === 0 || isTextName(name)) return 'text';
  if (isDayName(name)) return isAny('day') ? 'day' : 'text';
  if (isDecimalName(name) && isAny('number')) return 'number';
  const isMost = (kind: Kind) => countOf(filled, kind) >= minShare * filled.length;
  return (['flag', 'day', 'number'] as const).find(isMost) ?? 'text';
}

function countOf(values: readonly Cell[], kind: Kind): number {
  return values.filter((value) => value !== null && kindOf(value) === kind).length;
}

function kindOf(value: NonNullable<Cell>): Kind {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'flag';
  return isDay(value) ? 'day' : 'text';
}

function faultOf(
  row: Row,
  columns: readonly Column[],
  needed: readonly string[],
): Pick<UnreadRow, 'wants' | 'column'> | undefined {
  for (const { name: column, kind } of columns) {
    if (row[column] === undefined) return { wants: kind, column };
    if (!needed.includes(column)) continue;
    if (row[column] === null) return { wants: 'value', column };
    if (column === 'day' && kind !== 'day') return { wants: 'day', column };
  }
  return undefined;
}

function typeOf({ kind, values }: Column): FieldTypes[string] {
  if (kind !== 'number') return kind === 'flag' ? 'boolean' : kind;
  return columnType(values) === 'integer' ? 'integer' : 'decimal';
}
