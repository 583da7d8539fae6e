import type { Figure } from '../figure.ts';
import type { FigureFormat } from '../text/locale.ts';
import { linesOf, widthOf } from './chart-texts.ts';
import type { Palette } from './palette.ts';

/** What the parts of a picture are made of. */
export interface ChartLayout {
  figure: Figure;
  width: number;
  /** Bars of names lie, so that their names can be read. */
  isLying: boolean;
  /** Whether each bar carries its number. */
  isTold: boolean;
  /** One for each place of the axis. */
  labels: readonly string[];
  places: readonly (number | undefined)[];
  palette: Palette;
  format: FigureFormat;
}

/** Most lines of a name beside a bar: the tooltip and the table have the whole of it. */
const maxLines = 3;

const nameSize = 13;

/** Room for a day under a line, in pixels. */
const dayWidth = 84;

/** Room for the numbers beside a line. */
const scaleWidth = 72;

/** The two axes of a picture. */
export function chartAxes(layout: ChartLayout) {
  const { isLying } = layout;
  const labels = labelAxis(layout);
  const numbers = numberAxis(layout);
  return isLying ? { yAxis: labels, xAxis: numbers } : { xAxis: labels, yAxis: numbers };
}

/** How many lines a name beside a bar takes. */
export function nameLines(name: string, width: number): number {
  return Math.min(maxLines, linesOf(name, nameWidth(width) * 0.85, nameSize));
}

function labelAxis({ figure, width, isLying, labels, palette, format }: ChartLayout) {
  // Fonts differ: a name that has the room shall not break because its font is a wide one.
  const longest = 1.25 * Math.max(...labels.map((label) => widthOf(label, nameSize)));
  return {
    type: 'category' as const,
    data: labels.map((label) => format.label(label)),
    inverse: isLying,
    triggerEvent: true,
    boundaryGap: figure.kind === 'bars' || figure.axis.type === 'name' || labels.length === 1,
    axisTick: { show: false },
    axisLine: { show: !isLying, lineStyle: { color: palette.muted } },
    axisLabel: {
      color: palette.text,
      fontSize: nameSize,
      ...(isLying
        ? {
            interval: 0,
            width: Math.min(nameWidth(width), longest),
            overflow: 'break' as const,
            lineHeight: 15,
            formatter: (name: string) => shorten(name, width),
          }
        : { hideOverlap: true, ...intervalOf(figure, labels, width) }),
    },
  };
}

function numberAxis({ isLying, isTold, width, palette, format }: ChartLayout) {
  return {
    type: 'value' as const,
    splitNumber: isLying ? Math.max(2, Math.round(width / 160)) : 4,
    axisLabel: {
      show: !isTold,
      color: palette.muted,
      fontSize: 12,
      hideOverlap: true,
      formatter: (value: number) => format.tick(value),
    },
    splitLine: { show: !isTold, lineStyle: { color: palette.line } },
  };
}

/** Of many days the Mondays carry a label, or the firsts of the months, as many as have room. */
function intervalOf({ axis }: Figure, labels: readonly string[], width: number) {
  if (axis.type !== 'day' || labels.length <= 14) return {};
  const isMarked = (day: string) =>
    labels.length > 120 ? day.endsWith('-01') : new Date(day).getUTCDay() === 1;
  const marked = labels.flatMap((label, index) => (isMarked(label) ? [index] : []));
  if (marked.length < 2) return {};
  const step = Math.ceil((marked.length * dayWidth) / (width - scaleWidth));
  const told = new Set(marked.filter((_, index) => index % step === 0));
  return { interval: (index: number) => told.has(index) };
}

function nameWidth(width: number): number {
  return Math.round(width * (width < 480 ? 0.34 : 0.28));
}

function shorten(name: string, width: number): string {
  const most = Math.floor((nameWidth(width) * 0.85 * maxLines) / widthOf('m', nameSize));
  return name.length > most ? `${name.slice(0, most - 1).trimEnd()}…` : name;
}
