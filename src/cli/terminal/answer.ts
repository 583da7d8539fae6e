/** An answer as a person reads it: its table aligned, reports as lists, its notes in sentences. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FinishedContext, ToolCall } from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import { type Figure, readFigure } from '../../analysis/figure/figure.ts';
import {
  type FigureLocale,
  figureFootnotes,
  figureMarks,
  figureSummary,
  headingOf,
} from '../../analysis/figure/figure-text.ts';
import { query } from '../../analysis/query.ts';
import { readRows } from '../../analysis/read-rows.ts';
import type { Labels } from '../../analysis/reference/reference.ts';
import type { ColumnProfile } from '../../analysis/rows/column-profile.ts';
import { type Row, readColumns } from '../../analysis/rows/rows.ts';
import { compareTurnover } from '../../analysis/turnover/turnover.ts';
import {
  fieldOf,
  isIdentifier,
  isNameColumn,
  isNoAmount,
  isPercentage,
  isSegmentName,
  isYearName,
} from '../../core/column-name.ts';
import { isRecord, type JsonObject, toNumber } from '../../core/json.ts';
import { decimalsOf, toDecimal } from '../../core/money.ts';
import { countNoun, neutralise } from '../../core/text.ts';
import {
  namesColumnsBy,
  profileLines,
  type TextColumn,
  type TextTable,
  textTable,
  writeCell,
  writeFigures,
} from '../../mcp/answers/table.ts';
import {
  moreLines,
  resolvedLines,
  restOf,
  summaryLines,
  tableLines,
  warningLines,
} from '../../mcp/answers/text.ts';
import { ownCommand, shellWord } from '../program.ts';
import { personReader, shortTimes } from './catalogue/catalogue.ts';
import { comparisonTables } from './comparison.ts';
import { drawFigure, drawRows, type FigureView } from './figure.ts';
import { alignTable, type Column, naturalWidth, tableColumns } from './table.ts';
import { figureText, paint, wrap } from './text.ts';

const reader = personReader(() => true);

/** A text column is shortened to this many cells before another column is left out for it. */
const readableWidth = 14;
const figureForm = /^-?\d+(\.\d+)?$/;

/** Who looks at an answer, and the call that it answers. */
export interface ResultView extends FigureView {
  tool: Pick<ToolDefinition, 'tool' | 'input' | 'noun'>;
  input: JsonObject;
  /** Flags to repeat in a command, such as `--sandbox`. */
  flags: readonly string[];
}

/** The text of an answer, as a model reads it. */
export function resultText({ content = [] }: CallToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** The lines of what a tool answered: a figure, rows or values; a failure as it says itself. */
export function viewResult(result: CallToolResult, view: ResultView): string[] {
  const { structuredContent, isError } = result;
  const { width } = view;
  const structured = isRecord(structuredContent) ? structuredContent : {};
  const { context, refusal, data, explained, figure: drawn, ...payload } = structured;
  if (isError || !isContext(context)) return wrap(shortTimes(resultText(result)), width);
  const figure = readFigure(drawn);
  if (figure) return viewFigure(figure, view);
  const { tool, noun = 'rows' } = view.tool;
  const { labels = {}, complete, read } = context;
  const shown = Array.isArray(data) ? data.length : undefined;
  const total = toNumber(payload.total) || read?.rows || 0;
  const counted = shown !== undefined && { rows: { shown, total, noun } };
  const headline = reader.say({ code: 'headline', tool, context, ...counted });
  const title = wrap(shortTimes(headline), width).map((line) => paint('dim', line));
  if (!Array.isArray(data))
    return [...title, '', ...viewObject(payload, labels, view), ...viewNotes(context, view)];
  const rows = data.filter(isRecord);
  const table = tableOf(rows, labels, view);
  const ofTable =
    rows.length > 0 ? table.notes(complete && rows.length === read?.rows).map(reader.say) : [];
  const reason = typeof refusal === 'string' ? wrap(neutralise(shortTimes(refusal)), width) : [];
  const isWhole = (tool: string) => tool === view.tool.tool && complete !== false;
  const folded = isWhole(compareTurnover.tool) ? comparisonTables(rows) : undefined;
  const tables = folded?.map((it) => tableOf(it, labels, view)) ?? [table];
  const isRequested = requestedColumns(view, rows);
  const drawing = isWhole(query.tool) ? drawRows(rows, labels, view) : [];
  return [
    ...title,
    ...reason.map((line) => paint('yellow', line)),
    ...summaryLines(context, reader).flatMap((line) => wrap(shortTimes(line), width)),
    ...tables.flatMap((it) => viewTable(it, view, isRequested)),
    ...(Array.isArray(explained)
      ? viewList(reader.say({ code: 'explained_parts' }), explained, {}, view)
      : []),
    ...(drawing.length > 0 ? ['', ...drawing] : []),
    ...viewNotes(context, view, rows.length, ofTable),
  ];
}

/** The context of an answer, which only the server writes. */
export function isContext(value: unknown): value is FinishedContext {
  return isRecord(value);
}

/** The rows as a model's text has them; where fields were named, all that is there was. */
function tableOf(rows: readonly Row[], labels: Labels, { tool, input }: ResultView): TextTable {
  const columns = readColumns(rows);
  return textTable({
    ...{ columns, labels, namedBy: namesColumnsBy(tool), hasNamesInRows: true },
    requested: input.fields === undefined ? [] : [...columns.keys()],
    // It draws what a client gets, which does not hold the statement's tree.
    isMentioned: (column: string) => String(input.sql ?? '').includes(column),
  });
}

/** What to know of an answer. What was kept goes with this process, so it is not named. */
function viewNotes(
  context: FinishedContext,
  { width, locale, flags }: ResultView,
  shown = 0,
  ofTable: readonly string[] = [],
): string[] {
  const { result, ...unkept } = context;
  const { labels, complete, next } = context;
  const tables = context.tables?.map(({ result: _, ...use }) => use) ?? [];
  const dim = (text: string) => wrap(shortTimes(text), width).map((line) => paint('dim', line));
  // What differs in every row, such as an id, says nothing to a person.
  const isTelling = ({ sum, min, values }: ColumnProfile) => (sum ?? min ?? values) !== undefined;
  const lines = profileLines(result?.columns.filter(isTelling) ?? [], labels);
  const figures = /(?<=\b(?:sum|min|max) )-?\d+(\.\d+)?(?=,|$)/g;
  const profile = lines.map((it) => it.replaceAll(figures, (text) => figureText(text, locale)));
  return [
    ...[...resolvedLines(context, reader), ...ofTable, ...tableLines({ tables }, reader)].flatMap(
      dim,
    ),
    ...(result ? ['', paint('bold', reader.say({ code: 'over_all', rows: result.rows }))] : []),
    ...profile.flatMap((line) => wrap(shortTimes(`  ${line}`), width)),
    ...moreLines(context, reader).flatMap(dim),
    ...(complete === false ? dim(reader.say(restOf(unkept, shown))) : []),
    ...(complete === false && next ? [sayNext(next, flags)] : []),
    ...warningLines(context)
      .flatMap((line) => wrap(shortTimes(line), width))
      .map((line) => paint('yellow', line)),
  ];
}

/** How to get the rest, as a command that is quoted for a POSIX shell and not broken: it may be copied. */
function sayNext({ tool, arguments: input }: ToolCall, flags: readonly string[]): string {
  if (tool === readRows.tool) return reader.say({ code: 'rows_as_csv' });
  const pairs = Object.entries(input).map(([key, value]) => {
    return shellWord(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  });
  const command = [ownCommand(), 'call', tool, ...pairs, ...flags].join(' ');
  return reader.say({ code: 'next_rows', command });
}

type ViewedColumn = Column & {
  name: string;
  isId: boolean;
  isAmount: boolean;
  /** An argument named or caused it. */
  isRequested: boolean;
};

/** Columns that an argument causes without naming them. */
const caused: Readonly<Record<string, readonly string[]>> = {
  expected: ['expected', 'low', 'high'],
  against: ['current', 'reference', 'reference_wt'],
};

/** Whether a column is named by an argument of the call, or is there because of one. */
function requestedColumns({ input }: ResultView, rows: readonly Row[]) {
  const values = ['fields', 'measures', 'sort'].flatMap((name) => [input[name] ?? []].flat());
  const named = values
    .flatMap((it) => String(it).split(','))
    .map((it) => it.trim().replace(/^-/, ''));
  const measures = rows.map((row) => row.measure).filter((it) => typeof it === 'string');
  const names = new Set([
    ...[...named, ...measures].flatMap((it) => [it, fieldOf(it)]),
    ...Object.keys(input).flatMap((name) => (input[name] ? (caused[name] ?? []) : [])),
  ]);
  return (name: string) => names.has(name);
}

/** A table in at most `width` cells; columns that do not fit are named below it. */
function viewTable(
  { columns: written }: TextTable,
  { width, locale }: FigureView,
  isRequested = (_: string) => false,
): string[] {
  if (written.length === 0) return [];
  // Where each row measures something else, not every figure is in euros.
  const isMixed = written.some(({ name }) => name === 'measure');
  const columns = written.map((column) => {
    const viewed = viewColumn(column, locale);
    const title = viewed.isAmount && !isMixed ? `${viewed.title} €` : viewed.title;
    return { ...viewed, title, isRequested: isRequested(column.name) };
  });
  const shown = fitting(columns, width);
  const hidden = columns.filter((column) => !shown.includes(column)).map(({ name }) => name);
  const note = reader.say({ code: 'no_room_for', columns: hidden.map(neutralise) });
  const [titles = '', ...lines] = alignTable(shown, width);
  const below = hidden.length > 0 ? wrap(note, width).map((line) => paint('dim', line)) : [];
  return ['', paint('bold', titles), ...lines, ...below];
}

function readable(text: string): string {
  return shortTimes(neutralise(text));
}

function viewFigure(figure: Figure, view: FigureView): string[] {
  const { width, locale } = view;
  const marks = figureMarks(figure).map((mark) => paint('yellow', `${mark}.`));
  const lines = (text: string) => wrap(neutralise(shortTimes(text)), width);
  const notes = figureFootnotes(figure, locale).flatMap(lines);
  return [
    ...lines(headingOf(figure)).map((line) => paint('bold', line)),
    ...lines(`${figureSummary(figure, locale)}.`),
    ...(marks.length > 0 ? [marks.join(' ')] : []),
    '',
    ...drawFigure(figure, view),
    '',
    ...notes.map((line) => paint('dim', line)),
  ];
}

function viewColumn(
  { name, values, cells: texts }: TextColumn,
  locale: FigureLocale,
): Omit<ViewedColumn, 'isRequested'> {
  const title = readable(name);
  const written = texts.map((text, row) => {
    const value = values[row];
    // Of rows within a row their number.
    const isRows = Array.isArray(value) && isRecord(value[0]);
    return isRows ? countNoun(value.length, 'row') : readable(text);
  });
  const isOf = (form: RegExp) => written.every((cell) => cell === '' || form.test(cell));
  const isNumber = isOf(figureForm);
  const isId = isIdentifier(title) && isNumber;
  const isTime = isOf(/^\d{4}-\d\d-\d\d([ T]\d\d:\d\d\S*)?$/);
  const isFigure = isNumber && !isId;
  const exact = isFigure && isPercentage(title) ? alike(written) : written;
  const isPlain = !isFigure || isYearName(title);
  const cells = isPlain ? exact : exact.map((cell) => figureText(cell, locale));
  const isAmount = isFigure && written.some((cell) => cell.includes('.')) && !isNoAmount(name);
  return { name, title, cells, isId, isFigure, isAmount, isWhole: isTime || isId };
}

/** Numbers with as many decimals as the longest of them has: nothing is rounded. */
function alike(numbers: readonly string[]): readonly string[] {
  const most = Math.max(...numbers.map(decimalsOf));
  return numbers.map((number) => toDecimal(number)?.toFixed(most) ?? number);
}

/**
 * The columns that can be read on one line. What says least to a person goes first, of several the last one: ids of
 * other things, segments, what is no amount and no name, names, amounts, and in the end what was asked for. The first
 * column says what a row is, and stays.
 */
function fitting(columns: readonly ViewedColumn[], width: number): readonly ViewedColumn[] {
  const needed = columns.reduce((sum, column) => {
    const mostShown = column.isFigure || column.isWhole ? Infinity : readableWidth;
    return sum + 2 + Math.min(naturalWidth(column), mostShown);
  }, -2);
  if (needed <= width || columns.length <= 1) return columns;
  const ranks = columns.slice(1).map(rankOf);
  const leaving = 1 + ranks.lastIndexOf(Math.min(...ranks));
  return fitting(columns.toSpliced(leaving, 1), width);
}

/** How much a column says: the least goes first. */
function rankOf({ name, isId, isAmount, isRequested }: ViewedColumn): number {
  if (isRequested) return 5;
  if (isAmount) return 4;
  if (isNameColumn(name)) return 3;
  if (isSegmentName(name)) return 1;
  return isId && name !== 'id' ? 0 : 2;
}

/** An object: a line a value, by its dotted name, then its lists of rows as tables. */
function viewObject(object: JsonObject, labels: Labels, view: FigureView): string[] {
  const { width, locale } = view;
  const columns = [...readColumns([object])];
  const isList = ([, [value]]: (typeof columns)[number]) =>
    Array.isArray(value) && value.some(isRecord);
  const values = columns.filter((column) => !isList(column));
  const names = values.map(([name]) => neutralise(name));
  // How many decimals an amount has follows from its neighbours.
  const numbers = values.map(([, [value]]) => value);
  const amounts = writeFigures('', numbers, names).map((text) => text && figureText(text, locale));
  const amountWidth = Math.max(0, ...amounts.map((amount = '') => amount.length));
  const valueWidth = Math.max(20, width - 2 - naturalWidth({ title: '', cells: names }));
  const lines = values.flatMap(([name, [value]], at) => {
    const cell = readable(writeCell(value, labels[fieldOf(name)]));
    const shown = wrap(amounts[at]?.padStart(amountWidth) ?? (cell || 'none'), valueWidth);
    return shown.map((line, nth) => [nth === 0 ? paint('dim', names[at] ?? '') : '', line]);
  });
  const [, ...aligned] = alignTable(tableColumns(['', ''], lines), Infinity);
  const lists = columns.filter(isList).map(([name, [value]]) => {
    return viewList(name, [value].flat(), labels, view);
  });
  return [...aligned, ...lists.flat()];
}

function viewList(
  heading: string,
  list: readonly unknown[],
  labels: Labels,
  view: FigureView,
): string[] {
  const { width } = view;
  const table = textTable({ columns: readColumns(list.filter(isRecord)), labels });
  const [, ...shown] = viewTable(table, view);
  const notes = table.notes().flatMap((note) => wrap(shortTimes(reader.say(note)), width));
  const dimmed = notes.map((line) => paint('dim', line));
  return ['', ...wrap(paint('bold', neutralise(heading)), width), ...shown, ...dimmed];
}
