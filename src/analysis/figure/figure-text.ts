/** A figure in words for a Dutch or an English reader: its numbers and labels, and a text complete without a picture. */
import { plain, sum, toDecimal } from '../../core/money.ts';
import { asData, asOurs, neutralise, passOn } from '../../core/text.ts';
import { csvLine } from '../rows/csv.ts';
import type { AxisType, Figure, FigureSeries, FigureValue } from './figure.ts';

/** The languages that figures are written in. */
export type FigureLocale = 'nl' | 'en';

/** The language for a reader's locale: Dutch for `nl` and `nl-BE`, else English. */
export function localeFor(given: string | undefined): FigureLocale {
  return /^nl\b/i.test(given ?? '') ? 'nl' : 'en';
}

const nl = {
  tag: 'nl-NL',
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
  drawn: (count: number, of: number) => `Getekend: de eerste ${count} van ${of}; alle in de tabel`,
};

const en: typeof nl = {
  // As in Ireland: the day first, amounts in euros.
  tag: 'en-IE',
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
  drawn: (count, of) => `Drawn: the first ${count} of ${of}; all of them in the table`,
};

/** The words of figures, by locale. */
export const figureWords = { nl, en };

/**
 * One sentence with the totals and the extremes, what must not be missed, the table (numbers as they
 * are, euros with their cents), then the notes.
 */
export function figureText(figure: Figure, locale: FigureLocale): string {
  const sentence = `${headingOf(figure, locale)}: ${figureSummary(figure, locale)}.`;
  const marks = figureMarks(figure, locale);
  const table = figureRows(figure, figure.unit === 'euro' ? withCents : String);
  return [
    asData(neutralise(sentence)),
    ...(marks.length > 0 ? [asOurs(`${marks.join('. ')}.`)] : []),
    '',
    ...table.map((row) =>
      asData(row.map((cell) => neutralise(cell.replace(/[\\|]/g, '\\$&'))).join('|')),
    ),
    '',
    ...figureFootnotes(figure, locale).map((note) => asOurs(neutralise(note))),
  ]
    .join('\n')
    .trimEnd();
}

/** The figure's table as CSV, its numbers and days as they are. */
export function figureCsv(figure: Figure): string {
  const rows = figureRows(figure, String).map((row) => csvLine(row));
  return rows.map((row) => `${row}\r\n`).join('');
}

/** A line of headings, then a line for each label; a gap is empty. */
function figureRows({ axis, series }: Figure, write: (value: number) => string): string[][] {
  const lines = axis.labels.map((label, at) => [
    label,
    ...series.map(({ values }) => (values[at] == null ? '' : write(values[at]))),
  ]);
  return [[axis.name, ...series.map(({ name }) => name)], ...lines];
}

function withCents(value: number): string {
  const amount = toDecimal(value);
  return amount?.toFixed(Math.max(2, amount.decimalPlaces())) ?? '';
}

/** The title as given, or what is drawn by what: `turnover_wt by shop_id`. */
export function headingOf({ title, measures, axis, split }: Figure, locale: FigureLocale): string {
  const axes = split ? `${axis.name}, ${split.name}` : axis.name;
  return title ?? `${measures.join(', ')} ${figureWords[locale].by} ${axes}`;
}

/** What a reader must not miss, short enough for the picture. Empty when all is well. */
export function figureMarks({ notes }: Figure, locale: FigureLocale): string[] {
  const words = figureWords[locale];
  return [
    ...(notes.source === 'sandbox' ? [words.sandbox] : []),
    ...(notes.complete ? [] : [words.incomplete]),
  ];
}

/** The notes below a figure: warnings, what was not drawn, the period and when it was read. */
export function figureFootnotes({ notes, omitted }: Figure, locale: FigureLocale): string[] {
  const words = figureWords[locale];
  const { warnings, period, asOf } = notes;
  const write = (iso: string, timeStyle?: 'short') =>
    new Date(iso).toLocaleString(words.tag, {
      timeZone: 'Europe/Amsterdam',
      dateStyle: 'long',
      timeStyle,
    });
  const days = period && new Set([write(period.from), write(period.to)]);
  return [
    ...warnings.map((warning) => `${words.warning}: ${warning.replace(passOn, '').trimEnd()}`),
    ...(omitted ? [`${words.omitted}: ${omitted.join(', ')}`] : []),
    ...(days ? [`${words.period}: ${[...days].join(` ${words.to} `)}`] : []),
    ...(asOf ? [`${words.asOf} ${write(asOf, 'short')}`] : []),
  ];
}

/** For each column of numbers the exact total, where it adds up, and the extremes; cut buckets are none of these. */
export function figureSummary(figure: Figure, locale: FigureLocale): string {
  const { axis, series, measures } = figure;
  const said = measures.map((measure, nth) => {
    const own = series.filter((_, index) => index % measures.length === nth);
    const numbers = sayMeasure(measure, own, figure, locale);
    return measures.length > 1 ? `${measure}: ${numbers}` : numbers;
  });
  return [...(axis.type === 'name' ? [] : [sayAxis(figure, locale)]), ...said].join('; ');
}

function sayMeasure(
  measure: string,
  own: readonly FigureSeries[],
  figure: Figure,
  locale: FigureLocale,
): string {
  const { axis, adds = [], notes } = figure;
  const words = figureWords[locale];
  const format = formatOf(figure, locale);
  const points = own.flatMap(({ name, values }) =>
    axis.labels.flatMap((label, at) => {
      const value = values[at] ?? null;
      const group = own.length > 1 ? `${format.series(name)}, ` : '';
      const said = `${format.value(value)} (${group}${format.label(label)})`;
      return value === null ? [] : [{ label, value, said }];
    }),
  );
  const whole = points.filter(({ label }) => !axis.cut?.some(({ bucket }) => bucket === label));
  const compared = whole.length > 0 ? whole : points;
  const [highest] = compared.toSorted((a, b) => b.value - a.value);
  const [lowest] = compared.toSorted((a, b) => a.value - b.value);
  if (!highest || !lowest) return format.value(null);
  if (points.length === 1) return highest.said;
  const isPart = notes.isCut === true || !notes.complete;
  const totalWord = isPart ? words.totalOf(axis.labels.length) : words.total;
  const total = Number(plain(sum(points.map(({ value }) => value))));
  const said = adds.includes(measure) ? [`${totalWord} ${format.value(total)}`] : [];
  return [...said, `${words.highest} ${highest.said}`, `${words.lowest} ${lowest.said}`].join(', ');
}

/** How many labels a time axis has, from which to which: `7 days (Mon 2 Nov to Sun 8 Nov), 5 with rows`. */
function sayAxis(figure: Figure, locale: FigureLocale): string {
  const { labels, type, withRows } = figure.axis;
  const words = figureWords[locale];
  const unit = { style: 'unit', unit: type, unitDisplay: 'long' } as const;
  const { label } = formatOf(figure, locale);
  const inTime = labels.toSorted().map(label);
  const span = [...new Set([inTime.at(0), inTime.at(-1)])].join(` ${words.to} `);
  const rows = withRows === undefined ? '' : `, ${words.withRows(withRows)}`;
  return `${labels.length.toLocaleString(words.tag, unit)} (${span})${rows}`;
}

const styles: Readonly<Record<string, Intl.NumberFormatOptions>> = {
  euro: { style: 'currency', currency: 'EUR' },
  percent: { style: 'unit', unit: 'percent' },
  count: {},
};

/** The format of a figure's numbers and labels. */
export function formatOf(figure: Figure, locale: FigureLocale) {
  const { unit = 'count', axis, split, measures, series } = figure;
  const { tag } = figureWords[locale];
  const values = series.flatMap((one) => one.values).filter((value) => value !== null);
  const largest = Math.max(0, ...values.map(Math.abs));
  const longest = Math.max(0, ...values.map((value) => String(value).split('.')[1]?.length ?? 0));
  // All alike: as many as the longest number has, up to two, or four of small numbers.
  const needed = Math.min(longest, largest < 10 ? 4 : 2);
  const decimals = Math.max(unit === 'euro' ? 2 : 0, needed);
  const style = Object.hasOwn(styles, unit) ? styles[unit] : undefined;
  const suffix = style ? '' : ` ${unit}`;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const full = new Intl.NumberFormat(tag, { ...style, ...digits });
  const few = { minimumFractionDigits: 0, maximumFractionDigits: largest >= 100 ? 0 : 2 };
  const notation = largest >= 1e6 ? 'compact' : 'standard';
  const tick = new Intl.NumberFormat(tag, { ...style, ...few, notation });
  const groups = series.map(({ name }) => name);
  const isPlainSplit = split !== undefined && measures.length === 1;
  return {
    /** A number in full with its unit, such as `€ 1.234,50`; a dash for none. */
    value: (value: FigureValue) => (value === null ? '–' : full.format(value) + suffix),
    /** A number on a scale: short, without needless decimals. */
    tick: (value: number) => tick.format(value),
    label: labelFormat(axis.type, axis.labels, tag),
    series: labelFormat(isPlainSplit ? split.type : 'name', groups, tag),
  };
}

/** Years are written only where the labels are of more than one. */
function labelFormat(type: AxisType, labels: readonly string[], tag: string) {
  const hasYear = new Set(labels.map((label) => label.slice(0, 4))).size > 1;
  const format = new Intl.DateTimeFormat(tag, {
    timeZone: 'UTC',
    month: 'short',
    ...(type === 'day' && { weekday: 'short', day: 'numeric' }),
    ...((hasYear || type === 'month') && { year: 'numeric' }),
  });
  return (label: string) => {
    const [, year, week] = /^(\d{4})-W(\d\d)$/.exec(label) ?? [];
    if (type === 'week' && week) return `wk ${Number(week)}${hasYear ? ` ${year}` : ''}`;
    // Anything else would be read too, as some day or other.
    const isTime = type !== 'name' && /^\d{4}-\d\d(?:-\d\d)?$/.test(label);
    return isTime ? format.format(Date.parse(label)).replace(',', '') : label;
  };
}
