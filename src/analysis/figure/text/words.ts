/** What a Dutch or an English reader reads: numbers and labels, and the words around them. */
import { passOn } from '../../../core/text.ts';
import type { AxisType, Figure, FigureValue } from '../figure.ts';

/** The languages that figures are written in. */
export type FigureLocale = 'nl' | 'en';

/** The language for a reader's locale: Dutch for `nl` and `nl-BE`, else English. */
export function localeFor(given: string | undefined): FigureLocale {
  return /^nl\b/i.test(given ?? '') ? 'nl' : 'en';
}

/** The locale to hand to Intl. English is written as in Ireland: the day first, amounts in euros. */
function intlTag(locale: FigureLocale): string {
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

const gap = '–';

/** The format of a figure's numbers and labels. */
export function formatOf(figure: Figure, locale: FigureLocale): FigureFormat {
  const { unit, axis, split, measures, series } = figure;
  const tag = intlTag(locale);
  const largest = Math.max(0, ...valuesOf(figure).map((value) => Math.abs(Number(value))));
  const isEuro = unit === 'euro';
  const style = styles[unit ?? ''] ?? {};
  // All alike: as many as the longest number has, up to two, or four of small numbers.
  const most = largest < 10 && unit !== 'percent' ? 4 : 2;
  const longest = Math.max(0, ...valuesOf(figure).map(decimalsOf));
  const decimals =
    unit === 'share' ? 1 : isEuro ? Math.max(2, Math.min(longest, most)) : Math.min(longest, most);
  const full = new Intl.NumberFormat(tag, {
    ...style,
    minimumFractionDigits: isEuro ? 2 : decimals,
    maximumFractionDigits: decimals,
  });
  const whole = new Intl.NumberFormat(tag, { ...style, maximumFractionDigits: 0 });
  const tick = new Intl.NumberFormat(tag, {
    ...style,
    minimumFractionDigits: 0,
    maximumFractionDigits: 2,
    ...(largest >= 1e6 && { notation: 'compact' }),
  });
  const suffix = suffixOf(unit);
  const write = (format: Intl.NumberFormat) => (value: FigureValue) =>
    value === null ? gap : `${exact(format, value)}${suffix}`;
  const isPlainSplit = split !== undefined && measures.length === 1;
  const groups = series.map(({ name }) => name);
  return {
    value: write(full),
    short: write(largest >= 100 ? whole : full),
    tick: (value) => `${tick.format(value)}${suffix === '%' ? suffix : ''}`,
    label: labelFormat(axis.type, axis.labels, tag),
    series: isPlainSplit ? labelFormat(split.type, groups, tag) : (name) => name,
  };
}

const styles: Readonly<Record<string, Intl.NumberFormatOptions>> = {
  euro: { style: 'currency', currency: 'EUR' },
  share: { style: 'percent' },
};

function valuesOf({ series }: Figure): (number | string)[] {
  return series.flatMap(({ values }) => values).filter((value) => value !== null);
}

function decimalsOf(value: number | string): number {
  return String(value).split('.')[1]?.length ?? 0;
}

function suffixOf(unit: string | undefined): string {
  if (unit === 'percent') return '%';
  return unit === undefined || ['euro', 'count', 'share'].includes(unit) ? '' : ` ${unit}`;
}

/** Digits beyond a double's stay: Intl reads a number's text exactly. */
function exact(format: Intl.NumberFormat, value: number | string): string {
  return format.format(isNumberText(value) ? value : Number(value));
}

function isNumberText(value: number | string): value is `${number}` | number {
  return typeof value === 'number' || /^-?\d+(?:\.\d+)?$/.test(value);
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

const dutch = {
  by: 'per',
  total: 'totaal',
  totalOf: (count: number) => `totaal van deze ${count}`,
  highest: 'hoogste',
  lowest: 'laagste',
  to: 't/m',
  sandbox: 'Verzonnen cijfers (sandbox)',
  incomplete: 'Niet volledig',
  period: 'Periode',
  asOf: 'Gelezen op',
  warning: 'Let op',
  omitted: 'Niet getekend',
  withRows: (count: number) => `waarvan ${count} met rijen`,
  drawn: (shown: number, all: number) =>
    `Getekend: de eerste ${shown} van ${all}; alle in de tabel`,
  day: { one: 'dag', many: 'dagen' },
  date: { one: 'datum', many: 'datums' },
  week: { one: 'week', many: 'weken' },
  month: { one: 'maand', many: 'maanden' },
};

const english: typeof dutch = {
  by: 'by',
  total: 'total',
  totalOf: (count) => `total of these ${count}`,
  highest: 'highest',
  lowest: 'lowest',
  to: 'to',
  sandbox: 'Invented data (sandbox)',
  incomplete: 'Not complete',
  period: 'Period',
  asOf: 'Read on',
  warning: 'Note',
  omitted: 'Not drawn',
  withRows: (count) => `${count} with rows`,
  drawn: (shown, all) => `Drawn: the first ${shown} of ${all}; all of them in the table`,
  day: { one: 'day', many: 'days' },
  date: { one: 'date', many: 'dates' },
  week: { one: 'week', many: 'weeks' },
  month: { one: 'month', many: 'months' },
};

/** The words for a locale. */
export function wordsOf(locale: FigureLocale): typeof dutch {
  return locale === 'nl' ? dutch : english;
}

/** The title as given, or what is drawn by what: `turnover_wt by shop_id`. */
export function headingOf({ title, measures, axis, split }: Figure, locale: FigureLocale): string {
  const { by } = wordsOf(locale);
  const axes = [axis.name, ...(split ? [split.name] : [])].join(', ');
  return title ?? `${measures.join(', ')} ${by} ${axes}`;
}

/** What a reader must not miss, short enough for the picture. Empty when all is well. */
export function figureMarks({ notes }: Figure, locale: FigureLocale): string[] {
  const words = wordsOf(locale);
  return [
    ...(notes.source === 'sandbox' ? [words.sandbox] : []),
    ...(notes.complete ? [] : [words.incomplete]),
  ];
}

/** The notes below a figure: warnings, the period, what was not drawn and when it was read. */
export function figureFootnotes({ notes, omitted }: Figure, locale: FigureLocale): string[] {
  const words = wordsOf(locale);
  const { warnings, period, asOf } = notes;
  return [
    ...warnings.map((warning) => `${words.warning}: ${warning.replace(passOn, '').trimEnd()}`),
    ...(omitted ? [`${words.omitted}: ${omitted.join(', ')}`] : []),
    ...(period ? [`${words.period}: ${daysOf(period, locale)}`] : []),
    ...(asOf ? [`${words.asOf} ${write(asOf, locale, { timeStyle: 'short' })}`] : []),
  ];
}

function daysOf({ from, to }: { from: string; to: string }, locale: FigureLocale): string {
  const [first, last] = [from, to].map((day) => write(day, locale));
  return first === last ? `${first}` : `${first} ${wordsOf(locale).to} ${last}`;
}

function write(iso: string, locale: FigureLocale, style: Intl.DateTimeFormatOptions = {}): string {
  const ms = Date.parse(iso);
  const timeZone = 'Europe/Amsterdam';
  const format = new Intl.DateTimeFormat(intlTag(locale), {
    dateStyle: 'long',
    timeZone,
    ...style,
  });
  return Number.isNaN(ms) ? iso : format.format(ms);
}
