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
import { amsterdamClock } from '../../core/calendar.ts';
import { fieldOf, isNoAmount } from '../../core/column-name.ts';
import { groupBy, ownValue } from '../../core/json.ts';
import { isNumeric } from '../../core/money.ts';
import { dataLine, neutralise, neutralJson, serverLine } from '../../core/text.ts';

/** Rows to be written as a table: the values of each column, by its dotted name. */
export interface TableInput {
  columns: ReadonlyMap<string, readonly unknown[]>;
  labels?: Labels;
  /** Columns that the caller requested: they are shown whatever they hold. */
  requested?: readonly string[];
  /** Whether the statement that gave the rows names a column: addresses that it names are shown. */
  isMentioned?: (column: string) => boolean;
  /** The argument that names columns: addresses are left out unless it names them. Without one they are shown. */
  namedBy?: 'sql' | 'fields' | undefined;
  /** A column that stands above the rows. */
  heading?: string | undefined;
  /** Whether each row says the names of its ids, however often they repeat. */
  hasNamesInRows?: boolean;
}

/** The argument of a tool that names columns. */
export function namesColumnsBy({ input: { shape } }: Pick<ToolDefinition, 'input'>) {
  return (['sql', 'fields'] as const).find((name) => name in shape);
}

export function requestedColumns({ toolCall }: Pick<Answer, 'toolCall'>): string[] {
  const { fields = [] } = toolCall.arguments;
  return [fields].flat().map(String);
}

/** Rows with the requested columns, or as they are. @throws {InputError} for a requested column that no row has */
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

/** A column that is shown, with a cell for each row. */
export interface TextColumn {
  name: string;
  values: readonly unknown[];
  cells: readonly string[];
}

/** A table that {@link textTable} has written. */
export type TextTable = ReturnType<typeof textTable>;

/** Rows as a table: each column name once, names next to ids. What all rows share stands once, above it. */
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
    const isRequested = requested.some((it) => it === name || name.startsWith(`${it}.`));
    const isHidden = !isRequested && namedBy !== undefined && !isMentioned?.(name);
    if (isHidden && holdsAddresses(values)) {
      addresses.push(heading);
      continue;
    }
    const names = ownValue(labels, fieldOf(name));
    const cells = names
      ? values.map((value) => writeCell(value, names))
      : writeCells(name, values, all);
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
  const lines = anyColumn.map((_, row) => tableLine(columns.map(({ cells }) => cells[row] ?? '')));

  /** What all rows share, and which columns are not shown. `isWhole`: the rows are all there are. */
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

/** The first rows as text, below what is said of them. `isWhole`: these are all there are. */
export function writeTable(
  { columns, lines, notes, legends, isHeaded }: TextTable,
  shown = lines.length,
  isWhole = true,
): string {
  if (shown === 0) return '';
  const above = [...notes(isWhole), ...legends].map(serverLine);
  const names = isHeaded ? [] : [tableLine(columns.map(({ name }) => name))];
  const rows = [...names, ...lines.slice(0, shown)];
  return [...above, ...(columns.length > 0 ? rows : [])].join('\n');
}

/**
 * Rows as blocks of those that share the value of a column: above each block this value and the names of the other
 * columns, below it the rows that end it. A line of such a table is a row with what stands above and below it.
 * @param rows sorted by the column
 */
export function blockTable(
  rows: readonly Row[],
  { by, ends }: { by: string; ends: readonly Row[] },
  input: Omit<TableInput, 'columns' | 'heading'>,
): TextTable {
  const blocks = [...groupBy(rows, (row) => String(row[by]))].map(([value, ofBlock]) => {
    return { value, rows: ofBlock, ends: ends.filter((end) => end[by] === value) };
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
    const ofRows = table.lines.slice(at, last + 1).map((line, nth, { length }) => {
      const isLast = nth === length - 1;
      return [...(nth === 0 ? above : []), line, ...(isLast ? below : [])].join('\n');
    });
    at = end;
    return ofRows;
  });
  return { ...table, lines, isHeaded };
}

/** Rows from which on names of ids that repeat are said once. */
const minRows = 20;

const minRepeats = 4;

/** The ids of a long column with their names, where few of them repeat; undefined where each row says its name. */
function legendOf(values: readonly unknown[], cells: readonly string[]): string[] | undefined {
  if (cells.length < minRows) return undefined;
  const named = cells.filter((cell, row) => cell !== writeCell(values[row]));
  const distinct = [...new Set(named)];
  const isWorth = distinct.length > 1 && distinct.length * minRepeats <= named.length;
  return isWorth ? distinct.map(escapeCell) : undefined;
}

/** A line of cells, with `|` between them. */
export function tableLine(cells: readonly string[]): string {
  return dataLine(cells.map(escapeCell).join('|'));
}

function writeCells(
  name: string,
  values: readonly unknown[],
  columns: TableInput['columns'],
): readonly string[] {
  const written = writeFigures(name, values, columns.get('measure') ?? columns.get('part'));
  return asClock(values).map((value, row) => written[row] ?? writeCell(value));
}

function asClock(values: readonly unknown[]): readonly unknown[] {
  const first = values.find((value) => typeof value === 'string');
  if (first === undefined || amsterdamClock(first) === undefined) return values;
  return values.map((value) => (typeof value === 'string' && amsterdamClock(value)) || value);
}

/** The clock of moments as they came, where that is not Amsterdam's, in which the text has all. */
export function clockOf(columns: Columns): 'UTC' | undefined {
  const firsts = [...columns.values()].map((cells) => cells.find((it) => typeof it === 'string'));
  const isUtc = (it: unknown) =>
    typeof it === 'string' && /(Z|[+-]00:?00)$/.test(it) && amsterdamClock(it) !== undefined;
  return firsts.some(isUtc) ? 'UTC' : undefined;
}

function holdsAddresses(values: readonly unknown[]): boolean {
  const isBlank = (value: unknown) => value === null || value === undefined || value === '';
  const isAddress = (value: unknown) => typeof value === 'string' && /^https?:\/\/\S+$/.test(value);
  return values.every((value) => isBlank(value) || isAddress(value)) && values.some(isAddress);
}

/** One value as text, as it came: nothing for null, its name beside an id. */
export function writeCell(value: unknown, names?: Record<string, string>): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return neutralJson(value);
  if (value === '') return '""';
  const text = String(value);
  const name = ownValue(names, text);
  return name === undefined ? text : `${text} ${name}`;
}

/** Printable ASCII without `|` and `\`: what most cells are, and nothing in it is to be escaped. */
const bare = /^[ -[\]-{}~]*$/;

/** A text as a cell: on one line, with nothing in it that ends the cell. */
export function escapeCell(text: string): string {
  if (bare.test(text)) return text;
  return neutralise(text.replace(/[\\|]/g, '\\$&'));
}

/**
 * The amounts of a column with two decimals, where some figure has decimals and none more than two; undefined for what
 * stays as it came. @param measures what each row measures, where that differs
 */
export function writeFigures(
  name: string,
  values: readonly unknown[],
  measures: readonly unknown[] = [],
): (string | undefined)[] {
  const hasFraction = (value: unknown) => isNumeric(value) && !Number.isInteger(Number(value));
  if (isNoAmount(name) || !values.some(hasFraction)) return [];
  let hasDecimals = false;
  const written: (string | undefined)[] = [];
  for (const [row, value] of values.entries()) {
    const isOther = isNoAmount(String(measures[row] ?? ''));
    const isAmount = isNumeric(value) && !isOther;
    const text = isAmount ? withTwoDecimals(value) : undefined;
    if (isAmount && text === undefined) return [];
    hasDecimals ||= text !== undefined && !text.endsWith('.00');
    written.push(text);
  }
  return hasDecimals ? written : [];
}

/** A number with two decimals; undefined where it has more, or more digits than a double holds. */
function withTwoDecimals(value: number | string): string | undefined {
  const number = Number(value);
  const isExact = Math.abs(number) < 1e13 && Math.round(number * 100) / 100 === number;
  return isExact ? number.toFixed(2) : undefined;
}

/** The profile of each column in a line of its own: `total_wt: sum 1234.50, min 2.5, max 310`. */
export function profileLines(columns: readonly ColumnProfile[], labels: Labels = {}): string[] {
  return columns.map((profile) => {
    const { name, type, sum, min, max, values = {}, distinct, empty } = profile;
    const names = ownValue(labels, fieldOf(name));
    const figures = [sum, min, max];
    const amounts = writeFigures(name, figures);
    const written = asClock(figures).map((figure, at) => amounts[at] ?? figure);
    const clocks = asClock(Object.keys(values));
    const parts = [
      ...['sum', 'min', 'max'].flatMap((word, at) =>
        written[at] === undefined ? [] : [`${word} ${written[at]}`],
      ),
      ...Object.entries(values).map(([value, count], at) => {
        const called = ownValue(names, value);
        const shown = String(clocks[at]);
        return `${neutralise(called === undefined ? shown : `${shown} ${called}`)} ×${count}`;
      }),
      ...(distinct === undefined ? [] : [`${distinct} different`]),
      ...(empty === undefined ? [] : [`${empty} empty`]),
    ];
    return `${neutralise(name)}: ${parts.join(', ') || type}`;
  });
}
