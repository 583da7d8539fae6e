import type { Labels } from '../../analysis/reference/labels.ts';
import { cellReader, columnsOf, type Row } from '../../analysis/rows/rows.ts';
import { isNumeric } from '../../core/money.ts';
import { asData, asOurs, neutralise, neutralJson } from '../../core/text.ts';
import { type CommonAffixes, commonAffixes } from './common-affixes.ts';
import { writeFigures } from './figures.ts';

/**
 * Rows as a table that is cheap to read: each column name once, cells parted by `|`. What all rows
 * share (a value, the beginning of an address, the month and the offset of a time) is said once.
 * Names stand beside ids.
 */
export function renderTable(
  rows: readonly Row[],
  labels: Labels = {},
  { isWhole = true, fields = [] }: TableForm = {},
): string {
  const columns = columnsOf(rows).map((name) => readColumn(name, rows, labels));
  const shared: string[] = [];
  const empty: string[] = [];
  const made: string[] = [];
  const shown: { heading: string; cells: readonly string[] }[] = [];
  for (const [position, column] of columns.entries()) {
    const { heading, cells } = column;
    const [first = ''] = cells;
    const isNamed = fields.some((it) => it === heading || heading.startsWith(`${it}.`));
    const isShared = !isNamed && rows.length > 1 && cells.every((cell) => cell === first);
    const ends = isShared ? undefined : commonAffixes(cells);
    const source = ends && linkedColumn(ends, columns);
    const twin = isShared || source ? undefined : twinOf(column, columns, position);
    if (isShared && first === '') empty.push(heading);
    else if (isShared) shared.push(`${heading} ${first}`);
    else if (ends && source) made.push(`${heading} ${ends.before}{${source.heading}}`);
    else if (twin) made.push(`${heading} {${twin.heading}}`);
    else if (ends) shown.push(withoutEnds(heading, ends));
    else shown.push(column);
  }
  const lines: string[] = [];
  const where = isWhole ? 'in every row' : 'in the rows shown';
  if (empty.length > 0) lines.push(asOurs(`Empty ${where}: ${empty.join(', ')}`));
  if (shared.length > 0) lines.push(asOurs(`Same ${where}: ${shared.join(', ')}`));
  if (made.length > 0) lines.push(asOurs(`Made from another column: ${made.join(', ')}`));
  if (shown.length > 0) lines.push(asData(shown.map(({ heading }) => heading).join('|')));
  // A row of one empty cell is an empty line: it still counts as a row.
  for (let index = 0; index < rows.length && shown.length > 0; index += 1)
    lines.push(asData(shown.map(({ cells }) => cells[index]).join('|')));
  return lines.join('\n');
}

/** How a table stands to all there is. */
export interface TableForm {
  /** Whether these are all rows there are: what they share is then said of every row. */
  isWhole?: boolean;
  /** Columns that the caller named: they are shown whatever they hold. */
  fields?: readonly string[];
}

/** A column of the table. */
interface Column {
  heading: string;
  cells: readonly string[];
  /** The cells without names beside ids. */
  plain: readonly string[];
  /** What the cells were written from. */
  values: readonly unknown[];
}

function readColumn(name: string, rows: readonly Row[], labels: Labels): Column {
  const idField = name.slice(name.lastIndexOf('.') + 1);
  const names = Object.hasOwn(labels, idField) ? labels[idField] : undefined;
  const values = rows.map(cellReader(name));
  const written = names === undefined ? writeFigures(name, values, rows) : [];
  const plain = values.map((value, index) => written[index] ?? renderCell(value));
  const cells = names === undefined ? plain : values.map((value) => renderCell(value, names));
  return { heading: escapeCell(name), cells, plain, values };
}

/** The column that a column of links ends with in every row: an order's link holds its id. */
function linkedColumn({ before, cells }: CommonAffixes, columns: readonly Column[]) {
  if (!before.includes('://')) return undefined;
  return columns.find(({ plain }) => plain.every((cell, index) => cell === cells[index]));
}

/** Fewest rows in which two columns are taken for twins. */
const minRows = 3;

/**
 * An earlier column of words, days or times that says the same in every row, as the only day of a
 * bucket is its first and last. Figures that agree may do so by chance.
 */
function twinOf(
  { plain, values }: Column,
  columns: readonly Column[],
  position: number,
): Column | undefined {
  if (plain.length < minRows) return undefined;
  const twin = columns.findIndex((column) =>
    column.plain.every((cell, index) => cell === plain[index]),
  );
  return twin < position && values.every(isWording) ? columns[twin] : undefined;
}

function isWording(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'string' && !isNumeric(value);
}

/** The ellipsis stands where the cells go: `date_created (each 2026-11-…+01:00)`. */
function withoutEnds(heading: string, { before, after, cells }: CommonAffixes) {
  return { heading: `${heading} (each ${before}…${after})`, cells };
}

/** One value as a cell: `|` and `\` escaped, control characters written out, nothing for null. */
export function renderCell(value: unknown, names?: Record<string, string>): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return escapeCell(neutralJson(value));
  if (value === '') return '""';
  const said = String(value);
  const text = typeof value === 'string' ? escapeCell(said) : said;
  const name = names && Object.hasOwn(names, said) ? names[said] : undefined;
  return name === undefined ? text : `${text} ${escapeCell(name)}`;
}

/** The cells of a line of the table, unescaped: the way back from {@link renderTable}. */
export function readCells(line: string): string[] {
  const cells = [''];
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? '';
    if (character === '|') cells.push('');
    else cells.push(`${cells.pop() ?? ''}${character === '\\' ? readEscape() : character}`);

    function readEscape(): string {
      index += 1;
      const escaped = line[index] ?? '';
      const simple = { n: '\n', t: '\t', r: '\r' }[escaped];
      if (escaped !== 'u') return simple ?? escaped;
      const code = /^\{([0-9a-f]+)\}/.exec(line.slice(index + 1));
      index += code?.[0].length ?? 0;
      return String.fromCodePoint(Number.parseInt(code?.[1] ?? 'fffd', 16));
    }
  }
  return cells;
}

/** Printable ASCII without `|` and `\`: what most cells are, and nothing in it is to be escaped. */
const bare = /^[ -[\]-{}~]*$/;

function escapeCell(text: string): string {
  if (bare.test(text)) return text;
  return neutralise(text.replace(/[\\|]/g, '\\$&'));
}
