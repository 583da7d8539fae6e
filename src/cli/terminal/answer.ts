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
import { sayFacts } from '../../mcp/answers/catalogue/catalogue.ts';
import { restOf } from '../../mcp/answers/finish.ts';
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
  holdsRows,
  type LaidColumn,
  type LaidTable,
  layOut,
  meaningOf,
  shortName,
  unitOf,
} from '../layout.ts';
import { person, personReader, shortTimes } from './catalogue/catalogue.ts';
import { drawFigure, drawRows, type FigureView } from './figure.ts';
import { alignRows, alignTable, type Column, naturalWidth } from './table.ts';
import { figureText, paint, wrap } from './text.ts';

/** A text column is shortened to this many cells before another column is left out for it. */
const narrowestText = 14;

/** Who looks at an answer, and the call that it answers. */
export interface ResultView extends FigureView {
  tool: Pick<ToolDefinition, 'tool' | 'input' | 'noun'>;
  input: JsonObject;
  /** Flags to repeat in a command, such as `--sandbox`. */
  flags: readonly string[];
}

interface TableView extends ResultView {
  labels: Labels;
}

/** The text of an answer, as a model reads it. */
export function resultText({ content = [] }: CallToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** The lines of what a tool answered: a figure, rows or values; a failure as it says itself. */
export function viewResult(result: CallToolResult, view: ResultView): string[] {
  const { structuredContent, isError } = result;
  const structured = isRecord(structuredContent) ? structuredContent : {};
  const { context, refusal, figure: drawn, ...answer } = structured;
  if (isError || !isContext(context)) return wrap(shortTimes(resultText(result)), view.width);
  const figure = readFigure(drawn);
  if (figure) return viewFigure(figure, view);
  const { tool, noun = 'rows' } = view.tool;
  const { complete, read } = context;
  const rows = Array.isArray(answer.data) ? answer.data.filter(isRecord) : undefined;
  const total = toNumber(answer.total) || read?.rows || 0;
  const counted = rows && { rows: { shown: rows.length, total, noun } };
  const headline = person.say({ code: 'headline', tool, context, ...counted });
  const table: TableView = { ...view, labels: context.labels ?? {} };
  const head = [
    ...lines(headline, view, 'dim'),
    ...(typeof refusal === 'string' ? lines(neutralise(refusal), view, 'yellow') : []),
    ...sayFacts(context, person).summary.flatMap((line) => lines(line, view)),
  ];
  const parts = layOut(tool, answer, complete !== false, true);
  const shown = parts.flatMap((part) => viewPart(part, table));
  if (rows === undefined) return [...head, '', ...shown, ...viewNotes(context, view)];
  const isAll = complete && rows.length === read?.rows;
  const ofTable = rows.length > 0 ? writeTable(readColumns(rows), table).notes(isAll) : [];
  const isDrawn = tool === query.tool && complete !== false;
  const drawing = isDrawn ? drawRows(rows, table.labels, view) : [];
  return [
    ...head,
    ...shown,
    ...(drawing.length > 0 ? ['', ...drawing] : []),
    ...viewNotes(context, view, rows.length, ofTable.map(person.say)),
  ];
}

function shownText(text: string): string {
  return shortTimes(neutralise(text));
}

function lines(text: string, { width }: FigureView, style?: Parameters<typeof paint>[0]): string[] {
  const broken = wrap(shortTimes(text), width);
  return style ? broken.map((line) => paint(style, line)) : broken;
}

/** The context of an answer, which only the server writes. */
export function isContext(value: unknown): value is FinishedContext {
  return isRecord(value);
}

/** Rows as a model's text has them; where fields were named, all that is there was. */
function writeTable(columns: Columns, { tool, input, labels }: TableView): TextTable {
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

function viewNotes(
  context: FinishedContext,
  view: ResultView,
  shown = 0,
  ofTable: readonly string[] = [],
): string[] {
  const { result, labels, complete, next } = context;
  const { meant, tables, more, warnings } = sayFacts(context, person);
  const { locale, flags, input } = view;
  const isAll = String(input.all) === 'true' && input.limit === undefined;
  const dim = (text: string) => lines(text, view, 'dim');
  // What differs in every row, such as an id, says nothing to a person.
  const profiles = (result?.columns ?? []).filter(
    ({ sum, min, values }) => (sum ?? min ?? values) !== undefined,
  );
  const kept = result && { id: result.id, rows: result.rows, until: result.expires_at };
  const profile = profileLines(profiles, labels, (figure) => figureText(figure, locale));
  return [
    ...[...meant, ...ofTable, ...tables].flatMap(dim),
    ...(kept ? ['', paint('bold', person.say({ code: 'rows_kept', ...kept }))] : []),
    ...profile.flatMap((line) => lines(`  ${line}`, view)),
    ...more.flatMap(dim),
    ...(complete === false ? dim(person.say(restOf(context, shown, isAll))) : []),
    // Not broken at the width: it may be copied.
    ...(complete === false && next
      ? [personReader(undefined, flags).say({ code: 'next_call', ...next })]
      : []),
    ...warnings.flatMap((line) => lines(line, view, 'yellow')),
  ];
}

function viewPart(part: LaidTable, view: TableView): string[] {
  if (part.kind === 'record') return viewValues(part, view);
  const { name } = part;
  const columns = new Map(part.columns.map(({ name, values }) => [name, values]));
  if (name === undefined) return viewTable(writeTable(columns, view), part, view);
  const table = textTable({ columns, labels: view.labels });
  const [, ...shown] = viewTable(table, part, view);
  const heading = name === 'explained' ? person.say({ code: 'explained_parts' }) : neutralise(name);
  const notes = table.notes().flatMap((note) => lines(person.say(note), view, 'dim'));
  return ['', ...wrap(paint('bold', heading), view.width), ...shown, ...notes];
}

type ViewedColumn = Column & { name: string; rank: number; shortTitle: string };

/** A table in at most `width` cells; columns that do not fit are named below it. */
function viewTable({ columns: written }: TextTable, part: LaidTable, view: TableView): string[] {
  if (written.length === 0) return [];
  const { width } = view;
  const columns = written.flatMap((text) => {
    const column = part.columns.find(({ name }) => name === text.name);
    return column ? [viewColumn(text, column, part, view)] : [];
  });
  const isTight = neededWidth(columns) > width;
  const titled = columns.map((it) => (isTight ? { ...it, title: it.shortTitle } : it));
  const shown = fitting(titled, width);
  const hidden = titled.filter((column) => !shown.includes(column)).map(({ name }) => name);
  const note = person.say({ code: 'no_room_for', columns: hidden.map(neutralise) });
  const [titles = '', ...rows] = alignTable(shown, width);
  const below = hidden.length > 0 ? lines(note, view, 'dim') : [];
  return ['', paint('bold', titles), ...rows, ...below];
}

function viewFigure(figure: Figure, view: FigureView): string[] {
  const { locale } = view;
  const marks = figureMarks(figure).map((mark) => paint('yellow', `${mark}.`));
  return [
    ...lines(neutralise(headingOf(figure)), view, 'bold'),
    ...lines(neutralise(`${figureSummary(figure, locale)}.`), view),
    ...(marks.length > 0 ? [marks.join(' ')] : []),
    '',
    ...drawFigure(figure, view),
    '',
    ...figureFootnotes(figure, locale).flatMap((note) => lines(neutralise(note), view, 'dim')),
  ];
}

function viewColumn(
  { name, values, cells: texts }: TextColumn,
  column: LaidColumn,
  part: LaidTable,
  view: TableView,
): ViewedColumn {
  const type = Object.hasOwn(view.labels, fieldOf(name))
    ? 'text'
    : columnType(values, meaningOf(column));
  const isId = isOfNumbers(type) && isIdentifier(name);
  const isFigure = isOfNumbers(type) && !isId;
  const unit = isFigure ? unitOf(column, part) : undefined;
  const written = texts.map((text, row) => {
    const value = values[row];
    return holdsRows(value) ? countNoun(value.length, 'row') : shownText(text);
  });
  const exact = unit === 'percent' ? alike(written) : written;
  const isPlain = !isFigure || isYearName(name);
  const cells = isPlain ? exact : exact.map((cell) => figureText(cell, view.locale));
  const titleOf = (it: string) => shownText(it) + (unit === 'euro' ? ' €' : '');
  const title = titleOf(name);
  const shortTitle = titleOf(shortName(column, part));
  const rank = isRequested(column, view) ? 5 : rankOf(name, isId, unit === 'euro');
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
function rankOf(name: string, isId: boolean, isAmount: boolean): number {
  if (isAmount) return 4;
  if (isNameColumn(name)) return 3;
  if (isSegmentName(name)) return 1;
  return isId && name !== 'id' ? 0 : 2;
}

function neededWidth(columns: readonly ViewedColumn[]): number {
  return columns.reduce((sum, column) => {
    const mostShown = column.isFigure || column.isWhole ? Infinity : narrowestText;
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

function viewValues({ columns }: LaidTable, { width, locale, labels }: TableView): string[] {
  const names = columns.map(({ name }) => neutralise(name));
  // How many decimals an amount has follows from its neighbours.
  const numbers = columns.map(({ values: [value] }) => value);
  const amounts = writeFigures('', numbers, names).map((text) => text && figureText(text, locale));
  const amountWidth = Math.max(0, ...amounts.map((amount = '') => amount.length));
  const valueWidth = Math.max(20, width - 2 - naturalWidth({ title: '', cells: names }));
  const rows = columns.flatMap(({ name, values: [value] }, at) => {
    const cell = shownText(writeCell(value, labels[fieldOf(name)]));
    const shown = wrap(amounts[at]?.padStart(amountWidth) ?? (cell || 'none'), valueWidth);
    return shown.map((line, nth) => [nth === 0 ? paint('dim', names[at] ?? '') : '', line]);
  });
  const [, ...aligned] = alignRows(['', ''], rows, Infinity);
  return aligned;
}
