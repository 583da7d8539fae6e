/** An answer as a person reads it: its table aligned, reports as lists, its notes in sentences. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FinishedContext } from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import { type Figure, readFigure } from '../../analysis/figure/figure.ts';
import {
  figureFootnotes,
  figureMarks,
  figureSummary,
  headingOf,
} from '../../analysis/figure/figure-text.ts';
import { query } from '../../analysis/query.ts';
import type { Labels } from '../../analysis/reference/reference.ts';
import type { ColumnProfile } from '../../analysis/rows/column-profile.ts';
import { type Columns, readColumns } from '../../analysis/rows/rows.ts';
import {
  fieldOf,
  isIdentifier,
  isNameColumn,
  isSegmentName,
  isYearName,
} from '../../core/column-name.ts';
import { columnType, isOfNumbers, isOfTimes } from '../../core/column-type.ts';
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
import {
  holdsRows,
  type LaidColumn,
  layOut,
  meaningOf,
  type Part,
  shortName,
  tablesOf,
  unitOf,
} from '../layout.ts';
import { personReader, shortTimes } from './catalogue/catalogue.ts';
import { drawFigure, drawRows, type FigureView } from './figure.ts';
import { alignTable, type Column, naturalWidth, tableColumns } from './table.ts';
import { figureText, paint, wrap } from './text.ts';

const reader = personReader(() => true);

/** A text column is shortened to this many cells before another column is left out for it. */
const readableWidth = 14;

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
  const { context, refusal, figure: drawn, ...answer } = structured;
  if (isError || !isContext(context)) return wrap(shortTimes(resultText(result)), width);
  const figure = readFigure(drawn);
  if (figure) return viewFigure(figure, view);
  const { tool, noun = 'rows' } = view.tool;
  const { labels = {}, complete, read } = context;
  const { data } = answer;
  const rows = Array.isArray(data) ? data.filter(isRecord) : undefined;
  const total = toNumber(answer.total) || read?.rows || 0;
  const counted = rows && { rows: { shown: rows.length, total, noun } };
  const headline = reader.say({ code: 'headline', tool, context, ...counted });
  const title = wrap(shortTimes(headline), width).map((line) => paint('dim', line));
  const parts = layOut(tool, answer, complete !== false);
  const drawTable = (part: Part) => viewPart(part, labels, view);
  if (rows === undefined) {
    const summary = summaryLines(context, reader).flatMap((line) => wrap(shortTimes(line), width));
    return [...title, ...summary, '', ...parts.flatMap(drawTable), ...viewNotes(context, view)];
  }
  const reason = typeof refusal === 'string' ? wrap(neutralise(shortTimes(refusal)), width) : [];
  const isAll = complete && rows.length === read?.rows;
  const ofTable = rows.length > 0 ? writeTable(readColumns(rows), labels, view).notes(isAll) : [];
  const drawing = tool === query.tool && complete !== false ? drawRows(rows, labels, view) : [];
  return [
    ...title,
    ...reason.map((line) => paint('yellow', line)),
    ...summaryLines(context, reader).flatMap((line) => wrap(shortTimes(line), width)),
    ...parts
      .flatMap((part) => (part.kind === 'split' ? tablesOf(part) : [part]))
      .flatMap(drawTable),
    ...(drawing.length > 0 ? ['', ...drawing] : []),
    ...viewNotes(context, view, rows.length, ofTable.map(reader.say)),
  ];
}

/** The context of an answer, which only the server writes. */
export function isContext(value: unknown): value is FinishedContext {
  return isRecord(value);
}

/** Rows as a model's text has them; where fields were named, all that is there was. */
function writeTable(columns: Columns, labels: Labels, { tool, input }: ResultView): TextTable {
  return textTable({
    columns,
    labels,
    namedBy: namesColumnsBy(tool),
    hasNamesInRows: true,
    requested: input.fields === undefined ? [] : [...columns.keys()],
    // It draws what a client gets, which does not hold the statement's tree.
    isMentioned: (column: string) => String(input.sql ?? '').includes(column),
  });
}

/** What to know of an answer. */
function viewNotes(
  context: FinishedContext,
  { width, locale, flags, input }: ResultView,
  shown = 0,
  ofTable: readonly string[] = [],
): string[] {
  const { result, labels, complete, next } = context;
  const isAll = String(input.all) === 'true' && input.limit === undefined;
  const dim = (text: string) => wrap(shortTimes(text), width).map((line) => paint('dim', line));
  // What differs in every row, such as an id, says nothing to a person.
  const isTelling = ({ sum, min, values }: ColumnProfile) => (sum ?? min ?? values) !== undefined;
  const told = result?.columns.filter(isTelling) ?? [];
  const profile = profileLines(told, labels, (figure) => figureText(figure, locale));
  return [
    ...[...resolvedLines(context, reader), ...ofTable, ...tableLines(context, reader)].flatMap(dim),
    ...(result
      ? [
          '',
          paint(
            'bold',
            reader.say({
              code: 'rows_kept',
              id: result.id,
              rows: result.rows,
              until: result.expires_at,
            }),
          ),
        ]
      : []),
    ...profile.flatMap((line) => wrap(shortTimes(`  ${line}`), width)),
    ...moreLines(context, reader).flatMap(dim),
    ...(complete === false ? dim(reader.say(restOf(context, shown, isAll))) : []),
    // Not broken at the width: it may be copied.
    ...(complete === false && next
      ? [personReader(undefined, flags).say({ code: 'next_call', ...next })]
      : []),
    ...warningLines(context)
      .flatMap((line) => wrap(shortTimes(line), width))
      .map((line) => paint('yellow', line)),
  ];
}

/** A table, a list with its heading, or values. */
function viewPart(part: Part, labels: Labels, view: ResultView): string[] {
  if (part.kind === 'record') return viewValues(part, labels, view);
  const hasTotal = part.columns.some((column) => 'total' in column);
  const columns = new Map(
    part.columns.map(({ name, values, total }) => [name, hasTotal ? [...values, total] : values]),
  );
  if (part.name === undefined)
    return viewTable(writeTable(columns, labels, view), part, labels, view);
  const table = textTable({ columns, labels });
  const [, ...shown] = viewTable(table, part, labels, view);
  const heading =
    part.name === 'explained' ? reader.say({ code: 'explained_parts' }) : neutralise(part.name);
  const notes = table.notes().flatMap((note) => wrap(shortTimes(reader.say(note)), view.width));
  const dimmed = notes.map((line) => paint('dim', line));
  return ['', ...wrap(paint('bold', heading), view.width), ...shown, ...dimmed];
}

type ViewedColumn = Column & { name: string; rank: number; shortTitle: string };

/** A table in at most `width` cells; columns that do not fit are named below it. */
function viewTable(
  { columns: written }: TextTable,
  part: Part,
  labels: Labels,
  view: ResultView,
): string[] {
  if (written.length === 0) return [];
  const { width } = view;
  const columns = written.flatMap((text) => {
    const column = part.columns.find(({ name }) => name === text.name);
    return column ? [viewColumn(text, column, part, labels, view)] : [];
  });
  const isTight = neededWidth(columns) > width;
  const titled = columns.map((it) => (isTight ? { ...it, title: it.shortTitle } : it));
  const shown = fitting(titled, width);
  const hidden = titled.filter((column) => !shown.includes(column)).map(({ name }) => name);
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
  column: LaidColumn,
  part: Part,
  labels: Labels,
  view: ResultView,
): ViewedColumn {
  const type = Object.hasOwn(labels, fieldOf(name))
    ? 'text'
    : columnType(values, meaningOf(column));
  const isId = isOfNumbers(type) && isIdentifier(name);
  const isFigure = isOfNumbers(type) && !isId;
  const unit = isFigure ? unitOf(column, part) : undefined;
  const written = texts.map((text, row) => {
    const value = values[row];
    return holdsRows(value) ? countNoun(value.length, 'row') : readable(text);
  });
  const exact = unit === 'percent' ? alike(written) : written;
  const isPlain = !isFigure || isYearName(name);
  const cells = isPlain ? exact : exact.map((cell) => figureText(cell, view.locale));
  const titleOf = (it: string) => readable(it) + (unit === 'euro' ? ' €' : '');
  const [title, shortTitle] = [titleOf(name), titleOf(shortName(column, part))];
  const rank = isRequested(column, view) ? 5 : rankOf({ name, isId, isAmount: unit === 'euro' });
  return { name, title, shortTitle, cells, rank, isFigure, isWhole: isId || isOfTimes(type) };
}

/** Numbers with as many decimals as the longest of them has: nothing is rounded. */
function alike(numbers: readonly string[]): readonly string[] {
  const most = Math.max(...numbers.map(decimalsOf));
  return numbers.map((number) => toDecimal(number)?.toFixed(most) ?? number);
}

/** What arguments ask for beside the figures themselves. */
const caused: Readonly<Record<string, readonly string[]>> = {
  expected: ['expected', 'low', 'high'],
  against: ['reference', 'low', 'high'],
};

/** Whether a column is named by an argument of the call, or is there because of one. */
function isRequested({ name, aspect = 'current', isMain }: LaidColumn, { input }: ResultView) {
  const named = ['fields', 'measures', 'sort']
    .flatMap((argument) => [input[argument] ?? []].flat())
    .flatMap((it) => String(it).split(','))
    .map((it) => it.trim().replace(/^-/, ''));
  if ([name, fieldOf(name)].some((it) => named.includes(it))) return true;
  const isCaused = Object.entries(caused).some(
    ([argument, of]) => input[argument] && of.includes(aspect),
  );
  return isMain === true && (aspect === 'current' || isCaused);
}

/**
 * How much a column says that was not asked for: the least goes first. Ids of other things, segments, what is no amount
 * and no name, names, amounts.
 */
function rankOf({
  name,
  isId,
  isAmount,
}: {
  name: string;
  isId: boolean;
  isAmount: boolean;
}): number {
  if (isAmount) return 4;
  if (isNameColumn(name)) return 3;
  if (isSegmentName(name)) return 1;
  return isId && name !== 'id' ? 0 : 2;
}

function neededWidth(columns: readonly ViewedColumn[]): number {
  return columns.reduce((sum, column) => {
    const mostShown = column.isFigure || column.isWhole ? Infinity : readableWidth;
    return sum + 2 + Math.min(naturalWidth(column), mostShown);
  }, -2);
}

/** The columns that fit one line: of those that say least the last one goes first. The first says what a row is, and stays. */
function fitting(columns: readonly ViewedColumn[], width: number): readonly ViewedColumn[] {
  if (neededWidth(columns) <= width || columns.length <= 1) return columns;
  const ranks = columns.slice(1).map(({ rank }) => rank);
  const leaving = 1 + ranks.lastIndexOf(Math.min(...ranks));
  return fitting(columns.toSpliced(leaving, 1), width);
}

/** A line a value, by its dotted name. */
function viewValues({ columns }: Part, labels: Labels, view: FigureView): string[] {
  const { width, locale } = view;
  const names = columns.map(({ name }) => neutralise(name));
  // How many decimals an amount has follows from its neighbours.
  const numbers = columns.map(({ values: [value] }) => value);
  const amounts = writeFigures('', numbers, names).map((text) => text && figureText(text, locale));
  const amountWidth = Math.max(0, ...amounts.map((amount = '') => amount.length));
  const valueWidth = Math.max(20, width - 2 - naturalWidth({ title: '', cells: names }));
  const lines = columns.flatMap(({ name, values: [value] }, at) => {
    const cell = readable(writeCell(value, labels[fieldOf(name)]));
    const shown = wrap(amounts[at]?.padStart(amountWidth) ?? (cell || 'none'), valueWidth);
    return shown.map((line, nth) => [nth === 0 ? paint('dim', names[at] ?? '') : '', line]);
  });
  const [, ...aligned] = alignTable(tableColumns(['', ''], lines), Infinity);
  return aligned;
}
