import type { Labels } from '../analysis/labels.ts';
import { cellReader, columnsOf, type Row } from '../analysis/rows.ts';
import { neutralise, neutralJson } from '../core/text.ts';

/**
 * Rows as a table that is cheap to read: each column name once, cells parted by `|`. What all rows
 * share (a value, the beginning of an address) is said once above the table. Names stand beside ids.
 */
export function renderTable(rows: readonly Row[], labels: Labels = {}): string {
  const shared: string[] = [];
  const empty: string[] = [];
  const shown: { name: string; cells: string[] }[] = [];
  for (const name of columnsOf(rows)) {
    const idField = name.slice(name.lastIndexOf('.') + 1);
    const names = Object.hasOwn(labels, idField) ? labels[idField] : undefined;
    const heading = escapeCell(name);
    const cells = rows.map(cellReader(name)).map((value) => renderCell(value, names));
    const [first = ''] = cells;
    const isShared = rows.length > 1 && cells.every((cell) => cell === first);
    if (isShared && first === '') empty.push(heading);
    else if (isShared) shared.push(`${heading} ${first}`);
    else shown.push(withoutPrefix(heading, cells));
  }
  const lines: string[] = [];
  if (empty.length > 0) lines.push(`Empty in every row: ${empty.join(', ')}`);
  if (shared.length > 0) lines.push(`Same in every row: ${shared.join(', ')}`);
  if (shown.length > 0) lines.push(shown.map(({ name }) => name).join('|'));
  // A row of one empty cell is an empty line: it still counts as a row.
  for (let index = 0; index < rows.length && shown.length > 0; index += 1)
    lines.push(shown.map(({ cells }) => cells[index]).join('|'));
  return lines.join('\n');
}

/** One value as a cell: `|` and `\` escaped, control characters written out, nothing for null. */
export function renderCell(value: unknown, names: Record<string, string> = {}): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return escapeCell(neutralJson(value));
  if (value === '') return '""';
  const text = escapeCell(String(value));
  const name = Object.hasOwn(names, String(value)) ? names[String(value)] : undefined;
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

function escapeCell(text: string): string {
  return neutralise(text.replace(/[\\|]/g, '\\$&'));
}

/** Shortest beginning worth saying once. */
const minPrefix = 12;

/** A column of addresses that begin alike: the beginning goes into the heading. */
function withoutPrefix(name: string, cells: string[]): { name: string; cells: string[] } {
  const [first = '', ...others] = cells;
  if (others.length < 2 || !first.includes('://')) return { name, cells };
  let length = first.length;
  for (const cell of others)
    while (length > 0 && !cell.startsWith(first.slice(0, length))) length -= 1;
  const prefix = first.slice(0, first.slice(0, length).lastIndexOf('/') + 1);
  if (prefix.length < minPrefix) return { name, cells };
  return {
    name: `${name} (each after ${prefix})`,
    cells: cells.map((cell) => cell.slice(prefix.length)),
  };
}
