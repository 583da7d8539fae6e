/** A figure in a terminal: bars, or a line of block signs for each series over time. */

import stringWidth from 'string-width';
import { decideFigure, type ResultColumn } from '../../analysis/figure/decide-figure.ts';
import {
  drawnSeries,
  type Figure,
  type FigureValue,
  outsideBand,
} from '../../analysis/figure/figure.ts';
import { type FigureLocale, type Format, formatOf } from '../../analysis/figure/figure-text.ts';
import type { Labels } from '../../analysis/reference/reference.ts';
import type { Row } from '../../analysis/rows/rows.ts';
import { isIdentifier } from '../../core/column-name.ts';
import { columnType, isOfNumbers } from '../../core/column-type.ts';
import { neutralise } from '../../core/text.ts';
import { person, type Said } from './catalogue/catalogue.ts';
import { alignTable } from './table.ts';
import { type Colour, paint, wrap } from './text.ts';

/** Cells of a line, and the reader's language. */
export type FigureView = Readonly<{ width: number; locale: FigureLocale }>;
type Values = readonly FigureValue[];

/** One bar says nothing. */
const fewestRows = 2;
/** More than a screen of bars is for show_figure. */
const mostRows = 40;
/** A course of more labels is drawn as a line. */
const mostCourseBars = 14;

const colours: readonly Colour[] = ['cyan', 'yellow', 'magenta', 'green', 'blue', 'red'];
/** They tell series apart where there is no colour. */
const fillings = ['█', '▒', '▓', '░'];
const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Draws rows that are printed anyway; nothing where they have no shape of a figure. */
export function drawRows(rows: readonly Row[], labels: Labels, view: FigureView): string[] {
  if (rows.length < fewestRows || rows.length > mostRows) return [];
  // An id is no amount, unless it has a name.
  const columns = Object.keys(rows[0] ?? {})
    .filter((name) => !isIdentifier(name) || Object.hasOwn(labels, name))
    .map((name) => columnOf(Object.hasOwn(labels, name) ? [] : rows, name));
  // Counts and amounts share no scale: where there are amounts, counts are in the table alone.
  const isAmount = ({ type, unit }: ResultColumn) => type === 'DOUBLE' && unit !== 'count';
  const amounts = columns.slice(1).filter(isAmount);
  const drawn = columns.filter((it, at) => at === 0 || amounts.length === 0 || it.unit !== 'count');
  const notes = { source: 'live', complete: true, warnings: [] } as const;
  const decided = decideFigure({ columns: drawn, rows, labels, isOrdered: true, notes });
  return 'figure' in decided ? drawFigure(decided.figure, view) : [];
}

/** A column by its values: their types in DuckDB's words did not come with them. */
function columnOf(rows: readonly Row[], name: string): ResultColumn {
  const cells = rows.map((row) => row[name]);
  const type = columnType(cells, name);
  const unit = type === 'integer' ? 'count' : undefined;
  return { name, type: isOfNumbers(type) ? 'DOUBLE' : 'VARCHAR', unit };
}

/** A line of a drawing: texts, of which the last is a number, and what is drawn in the cells next to them. */
type Line = readonly [texts: readonly string[], draw: (width: number) => string];

/** The lines of a drawing. */
export function drawFigure(figure: Figure, { width, locale }: FigureView): string[] {
  const { kind, series, axis, band } = figure;
  const isCourse = kind === 'line' && (series.length > 1 || axis.labels.length > mostCourseBars);
  const lines = (isCourse ? courseLines : barLines)(figure, formatOf(figure, locale));
  const { outside } = outsideBand(figure);
  const legend: Said[] = [
    ...(isCourse && (series.length > 1 || band) ? [{ code: 'one_scale' } as const] : []),
    ...(isCourse && outside.length > 0 ? [{ code: 'signs_outside' } as const] : []),
    ...(!isCourse && band ? [{ code: 'signs_band' } as const] : []),
  ];
  const legendLines = legend.map(person.say).flatMap((line) => wrap(line, width));
  return [...layOut(lines, width), ...legendLines.map((line) => paint('dim', line))];
}

/**
 * A line for each bar, all on one scale that begins at nothing; below nothing bars go to the left. A band shades
 * the cells of the first series from its low to its high: lightly where nothing is drawn.
 */
function barLines(figure: Figure, format: Format): Line[] {
  const { series, axis, band } = figure;
  const [low, high] = rangeOf([0, ...drawnSeries(figure).flatMap(({ values }) => values)]);
  return axis.labels.flatMap((label, at) =>
    series.map(({ name, values }, nth): Line => {
      const value = values[at] ?? 0;
      const names = series.length > 1 ? [format.series(name)] : [];
      const draw = (width: number) => {
        const perUnit = width / (high - low || 1);
        const length = Math.round(Math.abs(value) * perUnit);
        const bar = fillings[nth % fillings.length]?.repeat(length) || (value === 0 ? '' : '▏');
        const zero = Math.ceil(-low * perUnit);
        const drawn = ' '.repeat(value < 0 ? zero - bar.length : zero) + bar;
        const ends = [band?.low[at], band?.high[at]];
        if (nth > 0 || ends.some((end) => end == null)) return coloured(nth, drawn);
        const [from = 0, to = 0] = ends.map((end) => zero + Math.round((end ?? 0) * perUnit));
        const cells = Array.from(from < to ? drawn.padEnd(to) : drawn, (cell, column) =>
          column < from || column >= to ? cell : cell === ' ' ? '░' : '▓',
        );
        return coloured(nth, cells.join(''));
      };
      return [[nth === 0 ? format.label(label) : '', ...names, format.value(values[at])], draw];
    }),
  );
}

function courseLines(figure: Figure, format: Format): Line[] {
  const { labels } = figure.axis;
  const columns = drawnSeries(figure);
  const scale = rangeOf(columns.flatMap(({ values }) => values));
  const count = labels.length;
  const fill = (width: number) => (count <= width ? count * Math.floor(width / count) : width);
  const courses = columns.map(({ name, values }, nth): Line => {
    const range = rangeOf(values).map(format.tick).join(' – ');
    const draw = (width: number) => coloured(nth, courseOf(values, fill(width), scale));
    return [[format.series(name), range], draw];
  });
  const [first = '', last = ''] = [labels[0] ?? '', labels.at(-1) ?? ''].map(format.label);
  const ends = (width: number) => first + last.padStart(fill(width) - stringWidth(first));
  const { outside } = outsideBand(figure);
  const marks = (width: number) => {
    const cells = ' '.repeat(fill(width)).split('');
    for (const { label, side } of outside) {
      const middle = (labels.indexOf(label) + 0.5) / count;
      cells[Math.floor(middle * cells.length)] = side === 'above' ? '▲' : '▼';
    }
    return paint('yellow', cells.join(''));
  };
  const marked: Line[] = outside.length > 0 ? [[['', ''], marks]] : [];
  return [...courses, ...marked, [['', ''], (width) => paint('dim', ends(width))]];
}

/** Block signs from low to high: several a number where the line is wide enough, else a mean of neighbours. */
function courseOf(values: Values, length: number, [low, high]: readonly [number, number]): string {
  const at = (cell: number) => Math.floor((cell * values.length) / length);
  const cells = Array.from({ length }, (_, cell) => {
    const near = values.slice(at(cell), Math.max(at(cell) + 1, at(cell + 1)));
    const numbers = near.filter((value) => value !== null);
    const mean = numbers.reduce((sum, it) => sum + it, 0) / numbers.length;
    const height = Math.round(((mean - low) / (high - low || 1)) * (heights.length - 1));
    return numbers.length === 0 ? ' ' : heights[height];
  });
  return cells.join('');
}

function rangeOf(values: Values): readonly [low: number, high: number] {
  const numbers = values.filter((value) => value !== null);
  return numbers.length === 0 ? [0, 0] : [Math.min(...numbers), Math.max(...numbers)];
}

function coloured(nth: number, drawn: string): string {
  return paint(colours[nth % colours.length] ?? 'cyan', drawn);
}

/** The drawings below each other, in the cells next to their texts: at least half of the line. */
function layOut(lines: readonly Line[], width: number): string[] {
  const columns = (lines[0]?.[0] ?? []).map((_, at, { length }) => {
    const cells = lines.map(([texts]) => neutralise(texts[at] ?? ''));
    return { title: '', cells, isFigure: at === length - 1 };
  });
  const [, ...texts] = alignTable(columns, width / 2);
  const taken = Math.max(...texts.map((text) => stringWidth(text))) + 2;
  const left = Math.max(8, width - taken - 1);
  return lines.map(([, draw], at) => {
    const text = texts[at] ?? '';
    return (text + ' '.repeat(taken - stringWidth(text)) + draw(left)).trimEnd();
  });
}
