import { timestampKind } from '../../core/calendar.ts';
import { isNumeric } from '../../core/money.ts';
import { shownLength, wrap } from './text.ts';

type Cells = readonly string[];

const gap = '  ';

/** Characters of a column of texts: the fewest in one table, and the most in a table that is split. */
const textWidths = { min: 14, max: 30 };

/** The text of an answer at a terminal: tables aligned, other lines broken at words. */
export function alignAnswer(text: string, width: number): string {
  const lines = text.split('\n').map((line) => ({ line, cells: cellsOf(line) }));
  const aligned: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const size = lines[at]?.cells.length ?? 0;
    const end = lines.findIndex(({ cells }, next) => next > at && cells.length !== size);
    const run = lines.slice(at, end === -1 ? lines.length : end);
    const isTable = size > 1 && run.length > 1;
    if (isTable) aligned.push(...alignColumns(transpose(run.map(({ cells }) => cells)), width));
    else aligned.push(...run.flatMap(({ line }) => wrap(line, width)));
    at += run.length;
  }
  return aligned.join('\n');
}

export function alignRows(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  width = process.stdout.columns || 160,
): string[] {
  return alignColumns(transpose([titles, ...rows]), width);
}

/** The cells of a line, separated by unescaped bars. A sentence of the server is a single cell. */
function cellsOf(line: string): string[] {
  if (line.startsWith('# ')) return [line];
  const marked = line.replaceAll(/\\[\\|]|\|/g, (mark) => (mark === '|' ? '\0' : mark.slice(1)));
  return marked.split('\0');
}

function transpose(rows: readonly (readonly string[])[]): Cells[] {
  const [first = []] = rows;
  return first.map((_, at) => rows.map((row) => row[at] ?? ''));
}

/** Lines of at most `width` characters. Columns without room stand in a further table below, beside the first column. */
function alignColumns(columns: readonly Cells[], width: number): string[] {
  const [first = [], ...others] = padColumns(columns, width);
  const tables = [[first]];
  for (const column of others) {
    const table = tables.at(-1) ?? [];
    if (table.length === 1 || widthOf([...table, column]) <= width) table.push(column);
    else tables.push([first, column]);
  }
  return tables.flatMap((table, nth) => [
    ...(nth > 0 ? [''] : []),
    ...first.map((_, row) => {
      const cells = table.map((column) => column[row]);
      return cells.join(gap).trimEnd();
    }),
  ]);
}

/** Columns with cells of one width each, numbers to the right. */
function padColumns(columns: readonly Cells[], width: number): Cells[] {
  const widths = chooseWidths(columns, width);
  return columns.map((cells, at) => {
    const size = widths[at] ?? 0;
    const isFigure = areAll(cells, isNumeric);
    return cells.map((cell) => {
      const text = shorten(cell, size);
      const padding = ' '.repeat(size - shownLength(text));
      return isFigure ? padding + text : text + padding;
    });
  });
}

/**
 * Shortens the widest texts until the table fits; if it cannot fit, only long texts. Numbers and times stay whole, since a
 * part of one misleads.
 */
function chooseWidths(columns: readonly Cells[], width: number): number[] {
  const natural = columns.map((cells) => Math.max(...cells.map(shownLength)));
  const isText = columns.map(
    (cells) => !areAll(cells, (cell) => isNumeric(cell) || timestampKind(cell) !== undefined),
  );
  const widths = [...natural];
  for (let excess = widthOf(columns) - width; excess > 0; excess -= 1) {
    const texts = widths.map((size, at) => (isText[at] ? size : 0));
    const widest = Math.max(...texts);
    if (widest <= textWidths.min)
      return natural.map((size, at) => (isText[at] ? Math.min(size, textWidths.max) : size));
    widths[texts.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function areAll([, ...cells]: Cells, isOfKind: (cell: string) => boolean): boolean {
  return cells.every((cell) => cell === '' || isOfKind(cell));
}

/** Cuts the end of a text, or the beginning of a dotted path, whose end distinguishes it. */
function shorten(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const isPath = /^\w+(\.\w+)+$/.test(text);
  const part = isPath ? characters.slice(1 - width) : characters.slice(0, width - 1);
  return isPath ? `…${part.join('')}` : `${part.join('')}…`;
}

function widthOf(columns: readonly Cells[]): number {
  const widths = columns.map((cells) => Math.max(...cells.map(shownLength)));
  return widths.reduce((sum, size) => sum + size + gap.length, -gap.length);
}
