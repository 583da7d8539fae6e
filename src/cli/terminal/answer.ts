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
  isPercentage,
  isSegmentName,
  isYearName,
} from '../../core/column-name.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
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
  tool: Pick<ToolDefinition, 'tool' | 'input'>;
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
  const text = resultText(result);
  const structured = isRecord(structuredContent) ? structuredContent : {};
  const { context, refusal, data, explained, figure: drawn, ...payload } = structured;
  if (isError || !isContext(context)) return wrap(shortTimes(text), width);
  const figure = readFigure(drawn);
  if (figure) return viewFigure(figure, view);
  const [headline = ''] = text.split('\n');
  const title = wrap(shortTimes(headline), width).map((line) => paint('dim', line));
  const { labels = {}, complete, read } = context;
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
  const drawing = isWhole(query.tool) ? drawRows(rows, labels, view) : [];
  return [
    ...title,
    ...reason.map((line) => paint('yellow', line)),
    ...summaryLines(context, reader).flatMap((line) => wrap(shortTimes(line), width)),
    ...tables.flatMap((it) => viewTable(it, view)),
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
    ...(result ? ['', paint('bold', `Over all ${countNoun(result.rows, 'row')}:`)] : []),
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
  if (tool === readRows.tool) return 'Every row that was read: add --csv';
  const pairs = Object.entries(input).map(([key, value]) => {
    return shellWord(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  });
  return `The next: ${[ownCommand(), 'call', tool, ...pairs, ...flags].join(' ')}`;
}

type ViewedColumn = Column & { isId: boolean; isAmount: boolean };

/** A table in at most `width` cells; columns that do not fit are named below it. */
function viewTable({ columns: written }: TextTable, { width, locale }: FigureView): string[] {
  if (written.length === 0) return [];
  const columns = written.map((column) => viewColumn(column, locale));
  const shown = fitting(columns, width);
  const hidden = columns.filter((column) => !shown.includes(column)).map(({ title }) => title);
  const note = `No room for (--csv has every column): ${hidden.join(', ')}`;
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
): ViewedColumn {
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
  const isAmount = isFigure && written.some((cell) => cell.includes('.'));
  return { title, cells, isId, isFigure, isAmount, isWhole: isTime || isId };
}

/** Numbers with as many decimals as the longest of them has: nothing is rounded. */
function alike(numbers: readonly string[]): readonly string[] {
  const most = Math.max(...numbers.map(decimalsOf));
  return numbers.map((number) => toDecimal(number)?.toFixed(most) ?? number);
}

/**
 * The columns that can be read on one line: ids of other things say least to a person, then segments, then the last
 * ones go. The first column says what a row is, and the first amount is what it was asked for.
 */
function fitting(columns: readonly ViewedColumn[], width: number): readonly ViewedColumn[] {
  const needed = columns.reduce((sum, column) => {
    const mostShown = column.isFigure || column.isWhole ? Infinity : readableWidth;
    return sum + 2 + Math.min(naturalWidth(column), mostShown);
  }, -2);
  if (needed <= width || columns.length <= 1) return columns;
  const amount = columns.find(({ isAmount }) => isAmount);
  const behind = columns.slice(1).filter((column) => column !== amount);
  const leaving =
    behind.findLast(({ isId, title }) => isId && title !== 'id') ??
    behind.findLast(({ title }) => isSegmentName(title)) ??
    behind.at(-1) ??
    amount;
  const others = columns.filter((column) => column !== leaving);
  return fitting(others, width);
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
