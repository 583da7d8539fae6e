import stringWidth from 'string-width';
import type { Labels } from '../../../analysis/reference/labels.ts';
import { isIdentifier } from '../../../analysis/rows/column-profile.ts';
import { cellReader, columnsOf, type Row } from '../../../analysis/rows/rows.ts';
import { numberIn, textIn } from '../../../core/json.ts';
import { isNumeric } from '../../../core/money.ts';
import { neutralise } from '../../../core/text.ts';
import { writeFigures } from '../../../mcp/answers/figures.ts';
import { paint } from '../paint.ts';
import { alignTable } from '../table.ts';
import { wrap } from '../wrap.ts';
import { viewCell } from './cell.ts';

/** A text column is shortened down to this many cells before another column is left out for it. */
const readableWidth = 14;
const gap = 2;

interface ViewedColumn {
  name: string;
  title: string;
  cells: readonly string[];
  isFigure: boolean;
  isWhole: boolean;
  isLink: boolean;
  /** Ids with the names that they stand for. */
  isNamed: boolean;
  /** What was taken off the beginning of every cell. */
  path?: string;
}

/**
 * Rows as an aligned table at most `width` cells wide. What all rows share is said once below it, and
 * so are the names of columns that had no room.
 */
export function viewRows(
  rows: readonly Row[],
  labels: Labels,
  width: number,
  hiddenNote = 'No room for',
): string[] {
  const columns = columnsOf(rows)
    .map((name) => viewColumn(name, rows, labels))
    .map(withoutSharedPath);
  const isShared = ({ cells }: ViewedColumn) =>
    rows.length > 1 && cells.every((cell) => cell === cells[0]);
  const all = columns.filter((column) => !isShared(column));
  const first = fitting(all, width);
  const isLost = (column: ViewedColumn) => !column.isLink && !first.includes(column);
  const isTight = naturalWidth(first) > width || all.some(isLost);
  const varied = isTight ? all.map(withoutIds) : all;
  const shown = isTight ? fitting(varied, width) : first;
  const shared = columns
    .filter((column) => isShared(column) && column.cells[0] !== '')
    .map(({ title, cells }) => `${title} ${cells[0]}`);
  const hidden = varied.filter((column) => !shown.includes(column)).map(({ title }) => title);
  const [head, ...body] = alignTable(
    shown,
    rows.map((_, index) => shown.map(({ cells }) => cells[index] ?? '')),
    width,
  );
  return [
    ...(head === undefined || shown.length === 0 ? [] : [paint('bold', head), ...body]),
    ...note('Same in every row', shared, width),
    ...note(
      'Begins in every row',
      columns.flatMap(({ title, path }) => (path ? [`${title} ${path}`] : [])),
      width,
    ),
    ...note(hiddenNote, hidden, width),
  ];
}

function viewColumn(name: string, rows: readonly Row[], labels: Labels): ViewedColumn {
  const values = rows.map(cellReader(name));
  const isId = isIdentifier(name);
  const written = isId
    ? []
    : writeFigures(
        name,
        values,
        rows.map(({ measure }) => measure),
      );
  const cells = values.map((value, index) => written[index] ?? viewCell(name, value, labels));
  const isNumber = values.every((value) => value === null || !Number.isNaN(numberIn(value ?? 0)));
  const isNamed =
    isId && values.some((value, at) => cells[at] !== '' && cells[at] !== textIn(value));
  const isTime = cells.every((cell) => cell === '' || /^\d{4}-\d\d-\d\d( |$)/.test(cell));
  const isLink = cells.some((cell) => cell.includes('://'));
  return {
    name,
    title: neutralise(name),
    cells,
    isFigure: isNumber && !isId && values.some(isFigure),
    isWhole: isTime || isLink || (isId && !isNamed),
    isLink,
    isNamed,
  };
}

/** Where room is short, a name goes before its id: the name stands whole, and alone. */
function withoutIds(column: ViewedColumn): ViewedColumn {
  if (!column.isNamed) return column;
  return {
    ...column,
    isWhole: true,
    cells: column.cells.map((cell) => cell.replace(/ \(\d+\)$/, '')),
  };
}

/** A number, or an amount that came as a text; a code of digits is no figure. */
function isFigure(value: unknown): boolean {
  return typeof value === 'number' || (isNumeric(value) && String(value).includes('.'));
}

/** The column without the dotted path with which all its cells begin: `revenue.` of `revenue.total`. */
function withoutSharedPath(column: ViewedColumn): ViewedColumn {
  const [first = '', ...others] = column.cells;
  const path = /^([a-z_]\w*\.)+(?=\w)/.exec(first)?.[0];
  const isShared = path !== undefined && others.every((cell) => cell.startsWith(path));
  if (!isShared || others.length === 0) return column;
  return { ...column, cells: column.cells.map((cell) => cell.slice(path.length)), path };
}

/** Links go first, then ids that say nothing to a person, then texts and further times. */
function dispensability(column: ViewedColumn, columns: readonly ViewedColumn[]): number {
  if (column === columns[0]) return 0;
  if (column.isLink) return 4;
  if (column.isFigure || column.isNamed) return 1;
  if (!column.isWhole) return 2;
  if (isIdentifier(column.name)) return 3;
  const isTime = ({ name, isWhole, isLink }: ViewedColumn) =>
    isWhole && !isLink && !isIdentifier(name);
  return column === columns.find(isTime) ? 1 : 2;
}

/** The columns that can be read side by side, in their order; always the first. */
function fitting(columns: readonly ViewedColumn[], width: number): readonly ViewedColumn[] {
  let kept = columns;
  while (kept.length > 1 && neededWidth(kept) > width) {
    const ranks = kept.map((column) => dispensability(column, columns));
    const last = ranks.lastIndexOf(Math.max(...ranks));
    kept = kept.filter((_, index) => index !== last);
  }
  return kept;
}

function neededWidth(columns: readonly ViewedColumn[]): number {
  return together(
    columns.map((column) => {
      const natural = widthOf(column);
      return column.isFigure || column.isWhole ? natural : Math.min(natural, readableWidth);
    }),
  );
}

/** With nothing shortened. */
function naturalWidth(columns: readonly ViewedColumn[]): number {
  return together(columns.map(widthOf));
}

function widthOf({ title, cells }: ViewedColumn): number {
  return Math.max(stringWidth(title), ...cells.map((cell) => stringWidth(cell)));
}

function together(widths: readonly number[]): number {
  return widths.reduce((sum, it) => sum + it, gap * (widths.length - 1));
}

function note(about: string, parts: readonly string[], width: number): string[] {
  return parts.length === 0
    ? []
    : wrap(`${about}: ${parts.join(', ')}`, width).map((line) => paint('dim', line));
}
