/** A figure in words, complete without a picture. */
import { type Decimal, plain, sum, toDecimal } from '../../../core/money.ts';
import { asData, asOurs, neutralise } from '../../../core/text.ts';
import type { Figure, FigureSeries } from '../figure.ts';
import {
  type FigureFormat,
  type FigureLocale,
  figureFootnotes,
  figureMarks,
  formatOf,
  headingOf,
  wordsOf,
} from './words.ts';

/**
 * One sentence with the totals and the extremes, what must not be missed, the table (numbers as they
 * are, euros with their cents), then the notes.
 */
export function figureText(figure: Figure, locale: FigureLocale): string {
  const sentence = `${headingOf(figure, locale)}: ${figureSummary(figure, locale)}.`;
  const marks = figureMarks(figure, locale);
  const write = figure.unit === 'euro' ? withCents : (value: string) => value;
  const table = figureRows(figure, write).map((row) => asData(row.map(writeCell).join('|')));
  const notes = figureFootnotes(figure, locale).map((note) => asOurs(neutralise(note)));
  return [
    asData(neutralise(sentence)),
    ...(marks.length > 0 ? [asOurs(`${marks.join('. ')}.`)] : []),
    '',
    ...table,
    '',
    ...notes,
  ]
    .join('\n')
    .trimEnd();
}

/** The figure as a table: a line of headings, then a line for each label. */
export function figureRows(
  { axis, series }: Figure,
  write: (value: string) => string = (value) => value,
): string[][] {
  const headings = [axis.name, ...series.map(({ name }) => name)];
  const lines = axis.labels.map((label, index) => [
    label,
    ...series.map(({ values }) => write(String(values[index] ?? ''))),
  ]);
  return [headings, ...lines];
}

/** The figure's table as CSV (RFC 4180), its numbers and days as they are. */
export function figureCsv(figure: Figure): string {
  return figureRows(figure)
    .map((row) => `${row.map(writeField).join(',')}\r\n`)
    .join('');
}

/** A text that a spreadsheet would run as a formula gets an apostrophe in front. */
function writeField(field: string): string {
  const isFormula = /^[=+@\t\r]|^-(?![\d.]+$)/.test(field);
  const text = isFormula ? `'${field}` : field;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function withCents(value: string): string {
  const amount = toDecimal(value);
  return amount?.toFixed(Math.max(2, amount.decimalPlaces())) ?? value;
}

function writeCell(cell: string): string {
  return neutralise(cell.replace(/[\\|]/g, '\\$&'));
}

/** More series than this are summed up together: the table has each of them. */
const maxSeparate = 2;

/** The exact totals of what adds up and the extremes, in one clause; cut buckets are none of these. */
export function figureSummary(figure: Figure, locale: FigureLocale): string {
  const format = formatOf(figure, locale);
  const { axis, series, measures, adds = [] } = figure;
  const canAdd = (index: number) => adds.includes(measures[index % measures.length] ?? '');
  const say = (some: readonly FigureSeries[], adds: boolean) =>
    sayPoints(pointsOf(axis, some), figure, format, locale, adds);
  const separately = series.map((one, index) => {
    const name = series.length > 1 ? `${format.series(one.name)}: ` : '';
    return name + say([one], canAdd(index));
  });
  const numbers =
    series.length <= maxSeparate
      ? separately.join('; ')
      : // Columns of different meaning have no sum in common.
        say(series, measures.length === 1 && canAdd(0));
  return axis.type === 'name' ? numbers : `${sayAxis(figure, format, locale)}; ${numbers}`;
}

interface Point {
  value: Decimal;
  label: string;
  series: string;
}

function pointsOf({ labels }: Figure['axis'], series: readonly FigureSeries[]): Point[] {
  return series.flatMap(({ name, values }) =>
    labels.flatMap((label, index) => {
      const value = toDecimal(values[index]);
      return value ? [{ value, label, series: name }] : [];
    }),
  );
}

function sayPoints(
  points: readonly Point[],
  { axis, notes }: Figure,
  format: FigureFormat,
  locale: FigureLocale,
  canAdd: boolean,
): string {
  const [first] = points;
  if (!first) return format.value(null);
  const write = (value: Decimal) => format.value(plain(value));
  if (points.length === 1) return `${write(first.value)} (${format.label(first.label)})`;
  const isMixed = points.some(({ series }) => series !== first.series);
  const where = ({ label, series }: Point) =>
    isMixed ? `${format.series(series)}, ${format.label(label)}` : format.label(label);
  const isCut = ({ label }: Point) => axis.cut?.some(({ bucket }) => bucket === label);
  const whole = points.filter((point) => !isCut(point));
  const ranked = whole.length > 0 ? whole : points;
  const highest = ranked.reduce((best, point) => (point.value.gt(best.value) ? point : best));
  const lowest = ranked.reduce((least, point) => (point.value.lt(least.value) ? point : least));
  const words = wordsOf(locale);
  const isPart = notes.isCut === true || !notes.complete;
  const totalWord = isPart ? words.totalOf(axis.labels.length) : words.total;
  const total = sum(points.map(({ value }) => value.toFixed()));
  return [
    ...(canAdd ? [`${totalWord} ${write(total)}`] : []),
    `${words.highest} ${write(highest.value)} (${where(highest)})`,
    `${words.lowest} ${write(lowest.value)} (${where(lowest)})`,
  ].join(', ');
}

/** How many labels a time axis has, from which to which: `7 days (Mon 2 Nov to Sun 8 Nov), 5 with rows`. */
function sayAxis({ axis }: Figure, format: FigureFormat, locale: FigureLocale): string {
  const { type, labels, withRows } = axis;
  if (type === 'name') return '';
  const words = wordsOf(locale);
  const { one, many } = words[type === 'day' && isSpread(labels) ? 'date' : type];
  const inTime = [...labels].sort();
  const [first = '', last = first] = [inTime[0], inTime.at(-1)];
  const until = first === last ? '' : ` ${words.to} ${format.label(last)}`;
  const count = `${labels.length} ${labels.length === 1 ? one : many}`;
  const rows = withRows === undefined ? '' : `, ${words.withRows(withRows)}`;
  return `${count} (${format.label(first)}${until})${rows}`;
}

/** Whether no day follows on another: one of each week, or of each quarter. */
function isSpread(days: readonly string[]): boolean {
  const times = days.map((day) => Date.parse(day));
  return days.length > 1 && !times.some((ms) => times.includes(ms + 86_400_000));
}
