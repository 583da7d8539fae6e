/** A figure in words, with numbers and dates in Dutch or English form, and the notes that a reader needs. */
import { decimalsOf, plain, sum } from '../../core/money.ts';
import { listFirst } from '../../core/text.ts';
import { type AxisType, drawnSeries, type Figure, type FigureValue } from './figure.ts';

/** The readers in whose form numbers and dates are written. */
export type FigureLocale = keyof typeof tags;

/** The form for a reader's locale. */
export function localeFor(locale: string | undefined): FigureLocale {
  return /^nl\b/i.test(locale ?? '') ? 'nl' : 'en';
}

/** The language tag of numbers and dates; English as in Ireland: the day first, amounts in euros. */
const tags = { nl: 'nl-NL', en: 'en-IE' };

/** The name of the band. */
export const bandName = 'low to high';

/** The title, or else the columns: `turnover_wt by shop_id`. */
export function headingOf({ title, measures, axis, split }: Figure): string {
  const say = (names: readonly string[]) => names.map(sayColumn).join(', ');
  return title ?? `${say(measures)} by ${say(split ? [axis.name, split.name] : [axis.name])}`;
}

/** The name of a column as people say it: `total_turnover_wt` is "total turnover incl. VAT". */
export function sayColumn(name: string): string {
  const [, words = name, side] = /^(.+)_(wt|ex)$/.exec(name) ?? [];
  const vat = { wt: ' incl. VAT', ex: ' excl. VAT', '': '' }[side ?? ''];
  return words.replaceAll('_', ' ') + vat;
}

/** Warnings short enough for the picture; empty when all is well. */
export function figureMarks({ notes }: Figure): string[] {
  return [
    ...(notes.source === 'sandbox' ? ['Invented data (sandbox)'] : []),
    ...(notes.complete ? [] : ['Not complete']),
  ];
}

/** The notes below a figure: warnings, what was not drawn, the period and when it was read. */
export function figureFootnotes({ notes, omitted }: Figure, locale: FigureLocale): string[] {
  const { warnings, period, asOf } = notes;
  const write = (iso: string, timeStyle?: 'short') => {
    const style = { timeZone: 'Europe/Amsterdam', dateStyle: 'long', timeStyle } as const;
    return new Date(iso).toLocaleString(tags[locale], style);
  };
  return [
    ...warnings.map(({ text }) => `Note: ${text}`),
    ...(omitted ? [`Not drawn: ${omitted.join(', ')}`] : []),
    ...(period ? [`Period: ${sayRange(write(period.from), write(period.to))}`] : []),
    ...(asOf ? [`Read on ${write(asOf, 'short')}`] : []),
  ];
}

function sayRange(from: string, to: string): string {
  return from === to ? from : `${from} to ${to}`;
}

const maxNamed = 12;

/** For each column of numbers the exact total, where it adds up, and the extremes; and what lies outside a band. */
export function figureSummary(figure: Figure, locale: FigureLocale): string {
  const { axis, measures } = figure;
  const format = formatOf(figure, locale);
  const numbers = measures.map((measure, nth) => {
    const text = sayMeasure(figure, nth, format);
    return measures.length > 1 ? `${measure}: ${text}` : text;
  });
  return [
    ...(axis.type === 'name' ? [] : [sayAxis(axis, format)]),
    ...numbers,
    ...sayOutside(figure, format),
  ].join('; ');
}

/**
 * Names the labels of the first series that lie outside the band. Some are always outside a usual band, by chance: those
 * beyond it by more than half its width are named.
 */
function sayOutside({ axis, series: [first], band, notes }: Figure, format: Format): string[] {
  if (!band) return [];
  const { usualOf } = notes;
  const judged = axis.labels.flatMap((label, at) => {
    const [value, low, high] = [first?.values[at], band.low[at], band.high[at]];
    if (value == null || low == null || high == null) return [];
    const beyond = Math.max(low - value, value - high);
    const text = `${format.label(label)} ${value < low ? 'below' : 'above'}`;
    return [{ text, isOutside: beyond > 0, isFar: beyond > (usualOf ? (high - low) / 2 : 0) }];
  });
  const outside = judged.filter(({ isOutside }) => isOutside);
  const named = outside.filter(({ isFar }) => isFar).map(({ text }) => text);
  // By chance, each of the `usualOf + 1` figures is equally likely to be the lowest or the highest.
  const chance = usualOf
    ? ` (by chance about ${Math.round((2 * judged.length) / (usualOf + 1))})`
    : '';
  const listed =
    named.length > 0 ? `${usualOf ? ', far outside' : ''}: ${listFirst(named, maxNamed)}` : '';
  return [`${outside.length} of ${judged.length} outside ${bandName}${chance}${listed}`];
}

/** The total and the extremes of a measure over all its series; cut buckets are no extremes. */
function sayMeasure(
  { axis, series, measures, adds = [], earlier = [], notes }: Figure,
  nth: number,
  format: Format,
): string {
  const ofMeasure = series.filter((_, index) => index % measures.length === nth);
  const points = ofMeasure.flatMap(({ name, values }) =>
    axis.labels.flatMap((label, at) => {
      const value = values[at] ?? null;
      const group = ofMeasure.length > 1 ? `${format.series(name)}, ` : '';
      const beside = earlier.includes(measures[nth] ?? '') ? 'beside ' : '';
      const text = `${format.value(value)} (${group}${beside}${format.label(label)})`;
      return value === null ? [] : [{ label, value, text }];
    }),
  );
  const whole = points.filter(({ label }) => !axis.cut?.some(({ bucket }) => bucket === label));
  const compared = whole.length > 0 ? whole : points;
  const [highest] = compared.toSorted((a, b) => b.value - a.value);
  const [lowest] = compared.toSorted((a, b) => a.value - b.value);
  if (!highest || !lowest) return format.value(null);
  if (points.length === 1) return highest.text;
  const isPart = notes.isCut === true || !notes.complete;
  const total = format.value(Number(plain(sum(points.map(({ value }) => value)))));
  const ofPart = isPart ? ` of these ${axis.labels.length}` : '';
  return [
    ...(adds.includes(measures[nth] ?? '') ? [`total${ofPart} ${total}`] : []),
    `highest ${highest.text}`,
    `lowest ${lowest.text}`,
  ].join(', ');
}

/** The number of labels of a time axis, the first and the last: `7 days (Mon 2 Nov to Sun 8 Nov), 5 with rows`. */
function sayAxis({ labels, type, withRows }: Figure['axis'], { label }: Format): string {
  const unit = { style: 'unit', unit: type, unitDisplay: 'long' } as const;
  const inTime = labels.toSorted().map(label);
  const span = sayRange(inTime[0] ?? '', inTime.at(-1) ?? '');
  const rows = withRows === undefined ? '' : `, ${withRows} with rows`;
  return `${labels.length.toLocaleString(tags.en, unit)} (${span})${rows}`;
}

/** How the numbers and labels of a figure are written. */
export type Format = ReturnType<typeof formatOf>;

const styles: Readonly<Record<string, Intl.NumberFormatOptions>> = {
  euro: { style: 'currency', currency: 'EUR' },
  percent: { style: 'unit', unit: 'percent' },
  count: {},
};

/** The format of a figure's numbers and labels. */
export function formatOf(figure: Figure, locale: FigureLocale) {
  const { unit = 'count', axis, split, measures, series } = figure;
  const tag = tags[locale];
  const values = drawnSeries(figure)
    .flatMap((one) => one.values)
    .filter((value) => value !== null);
  const largest = Math.max(0, ...values.map(Math.abs));
  const longest = Math.max(0, ...values.map(decimalsOf));
  // All numbers have the decimals of the longest, at most two, or four where all are small.
  const needed = Math.min(longest, largest < 10 ? 4 : 2);
  const decimals = Math.max(unit === 'euro' ? 2 : 0, needed);
  const style = Object.hasOwn(styles, unit) ? styles[unit] : undefined;
  const suffix = style ? '' : ` ${unit}`;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const full = new Intl.NumberFormat(tag, { ...style, ...digits });
  const notation = largest >= 1e6 ? 'compact' : 'standard';
  const few = { minimumFractionDigits: 0, maximumFractionDigits: largest >= 100 ? 0 : 2 };
  const tick = new Intl.NumberFormat(tag, { ...style, ...few, notation });
  const groups = series.map(({ name }) => name);
  const isPlainSplit = split !== undefined && measures.length === 1;
  return {
    /** A number in full with its unit, such as `€ 1.234,50`; a dash for none. */
    value: (value: FigureValue | undefined) => (value == null ? '–' : full.format(value) + suffix),
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
    // Series may be of rows without a day: their name is no date.
    if (type === 'name' || !/^\d{4}-/.test(label)) return label;
    if (type !== 'week') return format.format(Date.parse(label)).replace(',', '');
    const [year, week] = label.split('-W');
    return `wk ${Number(week)}${hasYear ? ` ${year}` : ''}`;
  };
}
