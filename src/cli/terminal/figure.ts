/** A figure in a terminal: bars, or a line of block signs for each series over time. */
import stringWidth from 'string-width';
import { decideFigure } from '../../analysis/figure/decide-figure.ts';
import type { Figure, FigureValue } from '../../analysis/figure/figure.ts';
import {
  type FigureLocale,
  figureFootnotes,
  figureMarks,
  figureSummary,
  formatOf,
  headingOf,
} from '../../analysis/figure/figure-text.ts';
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
export function viewFigure(figure: Figure, view: FigureView): string[] {
  const { width, locale } = view;
  const marks = figureMarks(figure, locale);
  const lines = (text: string) => wrap(neutralise(forPerson(text)), width);
  return [
    ...lines(headingOf(figure, locale)).map((line) => paint('bold', line)),
    ...lines(`${figureSummary(figure, locale)}.`),
    ...(marks.length > 0 ? [paint('yellow', `${marks.join('. ')}.`)] : []),
    '',
    ...drawFigure(figure, view),
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
  const [axis, ...others] = Object.keys(rows[0] ?? {})
    .filter((name) => !isIdentifier(name) || Object.hasOwn(labels, name))
    .map((name) => {
      const values = rows.map((row) => row[name]).filter((value) => value != null);
      const isNumber = values.length > 0 && values.every((value) => typeof value === 'number');
      const isCount = isNumber && values.every(Number.isInteger);
      return { name, type: isNumber ? 'DOUBLE' : 'VARCHAR', isCount };
    });
  if (axis === undefined) return [];
  // Counts and amounts share no scale.
  const hasAmounts = others.some(({ type, isCount }) => type === 'DOUBLE' && !isCount);
  const drawn = others.filter(({ isCount }) => !(hasAmounts && isCount));
  const notes = { source: 'live', complete: true, warnings: [] } as const;
  const columns = [axis, ...drawn];
  const decided = decideFigure({ columns, rows, labels, isOrdered: true, notes });
  if ('refusal' in decided) return [];
  const left = others.filter((column) => !drawn.includes(column)).map(({ name }) => name);
  const said = `Not drawn, for counts and amounts share no scale: ${left.join(', ')}`;
  const note = left.length > 0 ? wrap(neutralise(said), view.width) : [];
  return [...drawFigure(decided.figure, view), ...note.map((line) => paint('dim', line))];
}

/** A line of a drawing: texts, of which the last is a number, and what is drawn in the room beside them. */
type Line = readonly [texts: readonly string[], draw: (room: number) => string];

function drawFigure(figure: Figure, view: FigureView): string[] {
  const { kind, series, axis } = figure;
  const isCourse = kind === 'line' && (series.length > 1 || axis.labels.length > mostCourseBars);
  const lines = isCourse ? courseLines(figure, view) : barLines(figure, view);
  const drawn = layOut(lines, view.width);
  const isShared = isCourse && series.length > 1;
  return isShared ? [...drawn, paint('dim', 'All lines share one scale.')] : drawn;
}

/** A line for each bar, all on one scale that begins at nothing; below nothing bars go to the left. */
function barLines(figure: Figure, { locale }: FigureView): Line[] {
  const { series, axis } = figure;
  const format = formatOf(figure, locale);
  const [low, high] = rangeOf([0, ...series.flatMap(({ values }) => numbersIn(values))]);
  return axis.labels.flatMap((label, at) =>
    series.map(({ name, values }, nth): Line => {
      const value = values[at] ?? null;
      const names = series.length > 1 ? [format.series(name)] : [];
      const draw = (room: number) => {
        const perUnit = room / (high - low || 1);
        const length = Math.round(Math.abs(Number(value)) * perUnit);
        const bar = fillings[nth % fillings.length]?.repeat(length) || (Number(value) ? '▏' : '');
        const before = Math.ceil(-low * perUnit) - (Number(value) < 0 ? bar.length : 0);
        return ' '.repeat(before) + coloured(nth, bar);
      };
      return [[nth === 0 ? format.label(label) : '', ...names, format.value(value)], draw];
    }),
  );
}

/** A line for each series, all between the lowest and the highest number of the figure. */
function courseLines(figure: Figure, { locale }: FigureView): Line[] {
  const { series, axis } = figure;
  const format = formatOf(figure, locale);
  const scale = rangeOf(series.flatMap(({ values }) => numbersIn(values)));
  const count = axis.labels.length;
  const fill = (room: number) => (count <= room ? count * Math.floor(room / count) : room);
  const [first = '', last = ''] = [axis.labels[0], axis.labels.at(-1)].map((it = '') =>
    format.label(it),
  );
  const ends = (room: number) => first + last.padStart(fill(room) - stringWidth(first));
  const courses = series.map(({ name, values }, nth): Line => {
    const range = rangeOf(numbersIn(values)).map(format.tick).join(' – ');
    return [
      [format.series(name), range],
      (room) => coloured(nth, courseOf(values, fill(room), scale)),
    ];
  });
  return [...courses, [['', ''], (room) => paint('dim', ends(room))]];
}

/** Block signs from low to high: several a number where there is room, else a mean of neighbours. */
function courseOf(
  values: readonly FigureValue[],
  length: number,
  [low, high]: readonly [number, number],
): string {
  const at = (cell: number) => Math.floor((cell * values.length) / length);
  return Array.from({ length }, (_, cell) => {
    const numbers = numbersIn(values.slice(at(cell), Math.max(at(cell) + 1, at(cell + 1))));
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

/** The drawings below each other, in the room beside their texts: at least half of the line. */
function layOut(lines: readonly Line[], width: number): string[] {
  const columns = (lines[0]?.[0] ?? []).map((_, at, { length }) => {
    return { title: '', isFigure: at === length - 1 };
  });
  const cells = lines.map(([texts]) => texts.map(neutralise));
  const texts = alignTable(columns, cells, width / 2).slice(1);
  const taken = Math.max(...texts.map((text) => stringWidth(text))) + 2;
  return lines.map(([, draw], at) => {
    const text = texts[at] ?? '';
    const gap = ' '.repeat(taken - stringWidth(text));
    return (text + gap + draw(Math.max(8, width - taken - 1))).trimEnd();
  });
}
