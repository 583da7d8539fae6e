/** Reads a business's own tables: CSV files of spreadsheets, Dutch ones too. */
import { setImmediate } from 'node:timers/promises';
import { type Day, isDay } from '../../core/calendar.ts';
import { isCodeName, isDayName, isDecimalName, isTextName } from '../../core/column-name.ts';
import type { FieldTypes } from '../../core/column-type.ts';
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

interface CsvRecord {
  line: number;
  /** Undefined where a quote does not close. */
  cells: readonly string[] | undefined;
}

/** By kind, the value of a cell; undefined where the cell is not of the kind. */
const readers = {
  flag(cell: string): boolean | undefined {
    if (/^(true|waar|ja|yes)$/i.test(cell)) return true;
    return /^(false|onwaar|nee|no)$/i.test(cell) ? false : undefined;
  },
  /** `2026-11-05`, or `05-11-2026` as Dutch Excel writes it. */
  day(cell: string): Day | undefined {
    const [, date = '', month = '', year] = /^(\d{1,2})-(\d{1,2})-(\d{4})$/.exec(cell) ?? [];
    const day = year ? `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}` : cell;
    return isDay(day) ? day : undefined;
  },
  number(cell: string): number | string | undefined {
    return asNumber(/^(?:€\s*)?(-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.exec(cell)?.[1]);
  },
  /** `1.234,50`, `1234,50`. */
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

/** A text, where JavaScript would lose digits. */
function asNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && text.replace(/\D/g, '').length <= 15 ? Number(text) : text;
}

/** A column has the kind of so many of its cells; rows with other cells are left out. */
const minShare = 3 / 4;

const maxNamed = 3;

/** A small file may hold so many short cells that a statement would take seconds and hundreds of megabytes. */
const maxCells = 1_000_000;
const maxColumns = 1000;

/** Cells that are read between two pauses. */
const cellsAtOnce = 20_000;

/**
 * Reads a file of comments, a header and rows, with pauses in which others are served.
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
  const all: CsvRecord[] = [];
  const file = recordsIn(lines.slice(start).join('\n'), delimiter, start + 1);
  for await (const record of withPauses(file)) all.push(record);
  const [head, ...records] = all;
  const names = (head?.cells ?? header.split(delimiter)).map((name) => name.trim());
  const filled = names.map((name, at) => {
    return { name, cells: records.flatMap(({ cells }) => cells?.[at] || []) };
  });
  // 1.000 is a thousand only if the file has decimal commas.
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
      unread: tableMessages.rows_unread({ table, count, rows: unread.slice(0, maxNamed) }),
    }),
  };
}

/** The delimiter that the header has most often. */
function delimiterOf(header: string): string {
  const count = (sign: string) => header.split(sign).length;
  return [';', '\t', '|', ','].reduce((a, b) => (count(b) > count(a) ? b : a), ',');
}

/** Leaves out blank records. */
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
    // A quote that does not close ends with its line.
    next = match ? cell.lastIndex : lineEnd === -1 ? text.length : lineEnd + 1;
    if (match === null) yield { line, cells: undefined };
    else if (cells.some((text) => text !== '')) yield { line, cells };
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
  return countOf(cells, kind) >= minShare * cells.length;
}

/** @param cells those with a value */
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
