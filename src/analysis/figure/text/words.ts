/** What a figure says around its numbers, in both languages. */
import { passOn } from '../../../core/text.ts';
import type { Figure } from '../figure.ts';
import { type FigureLocale, intlTag } from './locale.ts';

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
