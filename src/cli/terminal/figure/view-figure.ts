import type { Figure } from '../../../analysis/figure/figure.ts';
import { figureSummary } from '../../../analysis/figure/text/figure-text.ts';
import { type FigureLocale, formatOf } from '../../../analysis/figure/text/locale.ts';
import { figureFootnotes, figureMarks, headingOf } from '../../../analysis/figure/text/words.ts';
import { neutralise } from '../../../core/text.ts';
import { paint } from '../paint.ts';
import { wrap } from '../wrap.ts';
import { viewBars } from './bars.ts';
import { viewLines } from './lines.ts';

/** How a figure is drawn in a terminal. */
export interface FigureView {
  /** Cells of a line. */
  width: number;
  locale: FigureLocale;
}

/** A course with more labels, or with more than one series, is drawn as sparklines. */
const maxCourseBars = 14;

/** The lines of a figure in a terminal: what it is, the drawing, then what must be known of it. */
export function viewFigure(figure: Figure, { width, locale }: FigureView): string[] {
  const marks = figureMarks(figure, locale);
  const notes = figureFootnotes(figure, locale).map(neutralise);
  return [
    ...wrap(neutralise(headingOf(figure, locale)), width).map((line) => paint('bold', line)),
    ...wrap(neutralise(`${figureSummary(figure, locale)}.`), width),
    ...(marks.length > 0 ? [paint('yellow', `${marks.join('. ')}.`)] : []),
    '',
    ...drawFigure(figure, { width, locale }),
    '',
    ...notes.flatMap((note) => wrap(note, width)).map((line) => paint('dim', line)),
  ];
}

/** The drawing alone. */
export function drawFigure(figure: Figure, { width, locale }: FigureView): string[] {
  const { kind, series, axis } = figure;
  const format = formatOf(figure, locale);
  const isCourse = kind === 'line' && (series.length > 1 || axis.labels.length > maxCourseBars);
  return isCourse ? viewLines(figure, format, width) : viewBars(figure, format, width);
}
