/** Numbers and labels as a Dutch or an English reader writes them. */
import type { AxisType, Figure, FigureValue } from '../figure.ts';

/** The languages that figures are written in. */
export type FigureLocale = 'nl' | 'en';

/** The language for a reader's locale: Dutch for `nl` and `nl-BE`, else English. */
export function localeFor(given: string | undefined): FigureLocale {
  return /^nl\b/i.test(given ?? '') ? 'nl' : 'en';
}

/** The locale to hand to Intl. English is written as in Ireland: the day first, amounts in euros. */
export function intlTag(locale: FigureLocale): string {
  return locale === 'nl' ? 'nl-NL' : 'en-IE';
}

/** Writes the numbers and labels of one figure. */
export interface FigureFormat {
  /** A number in full with its unit, such as `€ 1.234,50`; a dash for none. */
  value(value: FigureValue): string;
  /** Without decimals where there is more than a hundred of it. */
  short(value: FigureValue): string;
  /** A number on a scale: short, without needless decimals. */
  tick(value: number): string;
  label(label: string): string;
  series(name: string): string;
}

/** Stands where there is no number. */
const gap = '–';

/** The format of a figure's numbers and labels. */
export function formatOf(figure: Figure, locale: FigureLocale): FigureFormat {
  const tag = intlTag(locale);
  const decimals = decimalsOf(figure);
  const style = styleOf(figure.unit);
  const full = new Intl.NumberFormat(tag, {
    ...style,
    minimumFractionDigits: figure.unit === 'euro' ? 2 : decimals,
    maximumFractionDigits: figure.unit === 'euro' ? Math.max(2, decimals) : decimals,
  });
  const whole = new Intl.NumberFormat(tag, { ...style, maximumFractionDigits: 0 });
  const isLarge = largestOf(figure) >= 100;
  const tick = new Intl.NumberFormat(tag, {
    ...style,
    minimumFractionDigits: 0,
    maximumFractionDigits: 2,
    ...(largestOf(figure) >= 1e6 && { notation: 'compact' }),
  });
  const suffix = suffixOf(figure.unit);
  const readLabel = labelFormat(figure.axis.type, figure.axis.labels, tag);
  const isPlainSplit = figure.split !== undefined && figure.measures.length === 1;
  const groups = figure.series.map(({ name }) => name);
  const readGroup =
    isPlainSplit && figure.split ? labelFormat(figure.split.type, groups, tag) : undefined;
  const write = (format: Intl.NumberFormat) => (value: FigureValue) =>
    value === null ? gap : `${exact(format, value)}${suffix}`;
  return {
    value: write(full),
    short: write(isLarge ? whole : full),
    tick: (value) => `${tick.format(value)}${suffix === '%' ? suffix : ''}`,
    label: readLabel,
    series: (name) => readGroup?.(name) ?? name,
  };
}

function styleOf(unit: string | undefined): Intl.NumberFormatOptions {
  return unit === 'euro' ? { style: 'currency', currency: 'EUR' } : {};
}

function suffixOf(unit: string | undefined): string {
  if (unit === 'percent') return '%';
  return unit === undefined || unit === 'euro' || unit === 'count' ? '' : ` ${unit}`;
}

/** Digits beyond a double's stay: Intl reads a number's text exactly. */
function exact(format: Intl.NumberFormat, value: number | string): string {
  return format.format(isNumberText(value) ? value : Number(value));
}

function isNumberText(value: number | string): value is `${number}` | number {
  return typeof value === 'number' || /^-?\d+(?:\.\d+)?$/.test(value);
}

/** As many decimals as the longest number has, up to two, or four of small numbers: all alike. */
function decimalsOf(figure: Figure): number {
  const { series } = figure;
  let most = 0;
  for (const { values } of series)
    for (const value of values)
      if (value !== null) most = Math.max(most, String(value).split('.')[1]?.length ?? 0);
  return Math.min(most, largestOf(figure) < 10 && figure.unit !== 'percent' ? 4 : 2);
}

function largestOf({ series }: Figure): number {
  let largest = 0;
  for (const { values } of series)
    for (const value of values) largest = Math.max(largest, Math.abs(Number(value ?? 0)));
  return largest;
}

/** Years are written only where the labels are of more than one. */
function labelFormat(
  type: AxisType,
  labels: readonly string[],
  tag: string,
): (label: string) => string {
  if (type === 'name') return (label) => label;
  const years = new Set(labels.map((label) => label.slice(0, 4)));
  const hasYear = years.size > 1;
  if (type === 'week')
    return (label) => {
      const [year, week] = label.split('-W');
      return week ? `wk ${Number(week)}${hasYear ? ` ${year}` : ''}` : label;
    };
  const format = new Intl.DateTimeFormat(tag, {
    timeZone: 'UTC',
    month: 'short',
    ...(type === 'day' && { weekday: 'short', day: 'numeric' }),
    ...((hasYear || type === 'month') && { year: 'numeric' }),
  });
  return (label) => {
    // Anything else would be read too, as some day or other.
    if (!/^\d{4}-\d\d(?:-\d\d)?$/.test(label)) return label;
    const ms = Date.parse(label);
    return Number.isNaN(ms) ? label : format.format(ms).replace(',', '');
  };
}
