/** A business's own tables: CSV files as spreadsheets save them, Dutch ones too. */
import { setImmediate } from 'node:timers/promises';
import { type Day, isDay } from '../../core/calendar.ts';
import { isCodeName, isDayName, isDecimalName, isTextName } from '../../core/column-name.ts';
import type { FieldTypes } from '../../core/column-type.ts';
import { InputError } from '../../core/errors.ts';
import type { Row } from '../rows/rows.ts';
import { tableMessages, type UnreadRow } from './messages.ts';

export interface OwnTable {
  /** Of the lines before the header. */
  description: string;
  columns: FieldTypes;
  rows: readonly Row[];
  unread?: ReturnType<typeof tableMessages.rows_unread>;
}

/** A row of a file: its cells, or none where a quote does not close. */
interface CsvRecord {
  line: number;
  cells: readonly string[] | undefined;
}

/** What a cell may be; undefined where it is none. */
const readers = {
  flag(cell: string): boolean | undefined {
    if (/^(true|waar|ja|yes)$/i.test(cell)) return true;
    return /^(false|onwaar|nee|no)$/i.test(cell) ? false : undefined;
  },
  /** `2026-11-05`, or as a Dutch Excel has it `05-11-2026`. */
  day(cell: string): Day | undefined {
    const [, date = '', month = '', year] = /^(\d{1,2})-(\d{1,2})-(\d{4})$/.exec(cell) ?? [];
    const day = year ? `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}` : cell;
    return isDay(day) ? day : undefined;
  },
  number(cell: string): number | string | undefined {
    return asNumber(/^(?:€\s*)?(-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.exec(cell)?.[1]);
  },
  /** Digits in threes, or without points; decimals behind a comma. */
  dutchNumber(cell: string): number | string | undefined {
    const [, whole, decimals = ''] =
      /^(?:€\s*)?(-?(?:\d{1,3}(?:\.\d{3})+|\d+))(?:,(\d{1,9}))?$/.exec(cell) ?? [];
    return asNumber(whole && `${whole.replaceAll('.', '')}${decimals && `.${decimals}`}`);
  },
  text: (cell: string): string => cell,
};

type Kind = keyof typeof readers;

interface Column {
  name: string;
  kind: Kind;
}

/** A number that JavaScript holds to its last digit; else its text. */
function asNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && text.replace(/\D/g, '').length <= 15 ? Number(text) : text;
}

/** A column holds what so many of its cells are: the others cannot be read. */
const enough = 3 / 4;

const mostNamed = 3;

/** More would take seconds and hundreds of megabytes in a statement, within the most bytes of a file too. */
const maxCells = 1_000_000;
const maxColumns = 1000;

/** Cells that are read between two pauses. */
const cellsAtOnce = 20_000;

/**
 * Reads a file of comments, a header and rows, with pauses in which others are served.
 * @param needed columns that a row must have a value in; of the column `day` a day
 * @throws {InputError} for one that holds nothing but comments, and for one of too many columns or cells
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
  const all: CsvRecord[] = [];
  const file = recordsIn(lines.slice(start).join('\n'), delimiter, start + 1);
  for await (const record of withPauses(file)) all.push(record);
  const [head, ...records] = all;
  const names = (head?.cells ?? header.split(delimiter)).map((name) => name.trim());
  const filled = names.map((name, at) => {
    return { name, cells: records.flatMap(({ cells }) => cells?.[at] || []) };
  });
  // 1.000 is a thousand only where a comma in the file says so.
  const isDutch =
    delimiter === ';' &&
    filled.some(({ name, cells }) => {
      const hasComma = !isCodeName(name) && cells.some((cell) => cell.includes(','));
      return hasComma && areMost(cells, 'dutchNumber');
    });
  const columns: Column[] = [];
  for (const { name, cells } of filled) {
    columns.push({ name, kind: kindOf(name, cells, isDutch) });
    await setImmediate();
  }
  const unread: UnreadRow[] = [];
  const rows: Row[] = [];
  for await (const { line, cells } of withPauses(records)) {
    const values = cells?.map((cell, at) =>
      cell === '' ? null : readers[columns[at]?.kind ?? 'text'](cell),
    );
    const fault = faultOf(values, columns, needed);
    if (fault === undefined) {
      rows.push(Object.fromEntries(names.map((name, at) => [name, values?.[at] ?? null])));
      continue;
    }
    const day = values?.[columns.findIndex(({ kind }) => kind === 'day')];
    unread.push({ line, ...fault, ...(typeof day === 'string' && { day }) });
  }
  const count = unread.length;
  const comments = lines.slice(0, start).map((line) => line.replace('#', '').trim());
  return {
    description: comments.join(' ').trim(),
    rows,
    columns: Object.fromEntries(columns.map((column) => [column.name, typeOf(rows, column)])),
    ...(count > 0 && {
      unread: tableMessages.rows_unread({ table, count, rows: unread.slice(0, mostNamed) }),
    }),
  };
}

/** What stands between cells: of those that occur in the header, the most frequent. */
function delimiterOf(header: string): string {
  const count = (it: string) => header.split(it).length;
  return [';', '\t', '|', ','].reduce((best, it) => (count(it) > count(best) ? it : best), ',');
}

/** The records of a text without the blank ones. */
function* recordsIn(text: string, delimiter: string, firstLine: number): Generator<CsvRecord> {
  const mark = delimiter === '|' ? '\\|' : delimiter;
  const cell = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|([^"\\r\\n${mark}]*))(${mark}|\\r?\\n|\\r?$)`,
    'y',
  );
  let line = firstLine;
  let cellCount = 0;
  for (let at = 0, next = 0; at < text.length; at = next) {
    const cells: string[] = [];
    let match: RegExpExecArray | null;
    cell.lastIndex = at;
    do {
      match = cell.exec(text);
      cells.push((match?.[1]?.replaceAll('""', '"') ?? match?.[2] ?? '').trim());
    } while (match?.[3] === delimiter);
    const lineEnd = text.indexOf('\n', at);
    // After a quote that does not close, the next line is a record again.
    next = match ? cell.lastIndex : lineEnd === -1 ? text.length : lineEnd + 1;
    if (match === null) yield { line, cells: undefined };
    else if (cells.some((it) => it !== '')) yield { line, cells };
    line += text.slice(at, next).split('\n').length - 1;
    cellCount += cells.length;
    if (cellCount > maxCells || cells.length > maxColumns)
      throw new InputError(tableMessages.too_many_cells({ cells: maxCells, columns: maxColumns }));
  }
}

async function* withPauses(records: Iterable<CsvRecord>): AsyncGenerator<CsvRecord> {
  let cellCount = 0;
  for (const record of records) {
    cellCount += record.cells?.length ?? 1;
    if (cellCount > cellsAtOnce) {
      cellCount = 0;
      await setImmediate();
    }
    yield record;
  }
}

function countOf(cells: readonly string[], kind: Kind): number {
  return cells.filter((cell) => readers[kind](cell) !== undefined).length;
}

function areMost(cells: readonly string[], kind: Kind): boolean {
  return countOf(cells, kind) >= enough * cells.length;
}

/** The kind of a column by its name and the cells that have a value. */
function kindOf(name: string, cells: readonly string[], isDutch: boolean): Kind {
  if (cells.length === 0 || isTextName(name)) return 'text';
  if (isDayName(name)) return countOf(cells, 'day') > 0 ? 'day' : 'text';
  const isDutchColumn = isDutch && countOf(cells, 'dutchNumber') >= countOf(cells, 'number');
  const number = isDutchColumn ? 'dutchNumber' : 'number';
  if (isDecimalName(name) && countOf(cells, number) > 0) return number;
  return (['flag', 'day', number] as const).find((kind) => areMost(cells, kind)) ?? 'text';
}

function faultOf(
  values: readonly unknown[] | undefined,
  columns: readonly Column[],
  needed: readonly string[],
): Pick<UnreadRow, 'wants' | 'column'> | undefined {
  if (values === undefined) return { wants: 'quotes' };
  if (values.length !== columns.length) return { wants: 'cells' };
  for (const [at, { name: column, kind }] of columns.entries()) {
    const value = values[at];
    if (value === undefined) return { wants: kind, column };
    if (!needed.includes(column)) continue;
    if (value === null) return { wants: 'value', column };
    if (column === 'day' && !isDay(String(value))) return { wants: 'day', column };
  }
  return undefined;
}

function typeOf(rows: readonly Row[], { name, kind }: Column): FieldTypes[string] {
  if (kind === 'flag') return 'boolean';
  if (kind === 'day' || kind === 'text') return kind;
  const isWhole = rows.every((row) => row[name] === null || Number.isSafeInteger(row[name]));
  return isWhole ? 'integer' : 'decimal';
}
