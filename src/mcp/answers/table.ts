import type { Answer, RowsAnswer } from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import type { Labels } from '../../analysis/reference/reference.ts';
import type { ColumnProfile } from '../../analysis/rows/column-profile.ts';
import {
  type Columns,
  type Row,
  readColumns,
  requireColumn,
  selectFields,
} from '../../analysis/rows/rows.ts';
import { amsterdamClock, hourlyClock } from '../../core/calendar.ts';
import { fieldOf, isNoAmount } from '../../core/column-name.ts';
import { isEmptyCell } from '../../core/column-type.ts';
import { groupBy, ownValue, toText } from '../../core/json.ts';
import { isNumeric } from '../../core/money.ts';
import { dataLine, neutralise, neutralJson, serverLine } from '../../core/text.ts';

/** The values of each column, by its dotted name, and what decides how they are written. */
export interface TableInput {
  columns: ReadonlyMap<string, readonly unknown[]>;
  labels?: Labels;
  /** Columns that the caller requested, shown whatever they hold. */
  requested?: readonly string[];
  /** Whether the statement names a column; addresses are shown only in such columns. */
  isMentioned?: (column: string) => boolean;
  /** The argument that names columns. With it, addresses are shown only where it names them. */
  namedBy?: 'sql' | 'fields' | undefined;
  /** A column whose value stands above the rows instead. */
  heading?: string | undefined;
  /** Whether each row names its ids, however often they repeat. */
  hasNamesInRows?: boolean;
}

export function namesColumnsBy({ input: { shape } }: Pick<ToolDefinition, 'input'>) {
  return (['sql', 'fields'] as const).find((name) => name in shape);
}

export function requestedColumns({ toolCall }: Pick<Answer, 'toolCall'>): string[] {
  const { fields = [] } = toolCall.arguments;
  return [fields].flat().map(String);
}

/**
 * Rows with the requested columns only, if any are requested.
 * @throws {InputError} for a requested column that no row has
 */
export function selectRequested(answer: Answer, rows: readonly Row[]): readonly Row[] {
  const requested = requestedColumns(answer);
  for (const name of requested) requireColumn(rows, name, 'fields');
  return requested.length > 0 ? rows.map((row) => selectFields(row, requested)) : rows;
}

export function chooseColumns(answer: RowsAnswer): readonly Row[] {
  const { rows, redundantColumns = [] } = answer;
  const selected = selectRequested(answer, rows);
  if (selected !== rows || redundantColumns.length === 0) return selected;
  const isShown = ([name]: [string, unknown]) => !redundantColumns.includes(name);
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(isShown)));
}

export interface TextColumn {
  name: string;
  values: readonly unknown[];
  cells: readonly string[];
}

export type TextTable = ReturnType<typeof textTable>;

/** Rows as a table: column names once, names beside ids, and values that all rows share in a note above. */
export function textTable(input: TableInput) {
  const { columns: all, labels = {}, requested = [], isMentioned, namedBy } = input;
  const columns: TextColumn[] = [];
  const empty: string[] = [];
  const shared: string[] = [];
  const addresses: string[] = [];
  const legends: string[] = [];
  for (const [name, values] of all) {
    if (name === input.heading) continue;
    const heading = escapeCell(name);
    const isRequested = requested.some((field) => field === name || name.startsWith(`${field}.`));
    const isHidden = !isRequested && namedBy !== undefined && !isMentioned?.(name);
    if (isHidden && holdsAddresses(values)) {
      addresses.push(heading);
      continue;
    }
    const names = ownValue(labels, fieldOf(name));
    const cells = writeCells(name, values, all, names);
    const [first = ''] = cells;
    const hasLegend = names !== undefined && !isRequested && !input.hasNamesInRows;
    const legend = hasLegend ? legendOf(values, cells) : undefined;
    if (legend) {
      legends.push(`${heading}: ${legend.join(', ')}`);
      columns.push({ name, values, cells: values.map((value) => writeCell(value)) });
    } else if (isRequested || cells.length < 2 || cells.some((cell) => cell !== first))
      columns.push({ name, values, cells });
    else if (first === '') empty.push(heading);
    else shared.push(`${heading} ${escapeCell(first)}`);
  }
  const [anyColumn = []] = all.values();
  const escaped = columns.map(({ cells }) => escapeCells(cells));
  const lines = anyColumn.map((_, row) =>
    dataLine(escaped.map((cells) => cells[row] ?? '').join('|')),
  );

  /** Lines about shared values and columns that are left out. @param isWhole whether all rows are shown */
  function notes(isWhole = true): string[] {
    const where = isWhole ? 'every row' : 'the rows shown';
    const way = namedBy === 'sql' ? 'SELECT them by name' : 'Name them in fields';
    return [
      ...(empty.length > 0 ? [`Empty in ${where}: ${empty.join(', ')}`] : []),
      ...(shared.length > 0 ? [`Same in ${where}: ${shared.join(', ')}`] : []),
      ...(addresses.length > 0
        ? [`Addresses, not shown: ${addresses.join(', ')}. ${way} to see them.`]
        : []),
    ];
  }

  return { columns, lines, notes, legends, isHeaded: false };
}

/** The first `count` rows as text, below their notes. @param isWhole whether these are all rows */
export function writeTable(table: TextTable, count?: number, isWhole?: boolean): string {
  return tableLines(table, count, isWhole).join('\n');
}

export function tableLines(
  { columns, lines, notes, legends, isHeaded }: TextTable,
  count = lines.length,
  isWhole = true,
): string[] {
  if (count === 0) return [];
  const noteLines = [...notes(isWhole), ...legends].map(serverLine);
  const names = isHeaded ? [] : [tableLine(columns.map(({ name }) => name))];
  const rows = [...names, ...lines.slice(0, count)];
  return [...noteLines, ...(columns.length > 0 ? rows : [])];
}

/**
 * Rows in blocks by the value of one column. Above each block stand this value and the names of the other columns,
 * below it its end rows. The first and the last line of a block include what stands above and below it.
 * @param rows sorted by that column
 */
export function blockTable(
  rows: readonly Row[],
  { by, ends }: { by: string; ends: readonly Row[] },
  input: Omit<TableInput, 'columns' | 'heading'>,
): TextTable {
  const blocks = [...groupBy(rows, (row) => String(row[by]))].map(([value, blockRows]) => {
    return { value, rows: blockRows, ends: ends.filter((end) => end[by] === value) };
  });
  const all = blocks.flatMap((block) => [...block.rows, ...block.ends]);
  const isHeaded = blocks.length > 1 && all.length > blocks.length;
  const heading = isHeaded ? by : undefined;
  const table = textTable({ ...input, columns: readColumns(all), heading });
  const names = tableLine(table.columns.map(({ name }) => name));
  let at = 0;
  const lines = blocks.flatMap((block) => {
    const last = at + block.rows.length - 1;
    const end = last + block.ends.length + 1;
    const above = isHeaded ? [tableLine([block.value]), names] : [];
    const below = table.lines.slice(last + 1, end);
    const rowLines = table.lines.slice(at, last + 1).map((line, nth, { length }) => {
      const isLast = nth === length - 1;
      return [...(nth === 0 ? above : []), line, ...(isLast ? below : [])].join('\n');
    });
    at = end;
    return rowLines;
  });
  return { ...table, lines, isHeaded };
}

/** Tables of at least so many rows name repeated ids once, above the rows. */
const minRows = 20;

const minRepeats = 4;

/**
 * The ids of a long column with their names, where few ids repeat often; otherwise undefined, and each row names its
 * id.
 */
function legendOf(values: readonly unknown[], cells: readonly string[]): string[] | undefined {
  if (cells.length < minRows) return undefined;
  const namedCells = cells.filter((cell, row) => cell !== writeCell(values[row]));
  const distinct = [...new Set(namedCells)];
  const isWorth = distinct.length > 1 && distinct.length * minRepeats <= namedCells.length;
  return isWorth ? distinct.map(escapeCell) : undefined;
}

/** Cells as one line, separated by `|`. */
export function tableLine(cells: readonly string[]): string {
  return dataLine(escapeCells(cells).join('|'));
}

/** The values of one of the columns as text, ids with their names. */
function writeCells(
  name: string,
  values: readonly unknown[],
  columns: TableInput['columns'],
  names?: Record<string, string>,
): readonly string[] {
  if (names) return values.map((value) => writeCell(value, names));
  const written = writeFigures(name, values, columns.get('measure') ?? columns.get('part'));
  return clockTimes(values).map((value, row) => written[row] ?? writeCell(value));
}

/** The value of a record's field as text. @param record may hold the field's measure */
export function writeField(
  name: string,
  value: unknown,
  record: Row,
  names?: Record<string, string>,
) {
  if (names) return writeCell(value, names);
  const measure = toText(record.measure ?? record.part);
  const isAmount = hasFraction(value) && !isNoAmount(name) && !isNoAmount(measure);
  const text = typeof value === 'string' ? amsterdamClock(value) : undefined;
  return (isAmount ? withTwoDecimals(value) : text) ?? writeCell(value);
}

function clockTimes(values: readonly unknown[]): readonly unknown[] {
  const first = values.find((value) => typeof value === 'string');
  if (first === undefined || amsterdamClock(first) === undefined) return values;
  const read = hourlyClock();
  return values.map((value) => (typeof value === 'string' && read(value)) || value);
}

/** UTC where some column came in UTC: the text shows all moments by Amsterdam's clock. */
export function clockOf(columns: Columns): 'UTC' | undefined {
  // Columns of many rows that few rows fill are slow to search: the first filled cell tells what a column holds.
  const firsts = [...columns.values()].map((cells) => cells.find((cell) => !isEmptyCell(cell)));
  const isUtc = (cell: unknown) =>
    typeof cell === 'string' && /(Z|[+-]00:?00)$/.test(cell) && amsterdamClock(cell) !== undefined;
  return firsts.some(isUtc) ? 'UTC' : undefined;
}

function holdsAddresses(values: readonly unknown[]): boolean {
  const isBlank = (value: unknown) => value === null || value === undefined || value === '';
  const isAddress = (value: unknown) => typeof value === 'string' && /^https?:\/\/\S+$/.test(value);
  return values.every((value) => isBlank(value) || isAddress(value)) && values.some(isAddress);
}

/** A value as text: null is empty, an id is followed by its name. */
export function writeCell(value: unknown, names?: Record<string, string>): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return neutralJson(value);
  if (value === '') return '""';
  const text = String(value);
  const name = ownValue(names, text);
  return name === undefined ? text : `${text} ${name}`;
}

/** Printable ASCII without `|` and `\`, as most cells are: nothing to escape. */
const plainText = /^[ -[\]-{}~]*$/;

/** A text as one cell: on one line, without an unescaped `|`. */
export function escapeCell(text: string): string {
  if (plainText.test(text)) return text;
  return neutralise(text.replace(/[\\|]/g, '\\$&'));
}

/** Joins all cells first: usually none needs an escape. */
function escapeCells(cells: readonly string[]): readonly string[] {
  return plainText.test(cells.join('')) ? cells : cells.map(escapeCell);
}

/**
 * Amounts of a column with two decimals, if one has decimals and none has more than two. A cell is undefined where
 * the value stays as it came.
 * @param measures the measure of each row, where rows differ in it
 */
export function writeFigures(
  name: string,
  values: readonly unknown[],
  measures: readonly unknown[] = [],
): (string | undefined)[] {
  if (!values.some(hasFraction) || isNoAmount(name)) return [];
  let hasDecimals = false;
  const written: (string | undefined)[] = [];
  for (const [row, value] of values.entries()) {
    const isOther = row in measures && isNoAmount(String(measures[row] ?? ''));
    const isAmount = isNumeric(value) && !isOther;
    const text = isAmount ? withTwoDecimals(value) : undefined;
    if (isAmount && text === undefined) return [];
    hasDecimals ||= text !== undefined && !text.endsWith('.00');
    written.push(text);
  }
  return hasDecimals ? written : [];
}

function hasFraction(value: unknown): value is number | string {
  return isNumeric(value) && !Number.isInteger(Number(value));
}

/** Undefined where the number has more decimals, or more digits than a double holds. */
function withTwoDecimals(value: number | string): string | undefined {
  const number = Number(value);
  // Much cheaper than toFixed: V8 remembers the texts of numbers.
  const text = String(number);
  const decimals = Number.isInteger(number) ? 0 : text.length - text.indexOf('.') - 1;
  if (Math.abs(number) >= 1e13 || decimals > 2) return undefined;
  if (decimals === 0) return `${text}.00`;
  return decimals === 1 ? `${text}0` : text;
}

/** A line for each column: `total_wt: sum 1234.50, min 2.5, max 310`. */
export function profileLines(columns: readonly ColumnProfile[], labels: Labels = {}): string[] {
  return columns.map((profile) => {
    const { name, type, sum, min, max, values = {}, distinct, empty } = profile;
    const names = ownValue(labels, fieldOf(name));
    const figures = [sum, min, max];
    const amounts = writeFigures(name, figures);
    const written = clockTimes(figures).map((figure, at) => amounts[at] ?? figure);
    const clocks = clockTimes(Object.keys(values));
    const parts = [
      ...['sum', 'min', 'max'].flatMap((word, at) =>
        written[at] === undefined ? [] : [`${word} ${written[at]}`],
      ),
      ...Object.entries(values).map(([value, count], at) => {
        const label = ownValue(names, value);
        const clock = String(clocks[at]);
        return `${neutralise(label === undefined ? clock : `${clock} ${label}`)} ×${count}`;
      }),
      ...(distinct === undefined ? [] : [`${distinct} different`]),
      ...(empty === undefined ? [] : [`${empty} empty`]),
    ];
    return `${neutralise(name)}: ${parts.join(', ') || type}`;
  });
}
