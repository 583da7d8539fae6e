/** What is said of a figure around its numbers, in both languages. */
import type { AxisType, Figure } from '../figure.ts';
import type { FigureLocale } from './locale.ts';

const dutch = {
  by: 'per',
  total: 'totaal',
  together: 'samen',
  highest: 'hoogste',
  lowest: 'laagste',
  to: 't/m',
  sandbox: 'Verzonnen cijfers (sandbox)',
  incomplete: 'Niet volledig',
  period: 'Periode',
  asOf: 'Gelezen op',
  warning: 'Let op',
  omitted: 'Niet getekend',
  drawn: (shown: number, all: number) =>
    `Getekend: de eerste ${shown} van ${all}; alle in de tabel`,
};

const english: typeof dutch = {
  by: 'by',
  total: 'total',
  together: 'together',
  highest: 'highest',
  lowest: 'lowest',
  to: 'to',
  sandbox: 'Invented data (sandbox)',
  incomplete: 'Not complete',
  period: 'Period',
  asOf: 'Read on',
  warning: 'Note',
  omitted: 'Not drawn',
  drawn: (shown, all) => `Drawn: the first ${shown} of ${all}; all of them in the table`,
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

const counted: Record<
  FigureLocale,
  Record<Exclude<AxisType, 'name'> | 'date', [one: string, many: string]>
> = {
  nl: {
    day: ['dag', 'dagen'],
    date: ['datum', 'datums'],
    week: ['week', 'weken'],
    month: ['maand', 'maanden'],
  },
  en: {
    day: ['day', 'days'],
    date: ['date', 'dates'],
    week: ['week', 'weeks'],
    month: ['month', 'months'],
  },
};

/** So many days, weeks or months: `7 days`. Names are not counted: nobody says what they are. */
export function countLabels({ axis: { type, labels } }: Figure, locale: FigureLocale): string {
  if (type === 'name') return '';
  const [one, many] = counted[locale][type === 'day' && isSpread(labels) ? 'date' : type];
  return `${labels.length} ${labels.length === 1 ? one : many}`;
}

/** Whether no day follows on another: Mondays may stand for weeks, and firsts for months. */
function isSpread(days: readonly string[]): boolean {
  const inTime = days.map((day) => Date.parse(day)).sort((a, b) => a - b);
  const gaps = inTime.slice(1).map((ms, index) => ms - (inTime[index] ?? ms));
  return gaps.length > 0 && gaps.every((gap) => gap > 86_400_000);
}
