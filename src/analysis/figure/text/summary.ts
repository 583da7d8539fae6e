import { type Decimal, plain, sum, toDecimal } from '../../../core/money.ts';
import type { Figure, FigureSeries } from '../figure.ts';
import { type FigureFormat, type FigureLocale, formatOf } from './locale.ts';
import { countLabels, wordsOf } from './words.ts';

/** More series than this are told together: the table has each of them. */
const maxTold = 2;

/**
 * What the numbers come to, in one clause: their exact totals and extremes, without the heading and
 * the full stop. Percentages have no total.
 */
export function figureSummary(figure: Figure, locale: FigureLocale): string {
  const format = formatOf(figure, locale);
  const told = tellSeries(figure, format, locale);
  if (figure.axis.type === 'name') return told;
  return `${countLabels(figure, locale)}${spanOf(figure, format, locale)}; ${told}`;
}

function tellSeries(figure: Figure, format: FigureFormat, locale: FigureLocale): string {
  const { series, measures } = figure;
  const isOne = series.length === 1;
  if (series.length <= maxTold) {
    const told = series.map((one) => {
      const said = tellPoints(pointsOf(figure, one), figure, format, locale);
      return isOne ? said : `${format.series(one.name)}: ${said}`;
    });
    return told.join('; ');
  }
  const points = series.flatMap((one) => pointsOf(figure, one));
  // Columns of different meaning have no sum in common.
  return tellPoints(points, figure, format, locale, measures.length === 1);
}

interface Point {
  value: Decimal;
  label: string;
  series: string;
}

function pointsOf({ axis }: Figure, { name, values }: FigureSeries): Point[] {
  return values.flatMap((given, index) => {
    const value = toDecimal(given);
    return value ? [{ value, label: axis.labels[index] ?? '', series: name }] : [];
  });
}

function tellPoints(
  points: readonly Point[],
  figure: Figure,
  format: FigureFormat,
  locale: FigureLocale,
  canAdd = true,
): string {
  const [first] = points;
  if (!first) return format.value(null);
  const write = (value: Decimal) => format.value(plain(value));
  if (points.length === 1) return `${write(first.value)} (${format.label(first.label)})`;
  const isMixed = new Set(points.map(({ series }) => series)).size > 1;
  const where = ({ label, series }: Point) =>
    isMixed ? `${format.series(series)}, ${format.label(label)}` : format.label(label);
  const highest = points.reduce((best, point) => (point.value.gt(best.value) ? point : best));
  const lowest = points.reduce((least, point) => (point.value.lt(least.value) ? point : least));
  const words = wordsOf(locale);
  const total = sum(points.map(({ value }) => value.toFixed()));
  return [
    ...(canAdd && figure.unit !== 'percent' ? [`${words.total} ${write(total)}`] : []),
    `${words.highest} ${write(highest.value)} (${where(highest)})`,
    `${words.lowest} ${write(lowest.value)} (${where(lowest)})`,
  ].join(', ');
}

/** From the first to the last label of a time axis: `, Mon 2 Nov to Sun 8 Nov`. */
function spanOf({ axis }: Figure, format: FigureFormat, locale: FigureLocale): string {
  if (axis.type === 'name') return '';
  const inTime = [...axis.labels].sort();
  const [first = '', last = first] = [inTime[0], inTime.at(-1)];
  if (first === last) return ` (${format.label(first)})`;
  return ` (${format.label(first)} ${wordsOf(locale).to} ${format.label(last)})`;
}
