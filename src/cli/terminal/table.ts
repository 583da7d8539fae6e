import { isNumeric } from '../../core/money.ts';
import { shownLength, wrap } from './text.ts';

type Cells = readonly string[];

const gap = '  ';

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

/** Lines of at most `width` characters. Columns that do not fit follow in a further table, which repeats the first. */
function alignColumns(columns: readonly Cells[], width: number): string[] {
  const [first = [], ...others] = columns.map(padColumn);
  const tables = [[first]];
  let room = width - widthOf(first);
  for (const column of others) {
    const size = gap.length + widthOf(column);
    if (size > room && (tables.at(-1)?.length ?? 0) > 1) {
      tables.push([first]);
      room = width - widthOf(first);
    }
    tables.at(-1)?.push(column);
    room -= size;
  }
  return tables.flatMap((table, nth) => [
    ...(nth > 0 ? [''] : []),
    ...first.map((_, row) => {
      const cells = table.map((column) => column[row]);
      return cells.join(gap).trimEnd();
    }),
  ]);
}

/** The cells of a column with one width, numbers to the right. */
function padColumn(cells: Cells): Cells {
  const size = widthOf(cells);
  const isFigure = cells.slice(1).every((cell) => cell === '' || isNumeric(cell));
  return cells.map((cell) => {
    const padding = ' '.repeat(size - shownLength(cell));
    return isFigure ? padding + cell : cell + padding;
  });
}

function widthOf(cells: Cells): number {
  return Math.max(...cells.map(shownLength));
}
