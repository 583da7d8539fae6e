/** The texts around a picture, and the room that they take: the library lays nothing out by itself. */
import type { TitleComponentOption } from 'echarts/components';
import type { Figure } from '../figure.ts';

import type { FigureFormat, FigureLocale } from '../text/locale.ts';
import { figureFootnotes, figureMarks, headingOf, wordsOf } from '../text/words.ts';
import type { Palette } from './palette.ts';

/** What the texts of a picture depend on. */
interface TextStyle {
  width: number;
  locale: FigureLocale;
  palette: Palette;
  /** Left and right of everything. */
  margin: number;
  /** Whether the heading and the notes stand in the picture. */
  isAlone: boolean;
  /** How many labels have a place in the picture. */
  drawn: number;
}

/** Texts, with the room above and below the drawing that they need. */
export interface ChartTexts {
  titles: TitleComponentOption[];
  top: number;
  bottom: number;
}

/** An average character's width as a part of the font's size; a little more than it is. */
const characterWidth = 0.56;

/** How many lines a text takes in a width, in a font of so many pixels. */
export function linesOf(text: string, width: number, fontSize: number): number {
  return Math.max(1, Math.ceil((text.length * fontSize * characterWidth) / width));
}

/** Width of a text in pixels, roughly. */
export function widthOf(text: string, fontSize: number): number {
  return Math.ceil(text.length * fontSize * characterWidth);
}

/** Heading, marks and notes of a picture. */
export function chartTexts(figure: Figure, style: TextStyle): ChartTexts {
  const { width, locale, palette, margin, isAlone, drawn } = style;
  const room = width - 2 * margin;
  const wrap = { width: room, overflow: 'break' as const };
  // The library keeps 5 pixels around a title.
  const left = margin - 5;
  const titles: TitleComponentOption[] = [];
  let top = isAlone ? margin : 0;
  const put = (text: string, look: { color: string; fontSize: number; lineHeight: number }) => {
    titles.push({ text, left, top: top - 5, textStyle: { ...wrap, fontWeight: 600, ...look } });
    top += linesOf(text, room, look.fontSize) * look.lineHeight + 3;
  };
  if (isAlone)
    put(headingOf(figure, locale), { color: palette.text, fontSize: 18, lineHeight: 24 });
  const marks = marksOf(figure, drawn, locale).join(' · ');
  if (marks !== '') put(marks, { color: palette.mark, fontSize: 13, lineHeight: 18 });
  const notes = isAlone ? figureFootnotes(figure, locale) : [];
  if (notes.length === 0) return { titles, top, bottom: 4 };
  const textStyle = {
    ...wrap,
    color: palette.muted,
    fontSize: 12,
    fontWeight: 400,
    lineHeight: 17,
  };
  titles.push({ text: notes.join('\n'), left, bottom: margin - 8, textStyle });
  const lines = notes.reduce((sum, note) => sum + linesOf(note, room, 12), 0);
  return { titles, top, bottom: lines * 17 + margin + 8 };
}

/** Rows of a legend that wraps; each name has its sign and a gap beside it. */
export function legendRows(figure: Figure, format: FigureFormat, room: number): number {
  let rows = 1;
  let used = 0;
  for (const { name } of figure.series) {
    const width = 24 + 5 + 16 + widthOf(format.series(name), 13);
    if (used > 0 && used + width > room) {
      rows += 1;
      used = 0;
    }
    used += width;
  }
  return rows;
}

function marksOf(figure: Figure, drawn: number, locale: FigureLocale): string[] {
  const all = figure.axis.labels.length;
  const marks = figureMarks(figure, locale);
  return drawn < all ? [...marks, wordsOf(locale).drawn(drawn, all)] : marks;
}
