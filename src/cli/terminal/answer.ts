/** An answer as a person reads it: the text that a model reads, wrapped, its table aligned, reports as lists. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Figure, readFigure } from '../../analysis/figure/figure.ts';
import {
  figureFootnotes,
  figureMarks,
  figureSummary,
  headingOf,
} from '../../analysis/figure/figure-text.ts';
import { query } from '../../analysis/query.ts';
import { readRows } from '../../analysis/read-rows.ts';
import type { Labels } from '../../analysis/reference/reference.ts';
import { isIdentifier } from '../../analysis/rows/column-type.ts';
import { readColumns } from '../../analysis/rows/rows.ts';
import { isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import { countNoun, neutralise } from '../../core/text.ts';
import { Table, writeCell, writeFigures } from '../../mcp/answers/table.ts';
import { ownCommand, shellWord } from '../program.ts';
import { drawFigure, drawRows, type FigureView } from './figure.ts';
import { alignTable, type Column, naturalWidth, tableColumns } from './table.ts';
import { forPerson, paint, shortTimes, wrap } from './text.ts';

/** A text column is shortened to this many cells before another column is left out for it. */
const readableWidth = 14;
const figureForm = /^-?\d+(\.\d+)?$/;
/** Names of numbers of one object that are no amounts, besides counts and shares. */
const noAmount = /(^|[._])(id|stock|days|hours|year|start|limit)$/;

/** Who looks at an answer, and which tool gave it. */
export interface ResultView extends FigureView {
  tool: string;
  /** Flags to repeat in a command, such as `--sandbox`. */
  flags: readonly string[];
}

/** The text of an answer, as a model reads it. */
export function resultText({ content = [] }: CallToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** The lines of what a tool answered: a figure, rows or values; a failure as it says itself. */
export function viewResult(result: CallToolResult, { tool, flags, ...view }: ResultView): string[] {
  const { structuredContent: structured, isError } = result;
  const { width } = view;
  const text = resultText(result);
  if (isError || !isRecord(structured)) return wrap(forPerson(text), width);
  const figure = readFigure(structured.figure);
  if (figure) return viewFigure(figure, view);
  const { context, refusal, data, ...payload } = structured;
  const { labels, complete } = contextSchema.parse(context);
  const [headline = '', ...lines] = text.split('\n');
  const [said, table] = parted(lines);
  const title = wrap(forPerson(headline), width).map((line) => paint('dim', line));
  const notes = viewNotes(said, flags, width);
  if (!Array.isArray(data)) return [...title, '', ...viewObject(payload, labels, width), ...notes];
  const rows = data.filter(isRecord);
  const reason = typeof refusal === 'string' ? wrap(neutralise(forPerson(refusal)), width) : [];
  // Where no column tells the rows apart there is no table, and what all share is in the notes.
  const shown = table.slice(reason.length > 0 ? 1 : 0).slice(0, rows.length + 1);
  const isDrawn = tool === query.tool && complete;
  const drawn = isDrawn ? drawRows(rows, labels, view) : [];
  return [
    ...title,
    ...reason.map((line) => paint('yellow', line)),
    ...(shown.length > rows.length ? viewTable(shown, width) : []),
    ...(drawn.length > 0 ? ['', ...drawn] : []),
    ...notes,
  ];
}

const contextSchema = z.object({
  labels: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  complete: z.boolean().default(true),
});

/** The lines that are the server's own, without their mark, and the others. */
function parted(lines: readonly string[]): [notes: string[], others: string[]] {
  const notes = lines.flatMap((line) => (line.startsWith('# ') ? [line.slice(2)] : []));
  return [notes, lines.filter((line) => !line.startsWith('# '))];
}

/** What to know of an answer. What was kept goes with this process, so it is not named. */
function viewNotes(notes: readonly string[], flags: readonly string[], width: number): string[] {
  return notes.flatMap((given) => {
    const note = shortTimes(given).replaceAll(/,( kept as)? r_\w+/g, '');
    const [, kept] = /^Kept as \w+: (.*?) until .* Over all of them:$/.exec(note) ?? [];
    if (kept) return ['', paint('bold', `Over all ${kept}:`)];
    // What differs in every row, such as an id, says nothing to a person.
    if (note.startsWith('- '))
      return /: (sum|min) |×/.test(note) ? wrap(note.replace('-', ' '), width) : [];
    if (note.startsWith('Warning: '))
      return wrap(forPerson(note), width).map((it) => paint('yellow', it));
    const [sentence = '', call] = note.split(/ Next: (?=\w+ \{.*\}$)/);
    // A command is not broken: it may be copied.
    const said = wrap(sentence, width).map((it) => paint('dim', it));
    return call === undefined ? said : [...said, sayNext(call, flags)];
  });
}

/** How to get the rest, as a command that is quoted for a POSIX shell. */
function sayNext(call: string, flags: readonly string[]): string {
  const [, tool = '', input] = /^(\w+) (.*)$/.exec(call) ?? [];
  if (tool === readRows.tool) return 'Every row that was read: add --csv';
  const pairs = Object.entries(Object(parseJson(input ?? ''))).map(([key, value]) => {
    return shellWord(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  });
  return `The next: ${[ownCommand(), 'call', tool, ...pairs, ...flags].join(' ')}`;
}

type ViewedColumn = Column & { isId: boolean };

/** A table of an answer in at most `width` cells; columns that do not fit are named below it. */
function viewTable([head = '', ...rows]: readonly string[], width: number): string[] {
  const columns = tableColumns(cellsOf(head), rows.map(cellsOf)).map(viewColumn);
  const shown = fitting(columns, width);
  const left = columns.filter((column) => !shown.includes(column)).map(({ title }) => title);
  const note = `No room for (--csv has every column): ${left.join(', ')}`;
  const [titles = '', ...lines] = alignTable(shown, width);
  const below = left.length > 0 ? wrap(note, width).map((line) => paint('dim', line)) : [];
  return ['', paint('bold', titles), ...lines, ...below];
}

/** The cells of a line, which are parted by `|`; of rows within a row their number. */
function cellsOf(line: string): string[] {
  const cells = line.split(/(?<=(?<!\\)(?:\\\\)*)\|/);
  return cells.map((written) => {
    const cell = readable(written);
    const list = cell.startsWith('[{') ? parseJson(cell) : undefined;
    return Array.isArray(list) ? countNoun(list.length, 'row') : cell;
  });
}

/** A cell as it was before it was written for a table. */
function readable(cell: string): string {
  return shortTimes(cell.replaceAll(/\\([\\|#])/g, '$1'));
}

/** A figure: what it is, the drawing, then what must be known of it. */
function viewFigure(figure: Figure, view: FigureView): string[] {
  const { width, locale } = view;
  const marks = figureMarks(figure, locale).map((mark) => paint('yellow', `${mark}.`));
  const lines = (text: string) => wrap(neutralise(forPerson(text)), width);
  const notes = figureFootnotes(figure, locale).flatMap(lines);
  return [
    ...lines(headingOf(figure, locale)).map((line) => paint('bold', line)),
    ...lines(`${figureSummary(figure, locale)}.`),
    ...(marks.length > 0 ? [marks.join(' ')] : []),
    '',
    ...drawFigure(figure, view),
    '',
    ...notes.map((line) => paint('dim', line)),
  ];
}

function viewColumn({ title, cells: written }: Column): ViewedColumn {
  const isOf = (form: RegExp) => written.every((cell) => cell === '' || form.test(cell));
  const isNumber = isOf(figureForm);
  const isId = isIdentifier(title) && isNumber;
  const isTime = isOf(/^\d{4}-\d\d-\d\d( \d\d:\d\d)?$/);
  const cells = isNumber && /percent$/.test(title) ? alike(written) : written;
  return { title, cells, isId, isFigure: isNumber && !isId, isWhole: isTime || isId };
}

/** Numbers with as many decimals as the longest of them has: nothing is rounded. */
function alike(numbers: readonly string[]): readonly string[] {
  const decimalsOf = (number: string) => number.split('.')[1]?.length ?? 0;
  const most = Math.max(...numbers.map(decimalsOf));
  return numbers.map((number) => {
    const missing = number === '' ? 0 : most - decimalsOf(number);
    const point = missing > 0 && missing === most ? '.' : '';
    return `${number}${point}${'0'.repeat(missing)}`;
  });
}

/** The columns that can be read on one line: bare ids say least to a person, then the last ones go. */
function fitting(columns: readonly ViewedColumn[], width: number): readonly ViewedColumn[] {
  const needed = columns.reduce((sum, column) => {
    const mostShown = column.isFigure || column.isWhole ? Infinity : readableWidth;
    return sum + 2 + Math.min(naturalWidth(column), mostShown);
  }, -2);
  if (needed <= width || columns.length <= 1) return columns;
  const id = columns.findLastIndex(({ isId }, at) => isId && at > 0);
  return fitting(columns.toSpliced(id === -1 ? columns.length - 1 : id, 1), width);
}

/** An object: a line a value, by its dotted name, then its lists of rows as tables. */
function viewObject(object: JsonObject, labels: Labels, width: number): string[] {
  const columns = [...readColumns([object])];
  const isList = ([, [value]]: (typeof columns)[number]) =>
    Array.isArray(value) && value.some(isRecord);
  const values = columns.filter((column) => !isList(column));
  const names = values.map(([name]) => neutralise(name));
  // How many decimals an amount has follows from its neighbours.
  const numbers = values.map(([name, [value]]) => (noAmount.test(name) ? null : value));
  const amounts = writeFigures('', numbers, names);
  const amountWidth = Math.max(0, ...amounts.map((amount = '') => amount.length));
  const valueWidth = Math.max(20, width - 2 - naturalWidth({ title: '', cells: names }));
  const lines = values.flatMap(([name, [value]], at) => {
    const cell = readable(writeCell(value, labels[name.slice(name.lastIndexOf('.') + 1)]));
    const shown = wrap(amounts[at]?.padStart(amountWidth) ?? (cell || 'none'), valueWidth);
    return shown.map((line, nth) => [nth === 0 ? paint('dim', names[at] ?? '') : '', line]);
  });
  const [, ...aligned] = alignTable(tableColumns(['', ''], lines), Infinity);
  const lists = columns.filter(isList).flatMap(([name, [value]]) => {
    const rows = readColumns([value].flat().filter(isRecord));
    const [notes, table] = parted(new Table({ columns: rows, labels }).text().split('\n'));
    const [, ...shown] = viewTable(table, width);
    return ['', paint('bold', neutralise(name)), ...shown, ...viewNotes(notes, [], width)];
  });
  return [...aligned, ...lists];
}
