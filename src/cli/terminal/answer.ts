/** An answer as a person reads it in a terminal. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import stringWidth from 'string-width';
import { z } from 'zod';
import type { NextCall, TableUse } from '../../analysis/answer.ts';
import { readFigure } from '../../analysis/figure/figure.ts';
import { query } from '../../analysis/query.ts';
import { readRows } from '../../analysis/read-rows.ts';
import type { Labels } from '../../analysis/reference/lists.ts';
import { type ColumnProfile, isIdentifier } from '../../analysis/rows/column-profile.ts';
import { cellReader, columnsOf, type Row } from '../../analysis/rows/rows.ts';
import { isRecord, type JsonObject, numberIn } from '../../core/json.ts';
import { isNumeric } from '../../core/money.ts';
import { countNoun, neutralise, neutralJson } from '../../core/text.ts';
import { describeColumns } from '../../mcp/answers/column-profiles.ts';
import { figureWriter, writeFigures } from '../../mcp/answers/table.ts';
import { tablesLine } from '../../mcp/answers/tables-read.ts';
import { ownCommand } from '../program.ts';
import { drawRows, type FigureView, viewFigure } from './figure.ts';
import { paint } from './paint.ts';
import { forPerson, shortTimes } from './say.ts';
import { alignTable, type Column } from './table.ts';
import { wrap } from './wrap.ts';

/** More rows than this scroll out of sight. */
const maxRows = 50;
/** A text column is shortened to this many cells before another column is left out for it. */
const readableWidth = 14;
/** Deeper than this, a member is one line of JSON. */
const maxDepth = 6;

const contextSchema = z.looseObject({
  labels: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  complete: z.boolean().default(true),
  next: z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }).optional(),
  result: z
    .looseObject({
      rows: z.number(),
      columns: z.custom<ColumnProfile[]>(Array.isArray).default([]),
    })
    .optional(),
  tables: z.custom<TableUse[]>(Array.isArray).default([]),
  warnings: z.array(z.string()).default([]),
});

/** Who looks at an answer, and which tool gave it. */
export interface ResultView extends FigureView {
  tool: string;
  /** Flags to repeat in a command, such as `--sandbox`. */
  flags: readonly string[];
}

/** The lines of what a tool answered: a figure, rows or values; a failure as it says itself. */
export function viewResult(result: CallToolResult, { tool, flags, ...view }: ResultView): string[] {
  const { structuredContent, isError } = result;
  const text = textOf(result);
  if (isError || !isRecord(structuredContent)) return wrap(forPerson(text), view.width);
  const figure = readFigure(structuredContent.figure);
  if (figure) return viewFigure(figure, view);
  return viewAnswer({
    ...{ structured: structuredContent, headline: text.split('\n', 1)[0] ?? '' },
    ...{ width: view.width, flags },
    ...(tool === query.tool && { draw: (rows, labels) => drawRows(rows, labels, view) }),
  });
}

/** The text of an answer, as a model reads it. */
export function textOf({ content = [] }: CallToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** What is needed to show an answer to a person. */
interface Viewed {
  structured: JsonObject;
  /** The line that says what the answer is. */
  headline: string;
  /** Cells of a line. */
  width: number;
  /** Flags to repeat in a command, such as `--sandbox`. */
  flags: readonly string[];
  /** Draws rows beneath their table. */
  draw?: (rows: readonly Row[], labels: Labels) => string[];
}

/** The lines of an answer: what it is, its rows or values, what to know of it, how to get the rest. */
export function viewAnswer({ structured, headline, width, flags, draw }: Viewed): string[] {
  const { context: given, refusal, ...payload } = structured;
  const { labels, complete, next, result, tables, warnings } = contextSchema.parse(given);
  const rows = Array.isArray(payload.data) ? payload.data.filter(isRecord) : undefined;
  const shown = rows?.slice(0, maxRows);
  const isWhole = complete && shown?.length === rows?.length;
  const telling = (result?.columns ?? []).filter(({ sum, min, values }) => sum ?? min ?? values);
  const profile = describeColumns(telling, labels).map((line) => `  ${forPerson(line)}`);
  const paragraph = (lines: readonly string[]) => lines.flatMap((line) => wrap(line, width));
  const sentences = (texts: readonly string[]) =>
    paragraph(texts.map((text) => neutralise(forPerson(text)))).map((line) =>
      paint('yellow', line),
    );
  return [
    ...paragraph([forPerson(headline)]).map((line) => paint('dim', line)),
    ...sentences(typeof refusal === 'string' ? [refusal] : []),
    ...section(shown ? viewRows(shown, labels, width) : viewObject(payload, labels, width)),
    ...section((isWhole && shown && draw?.(shown, labels)) || []),
    ...section(paragraph(profile), `Over all ${result?.rows} rows:`),
    // Not broken: it may hold a command to copy.
    ...section(rest()),
    ...section(tables.length > 0 ? paragraph([tablesLine(tables.map(withoutResult))]) : []),
    ...sentences(warnings.map((warning) => `Warning: ${warning}`)),
  ];

  function rest(): string[] {
    if (rows === undefined || !shown?.length || isWhole) return [];
    const total = Math.max(rows.length, result?.rows ?? 0, numberIn(payload.total) || 0);
    const isCut = shown.length < rows.length || next === undefined || next.tool === readRows.tool;
    const way = isCut ? 'Every row that was read: add --csv' : `The next: ${command(next, flags)}`;
    return [`Shown: ${shown.length} of ${total.toLocaleString('en-US')} rows. ${way}`];
  }
}

/** The command that makes a call, quoted for a POSIX shell. */
function command({ tool, arguments: input }: NextCall, flags: readonly string[]): string {
  const pairs = Object.entries(input).map(([key, value]) => {
    const pair = `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
    return /^[\w./:=,@%+-]+$/.test(pair) ? pair : `'${pair.replaceAll("'", "'\\''")}'`;
  });
  return [ownCommand(), 'call', tool, ...pairs, ...flags].join(' ');
}

/** What was kept in a process that ends with its answer cannot be asked for. */
function withoutResult({ result: _, ...use }: TableUse): TableUse {
  return use;
}

/** Lines below an empty one, under a title; nothing where there are none. */
function section(lines: readonly string[], title?: string): string[] {
  return lines.length === 0 ? [] : ['', ...(title ? [paint('bold', title)] : []), ...lines];
}

interface ViewedColumn extends Column {
  cells: readonly string[];
  /** What was taken off the beginning of every cell. */
  path: string;
  /** The column with the highest rank is left out first where the line is too short for all. */
  rank: number;
}

/** Rows as a table of at most `width` cells; what all rows share, and what had no room, is said below it. */
function viewRows(rows: readonly Row[], labels: Labels, width: number): string[] {
  const columns = columnsOf(rows).map((name, at) => viewColumn(name, at, rows, labels));
  const isShared = ({ cells }: ViewedColumn) =>
    rows.length > 1 && cells.every((cell) => cell === cells[0]);
  const varied = columns.filter((column) => !isShared(column));
  const shown = fitting(varied, width);
  const cells = rows.map((_, at) => shown.map((column) => column.cells[at] ?? ''));
  const [head = '', ...body] = shown.length > 0 ? alignTable(shown, cells, width) : [];
  const notes = {
    'Same in every row': columns
      .filter((it) => isShared(it) && it.cells[0] !== '')
      .map(({ title, path, cells }) => `${title} ${path}${cells[0]}`),
    'Begins in every row': shown.flatMap(({ title, path }) => (path ? [`${title} ${path}`] : [])),
    'No room for (fields=... chooses columns)': varied
      .filter((column) => !shown.includes(column))
      .map(({ title }) => title),
  };
  return [
    ...(head === '' ? [] : [paint('bold', head), ...body]),
    ...Object.entries(notes)
      .flatMap(([about, parts]) =>
        parts.length > 0 ? wrap(`${about}: ${parts.join(', ')}`, width) : [],
      )
      .map((line) => paint('dim', line)),
  ];
}

function viewColumn(name: string, at: number, rows: readonly Row[], labels: Labels): ViewedColumn {
  const values = rows.map(cellReader(name));
  const isId = isIdentifier(name);
  const isNamed = isId && Object.hasOwn(labels, lastPart(name));
  const isFigure =
    !isId && values.some(isNumber) && values.every((it) => it == null || isNumeric(it));
  const measures = rows.map(({ measure }) => measure);
  const amounts = isId ? [] : writeFigures(name, values, measures);
  const written = values.map((it, row) => amounts[row] ?? viewCell(name, it, labels));
  // The path that all measures share, such as `revenue.`, is said once.
  const [start = ''] = (rows.length > 1 && /^([a-z_]\w*\.)+(?=\w)/.exec(written[0] ?? '')) || [];
  const path = written.every((cell) => cell.startsWith(start)) ? start : '';
  const cells = written.map((cell) => cell.slice(path.length));
  const isTime = cells.every((cell) => /^(\d{4}-\d\d-\d\d( .*)?)?$/.test(cell));
  const isLink = cells.some((cell) => cell.includes('://'));
  // Links and bare ids say least to a person, figures, names and times most.
  const ofKind = isFigure || isNamed || isTime || name === 'id' ? 1 : isId ? 3 : 2;
  const rank = at === 0 ? 0 : isLink ? 4 : ofKind;
  return {
    title: neutralise(name),
    cells,
    isFigure,
    isWhole: isTime || isLink || isId,
    rank,
    path,
  };
}

/** The columns that can be read on one line, in their order; always the first. */
function fitting(columns: readonly ViewedColumn[], width: number): readonly ViewedColumn[] {
  const needed = columns.reduce((sum, { title, cells, isFigure, isWhole }) => {
    const natural = Math.max(...[title, ...cells].map((cell) => stringWidth(cell)));
    return sum + 2 + (isFigure || isWhole ? natural : Math.min(natural, readableWidth));
  }, -2);
  if (needed <= width || columns.length <= 1) return columns;
  const ranks = columns.map(({ rank }) => rank);
  const last = ranks.lastIndexOf(Math.max(...ranks));
  return fitting(columns.toSpliced(last, 1), width);
}

/** An object: a line a value, then its members, indented, lists of rows as tables. */
function viewObject(object: JsonObject, labels: Labels, width: number, depth = 0): string[] {
  const entries = Object.entries(object);
  const plain = entries.filter(([, value]) => !isCompound(value));
  const stem = (key: string) => key.replace(/_(wt|ex)$/, '');
  const rows = plain.map(([key, value]): [key: string, text: string, isFigure: boolean] => {
    const isFigure = isNumber(value) && !isIdentifier(key);
    // An amount with VAT and the one without are written alike.
    const alike = plain.filter(([other]) => stem(other) === stem(key)).map(([, it]) => it);
    const amount = isFigure ? figureWriter(key, alike)?.(value) : undefined;
    return [neutralise(key), amount ?? (viewCell(key, value, labels) || 'none'), isFigure];
  });
  const keyWidth = Math.max(0, ...rows.map(([key]) => stringWidth(key)));
  const figureWidth = Math.max(
    0,
    ...rows.map(([, text, isFigure]) => (isFigure ? text.length : 0)),
  );
  const lines = rows.flatMap(([key, text, isFigure]) =>
    wrap(text, Math.max(20, width - keyWidth - 2)).map((line, at) => {
      const padding = ' '.repeat(keyWidth + 2 - (at === 0 ? stringWidth(key) : 0));
      const value = isFigure ? line.padStart(figureWidth) : line;
      return `${at === 0 ? paint('dim', key) : ''}${padding}${value}`;
    }),
  );
  const members = entries.flatMap(([key, value]) => {
    if (!isCompound(value)) return [];
    const inner = viewMember(value, labels, width - 2, depth + 1);
    return section(
      inner.map((line) => `  ${line}`.trimEnd()),
      neutralise(key),
    );
  });
  return [...lines, ...members];
}

function viewMember(value: unknown, labels: Labels, width: number, depth: number): string[] {
  if (Array.isArray(value)) return viewRows(value.filter(isRecord), labels, width);
  if (isRecord(value) && depth < maxDepth) return viewObject(value, labels, width, depth);
  return wrap(neutralJson(value), width);
}

/** Whether a value needs lines of its own: an object, or a list of rows. */
function isCompound(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isRecord);
  return isRecord(value) && Object.keys(value).length > 0;
}

/** One value: a name for an id, an Amsterdam time without its offset, a list of rows as their count. */
function viewCell(field: string, value: unknown, labels: Labels): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value))
    return value.some(isRecord) ? countNoun(value.length, 'row') : neutralise(value.join(', '));
  if (typeof value === 'object') return neutralJson(value);
  const text = String(value);
  const names = labels[lastPart(field)] ?? {};
  const name = Object.hasOwn(names, text) ? names[text] : undefined;
  if (name === undefined) return neutralise(shortTimes(text));
  const isShared = Object.values(names).filter((it) => it === name).length > 1;
  return neutralise(isShared ? `${name} (${text})` : name);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** A number, or an amount that came as a text; a code of digits is no number. */
function isNumber(value: unknown): value is number | string {
  return typeof value === 'number' || (isNumeric(value) && String(value).includes('.'));
}
