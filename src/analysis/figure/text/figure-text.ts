import { toDecimal } from '../../../core/money.ts';
import { asData, asOurs, neutralise } from '../../../core/text.ts';
import type { Figure } from '../figure.ts';
import { figureFootnotes, figureMarks } from './figure-notes.ts';
import type { FigureLocale } from './locale.ts';
import { figureSummary } from './summary.ts';
import { headingOf } from './words.ts';

/**
 * The whole figure in words, complete without a picture: one sentence with the totals and the
 * extremes, what must not be missed, the table (its numbers as they are, to reckon with, euros with
 * their cents), then the notes.
 */
export function figureText(figure: Figure, locale: FigureLocale): string {
  const sentence = `${headingOf(figure, locale)}: ${figureSummary(figure, locale)}.`;
  const marks = figureMarks(figure, locale);
  return [
    asData(neutralise(sentence)),
    ...(marks.length > 0 ? [asOurs(`${marks.join('. ')}.`)] : []),
    '',
    ...tableOf(figure),
    '',
    ...figureFootnotes(figure, locale).map((note) => asOurs(neutralise(note))),
  ]
    .join('\n')
    .trimEnd();
}

function tableOf(figure: Figure): string[] {
  const write = (value: string) => (figure.unit === 'euro' ? withCents(value) : value);
  return figureRows(figure, write).map((row) => asData(row.map(writeCell).join('|')));
}

function withCents(value: string): string {
  const amount = toDecimal(value);
  return amount?.toFixed(Math.max(2, amount.decimalPlaces())) ?? value;
}

/**
 * The figure as a table: a line of headings, then a line for each label.
 *
 * @param write how a number is written; @default as it is
 */
export function figureRows(
  { axis, series }: Figure,
  write: (value: string) => string = (value) => value,
): string[][] {
  const headings = [axis.name, ...series.map(({ name }) => name)];
  const lines = axis.labels.map((label, index) => [
    label,
    ...series.map(({ values }) => write(digits(values[index]))),
  ]);
  return [headings, ...lines];
}

function digits(value: number | string | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

function writeCell(cell: string): string {
  return neutralise(cell.replace(/[\\|]/g, '\\$&'));
}
