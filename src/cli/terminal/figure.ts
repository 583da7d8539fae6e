/** A figure in a terminal: bars, or a line of block signs for each series over time. */
import stringWidth from 'string-width';
import { decideFigure } from '../../analysis/figure/decide-figure.ts';
import type { Figure, FigureValue } from '../../analysis/figure/figure.ts';
import { figureSummary } from '../../analysis/figure/text/figure-text.ts';
import {
  type FigureLocale,
  figureFootnotes,
  figureMarks,
  formatOf,
  headingOf,
} from '../../analysis/figure/text/words.ts';
import type { Labels } from '../../analysis/reference/reference.ts';
import { isIdentifier } from '../../analysis/rows/column-profile.ts';
import type { Row } from '../../analysis/rows/rows.ts';
import { neutralise } from '../../core/text.ts';
import { alignTable } from './table.ts';
import { type Colour, forPerson, paint, wrap } from './text.ts';

/** Cells of a line, and the reader's language. */
export type FigureView = Readonly<{ width: number; locale: FigureLocale }>;

/** One bar says nothing, and more than a screen of them is for show_figure. */
const [fewestRows, mostRows] = [2, 40];
/** A course of more labels is drawn as a line. */
const mostCourseBars = 14;

const colours: readonly Colour[] = ['cyan', 'yellow', 'magenta', 'green', 'blue', 'red'];
/** They tell series apart where there is no colour. */
const fillings = ['█', '▒', '▓', '░'];
const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** The lines of a figure: what it is, the drawing, then what must be known of it. */
export function viewFigure(figure: Figure, { width, locale }: FigureView): string[] {
  const marks = figureMarks(figure, locale);
  const lines = (text: string) => wrap(neutralise(forPerson(text)), width);
  return [
    ...lines(headingOf(figure, locale)).map((line) => paint('bold', line)),
    ...lines(`${figureSummary(figure, locale)}.`),
    ...(marks.length > 0 ? [paint('yellow', `${marks.join('. ')}.`)] : []),
    '',
    ...drawFigure(figure, { width, locale }),
    '',
    ...figureFootnotes(figure, locale)
      .flatMap(lines)
      .map((line) => paint('dim', line)),
  ];
}

/** Draws rows that are printed anyway; nothing where they have no shape of a figure. */
export function drawRows(rows: readonly Row[], labels: Labels, view: FigureView): string[] {
  if (rows.length < fewestRows || rows.length > mostRows) return [];
  // An id is no amount, unless it has a name.
  const columns = Object.keys(rows[0] ?? {})
    .filter((name) => !isIdentifier(name) || Object.hasOwn(labels, name))
    .map((name) => {
      const values = rows.map((row) => row[name]).filter((value) => value != null);
      const isNumber = values.length > 0 && values.every((value) => typeof value === 'number');
      return { name, type: isNumber ? 'DOUBLE' : 'VARCHAR' };
    });
  const notes = { source: 'live', complete: true, warnings: [] } as const;
  const decided = decideFigure({ columns, rows, labels, isOrdered: true, notes });
  return 'figure' in decided ? drawFigure(decided.figure, view) : [];
}

function drawFigure(figure: Figure, view: FigureView): string[] {
  const { kind, series, axis } = figure;
  const isCourse = kind === 'line' && (series.length > 1 || axis.labels.length > mostCourseBars);
  return isCourse ? drawLines(figure, view) : drawBars(figure, view);
}

/** A line for each bar, all on one scale that begins at nothing; below nothing bars go to the left. */
function drawBars(figure: Figure, { width, locale }: FigureView): string[] {
  const { series, axis } = figure;
  const format = formatOf(figure, locale);
  const [low, high] = rangeOf([0, ...series.flatMap(({ values }) => numbersIn(values))]);
  const rows = axis.labels.flatMap((label, at) =>
    series.map(({ name, values }, nth): Drawn => {
      const value = values[at] ?? null;
      const first = nth === 0 ? format.label(label) : '';
      const names = series.length === 1 ? [first] : [first, format.series(name)];
      const draw = (room: number) => {
        const perUnit = room / (high - low || 1);
        const zero = Math.ceil(-low * perUnit);
        const length = Math.round(Math.abs(Number(value)) * perUnit);
        const bar = fillings[nth % fillings.length]?.repeat(length) || (Number(value) ? '▏' : '');
        return ' '.repeat(Number(value) < 0 ? zero - bar.length : zero) + coloured(nth, bar);
      };
      return { before: [...names, format.value(value)], draw, after: '' };
    }),
  );
  return layOut(rows, width);
}

/** A line for each series between its lowest and its highest number, all on one scale. */
function drawLines(figure: Figure, { width, locale }: FigureView): string[] {
  const { series, axis } = figure;
  const format = formatOf(figure, locale);
  const scale = rangeOf(series.flatMap(({ values }) => numbersIn(values)));
  const count = axis.labels.length;
  const fill = (room: number) => (count <= room ? count * Math.floor(room / count) : room);
  const rows = series.map(({ name, values }, nth): Drawn => {
    const [low, high] = rangeOf(numbersIn(values));
    const draw = (room: number) => coloured(nth, lineOf(values, fill(room), scale));
    return { before: [format.series(name), format.short(low)], draw, after: format.short(high) };
  });
  const ends = [axis.labels[0], axis.labels.at(-1)].map((it = '') => format.label(it));
  const draw = (room: number) =>
    paint('dim', ends.join(' '.repeat(Math.max(1, fill(room) - stringWidth(ends.join(''))))));
  const lines = layOut([...rows, { before: ['', ''], draw, after: '' }], width);
  return series.length === 1 ? lines : [...lines, paint('dim', 'All lines share one scale.')];
}

/** Block signs from low to high: several a number where there is room, else a mean of neighbours. */
function lineOf(
  slots: readonly FigureValue[],
  length: number,
  [low, high]: readonly [number, number],
): string {
  const at = (cell: number) => Math.floor((cell * slots.length) / length);
  return Array.from({ length }, (_, cell) => {
    const numbers = numbersIn(slots.slice(at(cell), Math.max(at(cell) + 1, at(cell + 1))));
    if (numbers.length === 0) return ' ';
    const mean = numbers.reduce((sum, it) => sum + it, 0) / numbers.length;
    return heights[Math.round(((mean - low) / (high - low || 1)) * (heights.length - 1))] ?? '';
  }).join('');
}

function rangeOf(numbers: readonly number[]): readonly [low: number, high: number] {
  return numbers.length === 0 ? [0, 0] : [Math.min(...numbers), Math.max(...numbers)];
}

function numbersIn(values: readonly FigureValue[]): number[] {
  return values.filter((value) => value !== null).map(Number);
}

function coloured(nth: number, drawn: string): string {
  return paint(colours[nth % colours.length] ?? 'cyan', drawn);
}

/** A drawing between texts; of those before it, the last is a number. */
interface Drawn {
  before: readonly string[];
  draw(room: number): string;
  after: string;
}

/** The drawings below each other, in the room that is left between names of at most a fourth of the line. */
function layOut(rows: readonly Drawn[], width: number): string[] {
  const texts = rows.map(({ before, after }) => [...before, after].map(neutralise));
  const taken = (texts[0] ?? []).map((_, at) =>
    Math.min(width / 4, 2 + Math.max(...texts.map((row) => stringWidth(row[at] ?? '')))),
  );
  const room = Math.max(8, Math.floor(taken.reduce((left, it) => left - it, width)));
  const cells = rows.map(({ draw }, at) => (texts[at] ?? []).toSpliced(-1, 0, draw(room)));
  const columns = (cells[0] ?? []).map((_, at, { length }) => ({
    title: '',
    isFigure: at === length - 3 || at === length - 1,
    isWhole: at === length - 2,
  }));
  return alignTable(columns, cells, width).slice(1);
}
