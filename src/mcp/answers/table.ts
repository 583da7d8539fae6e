import type { Labels } from '../../analysis/reference/reference.ts';
import type { ColumnProfile } from '../../analysis/rows/column-profile.ts';
import { amsterdamClock } from '../../core/calendar.ts';
import { fieldOf, isNoAmount } from '../../core/column-name.ts';
import { isNumeric } from '../../core/money.ts';
import { dataLine, neutralise, neutralJson, serverLine } from '../../core/text.ts';

/** Rows to be written as a table: the values of each column, by its dotted name. */
export interface TableInput {
  columns: ReadonlyMap<string, readonly unknown[]>;
  labels?: Labels;
  /** Columns that the caller named: they are shown whatever they hold. */
  named?: readonly string[];
  /** Whether the statement that gave the rows names a column: addresses that it names are shown. */
  isWritten?: (column: string) => boolean;
  /** How a caller sees addresses, which are left out unless they are named; undefined: they are shown. */
  addressHint?: string | undefined;
  /** Whether each row says the names of its ids, however often they repeat, as a person wants it. */
  hasNamesInRows?: boolean;
}

/**
 * Rows as a table that is cheap to read: each column name once, cells separated by `|`, names next
 * to ids. What all rows share stands once, above it.
 */
export class Table {
  /** The columns that are shown, a cell for each row; none where no column tells the rows apart. */
  readonly columns: readonly {
    name: string;
    values: readonly unknown[];
    cells: readonly string[];
  }[];
  /** A line for each row. */
  readonly lines: readonly string[];
  readonly #empty: string[] = [];
  readonly #shared: string[] = [];
  readonly #legends: string[] = [];
  readonly #addresses: string[] = [];
  readonly #addressHint: string | undefined;

  constructor(input: TableInput) {
    const { columns, labels = {}, named = [], isWritten, addressHint } = input;
    this.#addressHint = addressHint;
    const shown: Table['columns'][number][] = [];
    for (const [name, values] of columns) {
      const heading = escapeCell(name);
      if (named.some((it) => it === name || name.startsWith(`${it}.`))) {
        shown.push({ name, values, cells: writeCells(name, values, columns, labels) });
        continue;
      }
      const isHidden = addressHint !== undefined && !isWritten?.(name);
      if (isHidden && holdsAddresses(values)) {
        this.#addresses.push(heading);
        continue;
      }
      const cells = writeCells(name, values, columns, labels);
      const [first = ''] = cells;
      const legend = input.hasNamesInRows ? undefined : legendOf(values, cells);
      if (legend) {
        this.#legends.push(`${heading}: ${legend.join(', ')}`);
        shown.push({ name, values, cells: values.map((value) => writeCell(value)) });
        continue;
      }
      const isShared = cells.length > 1 && cells.every((cell) => cell === first);
      if (!isShared) shown.push({ name, values, cells });
      else if (first === '') this.#empty.push(heading);
      else this.#shared.push(`${heading} ${escapeCell(first)}`);
    }
    const [count = 0] = [...columns.values()].map((values) => values.length);
    this.columns = shown;
    this.lines = Array.from({ length: count }, (_, row) =>
      tableLine(shown.map(({ cells }) => cells[row] ?? '')),
    );
  }

  /** The first rows. `isWhole`: these are all there are, so that what they share is said of every row. */
  text(shown = this.lines.length, isWhole = true): string {
    if (shown === 0) return '';
    const rows = [tableLine(this.columns.map(({ name }) => name)), ...this.lines.slice(0, shown)];
    const lines = this.columns.length > 0 ? rows : [];
    return [...this.notes(isWhole).map(serverLine), ...lines].join('\n');
  }

  /** What all rows share, which columns are not shown, and the names of ids that repeat. */
  notes(isWhole = true): string[] {
    const where = isWhole ? 'in every row' : 'in the rows shown';
    return [
      ...(this.#empty.length > 0 ? [`Empty ${where}: ${this.#empty.join(', ')}`] : []),
      ...(this.#shared.length > 0 ? [`Same ${where}: ${this.#shared.join(', ')}`] : []),
      ...(this.#addresses.length > 0
        ? [`Addresses, not shown: ${this.#addresses.join(', ')}. ${this.#addressHint}`]
        : []),
      ...this.#legends,
    ];
  }
}

/** Rows from which on names of ids that repeat are said once, and how often each repeats at least on average. */
const [minRows, minRepeats] = [20, 4];

/** The ids of a long column with their names, where few of them repeat; undefined where each row says its name. */
function legendOf(values: readonly unknown[], cells: readonly string[]): string[] | undefined {
  if (cells.length < minRows) return undefined;
  const named = cells.filter((cell, row) => cell !== writeCell(values[row]));
  const distinct = [...new Set(named)];
  const isWorth = distinct.length > 1 && distinct.length * minRepeats <= named.length;
  return isWorth ? distinct.map(escapeCell) : undefined;
}

/** A line of cells, parted by `|`. */
export function tableLine(cells: readonly string[]): string {
  return dataLine(cells.map(escapeCell).join('|'));
}

function writeCells(
  name: string,
  values: readonly unknown[],
  columns: TableInput['columns'],
  labels: Labels,
): readonly string[] {
  const idField = fieldOf(name);
  const names = Object.hasOwn(labels, idField) ? labels[idField] : undefined;
  if (names !== undefined) return values.map((value) => writeCell(value, names));
  const written = writeFigures(name, values, columns.get('measure') ?? columns.get('part'));
  return asClock(values).map((value, row) => written[row] ?? writeCell(value));
}

/** Moments as Amsterdam's clock shows them; any other value as it is. */
function asClock(values: readonly unknown[]): readonly unknown[] {
  const first = values.find((value) => typeof value === 'string');
  if (first === undefined || amsterdamClock(first) === undefined) return values;
  return values.map((value) => (typeof value === 'string' && amsterdamClock(value)) || value);
}

/** Whether a column holds addresses of pages and nothing else. */
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
  const name = names && Object.hasOwn(names, text) ? names[text] : undefined;
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
 * The figures of a column as a reader should see them: amounts with two decimals in every row. Amounts
 * are columns in which some figure has decimals and none more than two; nothing is rounded. What is no
 * amount stays as it came, and is undefined here.
 *
 * @param measures what each figure measures, in rows that say so in `measure` or `part`
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
    const { name } = profile;
    const names = labels[fieldOf(name)] ?? {};
    return `${neutralise(name)}: ${describeColumn(profile, names)}`;
  });
}

function describeColumn(profile: ColumnProfile, names: Record<string, string>): string {
  const { name, type, values = {}, distinct, empty } = profile;
  const figures = [profile.sum, profile.min, profile.max];
  const written = writeFigures(name, figures);
  const [sum, min, max] = asClock(figures).map((figure, at) => written[at] ?? figure);
  const parts = [
    ...(sum === undefined ? [] : [`sum ${sum}`]),
    ...(min === undefined ? [] : [`min ${min}`]),
    ...(max === undefined ? [] : [`max ${max}`]),
    ...Object.entries(values).map(([value, count]) => {
      const called = Object.hasOwn(names, value) ? ` ${names[value]}` : '';
      return `${neutralise(`${value}${called}`)} ×${count}`;
    }),
    ...(distinct === undefined ? [] : [`${distinct} different`]),
    ...(empty === undefined ? [] : [`${empty} empty`]),
  ];
  return parts.length > 0 ? parts.join(', ') : type;
}
