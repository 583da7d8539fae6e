import type { Labels } from '../../analysis/reference/reference.ts';
import type { ColumnProfile } from '../../analysis/rows/column-profile.ts';
import { isNumeric, toDecimal } from '../../core/money.ts';
import { asData, asOurs, neutralise, neutralJson } from '../../core/text.ts';
import { readTimestamp } from '../../core/timestamps.ts';

/** Rows to be written as a table: the values of each column, by its dotted name. */
export interface TableInput {
  columns: ReadonlyMap<string, readonly unknown[]>;
  labels?: Labels;
  /** Columns that the caller named: they are shown whatever they hold. */
  named?: readonly string[];
  /** The SQL that gave the rows: addresses that it names are shown. */
  statement?: unknown;
  /** How a caller sees addresses, which are left out unless they are named; undefined: they are shown. */
  addressHint?: string | undefined;
}

/**
 * Rows as a table that is cheap to read: each column name once, cells parted by `|`, names next
 * to ids. What all rows share is said once, above it.
 */
export class Table {
  /** The column names; undefined where no column tells the rows apart. */
  readonly #header: string | undefined;
  /** A line for each row. */
  readonly lines: readonly string[];
  readonly #empty: string[] = [];
  readonly #shared: string[] = [];
  readonly #addresses: string[] = [];
  readonly #addressHint: string | undefined;

  constructor({ columns, labels = {}, named = [], statement = '', addressHint }: TableInput) {
    this.#addressHint = addressHint;
    const shown: { heading: string; cells: readonly string[] }[] = [];
    for (const [name, values] of columns) {
      const heading = escapeCell(name);
      if (named.some((it) => it === name || name.startsWith(`${it}.`))) {
        shown.push({ heading, cells: writeCells(name, values, columns, labels) });
        continue;
      }
      const isHidden = addressHint !== undefined && !String(statement).includes(name);
      if (isHidden && holdsAddresses(values)) {
        this.#addresses.push(heading);
        continue;
      }
      const cells = writeCells(name, values, columns, labels);
      const [first = ''] = cells;
      const isShared = cells.length > 1 && cells.every((cell) => cell === first);
      if (!isShared) shown.push({ heading, cells });
      else if (first === '') this.#empty.push(heading);
      else this.#shared.push(`${heading} ${first}`);
    }
    const [count = 0] = [...columns.values()].map((values) => values.length);
    this.#header =
      shown.length > 0 ? asData(shown.map(({ heading }) => heading).join('|')) : undefined;
    this.lines = Array.from({ length: count }, (_, row) =>
      asData(shown.map(({ cells }) => cells[row]).join('|')),
    );
  }

  /** The first rows. `isWhole`: these are all there are, so that what they share is said of every row. */
  text(shown = this.lines.length, isWhole = true): string {
    if (shown === 0) return '';
    const where = isWhole ? 'in every row' : 'in the rows shown';
    const said = [
      ...(this.#empty.length > 0 ? [`Empty ${where}: ${this.#empty.join(', ')}`] : []),
      ...(this.#shared.length > 0 ? [`Same ${where}: ${this.#shared.join(', ')}`] : []),
      ...(this.#addresses.length > 0
        ? [`Addresses, not shown: ${this.#addresses.join(', ')}. ${this.#addressHint}`]
        : []),
    ];
    const rows = this.#header === undefined ? [] : [this.#header, ...this.lines.slice(0, shown)];
    return [...said.map(asOurs), ...rows].join('\n');
  }
}

function writeCells(
  name: string,
  values: readonly unknown[],
  columns: TableInput['columns'],
  labels: Labels,
): readonly string[] {
  const idField = name.slice(name.lastIndexOf('.') + 1);
  const names = Object.hasOwn(labels, idField) ? labels[idField] : undefined;
  if (names !== undefined) return values.map((value) => writeCell(value, names));
  const written = writeFigures(name, values, columns.get('measure'));
  const asClock = clockWriter();
  return values.map((value, index) => written[index] ?? writeCell(asClock(value)));
}

/**
 * Writes moments as Amsterdam's clock shows them, without the offset that each cell would repeat; any
 * other value, and a moment that the clock alone does not tell (an hour in October), as it is.
 */
function clockWriter(): (value: unknown) => unknown {
  // Days on which the clock is not changed, by their offset: all their moments can be told.
  const wholeDays = new Map<string, boolean>();
  return (value) => {
    const found = typeof value === 'string' ? offsetForm.exec(value) : null;
    const [, day = '', time = '', offset = ''] = found ?? [];
    if (found === null) return value;
    const key = day + offset;
    const isWhole =
      wholeDays.get(key) ?? ['T00:00', 'T23:59'].every((it) => tells(day + it, offset));
    wholeDays.set(key, isWhole);
    return isWhole || tells(day + time, offset) ? day + time : value;
  };
}

/** Whether a time on Amsterdam's clock is the moment that it is with its offset. */
function tells(clock: string, offset: string): boolean {
  return readTimestamp(clock)?.ms === readTimestamp(clock + offset)?.ms;
}

const offsetForm = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d)?)([+-]\d\d:\d\d)$/;

/** Whether a column holds addresses of pages and nothing else. */
function holdsAddresses(values: readonly unknown[]): boolean {
  const filled = values.filter((value) => value !== null && value !== undefined && value !== '');
  const isAddress = (value: unknown) => typeof value === 'string' && /^https?:\/\/\S+$/.test(value);
  return filled.length > 0 && filled.every(isAddress);
}

/** One value as a cell: `|` and `\` escaped, control characters written out, nothing for null. */
export function writeCell(value: unknown, names?: Record<string, string>): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return escapeCell(neutralJson(value));
  if (value === '') return '""';
  const said = String(value);
  const text = typeof value === 'string' ? escapeCell(said) : said;
  const name = names && Object.hasOwn(names, said) ? names[said] : undefined;
  return name === undefined ? text : `${text} ${escapeCell(name)}`;
}

/** Printable ASCII without `|` and `\`: what most cells are, and nothing in it is to be escaped. */
const bare = /^[ -[\]-{}~]*$/;

function escapeCell(text: string): string {
  if (bare.test(text)) return text;
  return neutralise(text.replace(/[\\|]/g, '\\$&'));
}

/** Names whose figures are no amounts, however many decimals they have. */
const isShare = /percent|ratio|share|rate$/i;

/** Measures that are no amounts either, in a column that holds figures of several measures. */
const isCount = /count$|quantity$/i;

/** Writes one figure of a column. */
type FigureWriter = (value: number | string) => string;

/**
 * How the figures of a column are written for a reader: amounts with two decimals in every row.
 * Amounts are columns in which some figure has decimals and none more than two; undefined for
 * everything else, which stays as it came. Nothing is rounded.
 */
export function figureWriter(name: string, values: readonly unknown[]): FigureWriter | undefined {
  if (isShare.test(name)) return undefined;
  let most = 0;
  for (const value of values) {
    if (isNumeric(value)) most = Math.max(most, placesOf(value));
    if (most > 2) return undefined;
  }
  return most === 0 ? undefined : withTwoPlaces;
}

/**
 * The figures of a column as {@link figureWriter} writes them; none for what stays as it came.
 *
 * @param measures what each figure measures, in rows that say so: counts and shares are no amounts
 */
export function writeFigures(
  name: string,
  values: readonly unknown[],
  measures: readonly unknown[] = [],
): (string | undefined)[] {
  const amounts = values.map((value, index) => (isOfAmounts(measures[index]) ? value : undefined));
  const write = figureWriter(name, amounts);
  return write ? amounts.map((value) => (isNumeric(value) ? write(value) : undefined)) : [];
}

function isOfAmounts(measure: unknown): boolean {
  return typeof measure !== 'string' || !(isShare.test(measure) || isCount.test(measure));
}

/** Whether a number is one of whole cents; larger ones are left to decimal arithmetic. */
function isOfCents(value: number | string): value is number {
  return (
    typeof value === 'number' && Math.abs(value) < 1e13 && Math.round(value * 100) / 100 === value
  );
}

function placesOf(value: number | string): number {
  if (isOfCents(value)) return Number.isInteger(value) ? 0 : 2;
  return toDecimal(value)?.decimalPlaces() ?? 0;
}

function withTwoPlaces(value: number | string): string {
  if (isOfCents(value)) return value.toFixed(2);
  return toDecimal(value)?.toFixed(2) ?? String(value);
}

/** The profile of each column in a line of its own: `total_wt: sum 1234.50, min 2.5, max 310`. */
export function profileLines(columns: readonly ColumnProfile[], labels: Labels = {}): string[] {
  return columns.map((profile) => {
    const { name } = profile;
    const names = labels[name.slice(name.lastIndexOf('.') + 1)] ?? {};
    return `${neutralise(name)}: ${describeColumn(profile, names)}`;
  });
}

function describeColumn(profile: ColumnProfile, names: Record<string, string>): string {
  const { name, type, values = {}, distinct, empty } = profile;
  const figures = [profile.sum, profile.min, profile.max];
  const write = figureWriter(name, figures);
  const [sum, min, max] = figures.map((it) => (write && isNumeric(it) ? write(it) : it));
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
