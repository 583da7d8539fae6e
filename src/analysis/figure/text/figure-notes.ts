import { passOn } from '../../../core/text.ts';
import type { Figure } from '../figure.ts';
import { type FigureLocale, intlTag } from './locale.ts';
import { wordsOf } from './words.ts';

/** What a reader must not miss: short enough to stand in the picture. Empty when all is well. */
export function figureMarks({ notes }: Figure, locale: FigureLocale): string[] {
  const words = wordsOf(locale);
  return [
    ...(notes.source === 'sandbox' ? [words.sandbox] : []),
    ...(notes.complete ? [] : [words.incomplete]),
  ];
}

/** What stands beneath a figure: warnings, the period, what was not drawn and when it was read. */
export function figureFootnotes({ notes, omitted }: Figure, locale: FigureLocale): string[] {
  const words = wordsOf(locale);
  const { warnings, period, asOf } = notes;
  return [
    ...warnings.map((warning) => `${words.warning}: ${warning.replace(passOn, '').trimEnd()}`),
    ...(omitted ? [`${words.omitted}: ${omitted.join(', ')}`] : []),
    ...(period ? [`${words.period}: ${spanOf(period, locale)}`] : []),
    ...(asOf ? [`${words.asOf} ${momentOf(asOf, locale)}`] : []),
  ];
}

function spanOf({ from, to }: { from: string; to: string }, locale: FigureLocale): string {
  const [first, last] = [writeDay(from, locale), writeDay(to, locale)];
  return first === last ? first : `${first} ${wordsOf(locale).to} ${last}`;
}

function writeDay(day: string, locale: FigureLocale): string {
  return write(day, locale, { dateStyle: 'long', timeZone: 'UTC' });
}

function momentOf(iso: string, locale: FigureLocale): string {
  return write(iso, locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'Europe/Amsterdam',
  });
}

function write(iso: string, locale: FigureLocale, style: Intl.DateTimeFormatOptions): string {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? iso : new Intl.DateTimeFormat(intlTag(locale), style).format(ms);
}
