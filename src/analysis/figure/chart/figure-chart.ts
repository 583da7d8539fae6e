/** A figure as a picture: the chart library's options, the same in a browser and in Node. */
import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import type {
  GridComponentOption,
  LegendComponentOption,
  TitleComponentOption,
  TooltipComponentOption,
} from 'echarts/components';
import type { ComposeOption } from 'echarts/core';
import type { Figure } from '../figure.ts';
import { type FigureLocale, formatOf } from '../text/locale.ts';
import { type ChartLayout, chartAxes, nameLines } from './chart-axes.ts';
import { chartSeries, teller } from './chart-series.ts';
import { chartTexts, legendRows, widthOf } from './chart-texts.ts';
import { type FigureTheme, paletteOf } from './palette.ts';
import { timeSlots } from './time-slots.ts';

export type ChartOption = ComposeOption<
  | BarSeriesOption
  | GridComponentOption
  | LegendComponentOption
  | LineSeriesOption
  | TitleComponentOption
  | TooltipComponentOption
>;

/** How a picture is wanted. */
export interface ChartStyle {
  /** In pixels. */
  width: number;
  theme: FigureTheme;
  locale: FigureLocale;
  /** The picture carries its own heading, background and notes. @default false */
  isAlone?: boolean;
  /** @default false */
  isAnimated?: boolean;
}

/** A picture and what is where in it. */
export interface Chart {
  option: ChartOption;
  width: number;
  height: number;
  /** The label at each place of the axis, as an index into the figure's; none in a gap. */
  places: readonly (number | undefined)[];
}

/** Most bars of names in a picture: the table has them all. */
const maxBars = 40;

/** Most bars that carry their number; then they need no scale. */
const maxTold = 24;

/** The picture of a figure. */
export function figureChart(figure: Figure, style: ChartStyle): Chart {
  const { width, theme, locale, isAlone = false, isAnimated = false } = style;
  const { axis, kind, series } = figure;
  const palette = paletteOf(theme);
  const format = formatOf(figure, locale);
  const isLying = kind === 'bars' && axis.type === 'name';
  const labels = isLying ? axis.labels.slice(0, maxBars) : timeSlots(axis.type, axis.labels);
  const indexOf = new Map(axis.labels.map((label, index) => [label, index]));
  const places = labels.map((label) => indexOf.get(label));
  const isTold = isLying && labels.length * series.length <= maxTold;
  const layout = { figure, width, isLying, isTold, labels, places, palette, format };

  const margin = isAlone ? 16 : 2;
  const room = width - 2 * margin;
  const drawn = places.filter((place) => place !== undefined).length;
  const texts = chartTexts(figure, { width, locale, palette, margin, isAlone, drawn });
  const hasLegend = series.length > 1;
  const legendHeight = hasLegend ? legendRows(figure, format, room) * 24 + 6 : 0;
  const top = texts.top + legendHeight + 8;
  const height = top + bodyHeight(layout) + texts.bottom;
  const option: ChartOption = {
    animation: isAnimated,
    textStyle: { fontFamily: isAlone ? fileFonts : pageFonts, color: palette.text },
    title: texts.titles,
    legend: {
      show: hasLegend,
      top: texts.top + 2,
      left: margin - 5,
      width: room,
      itemGap: 16,
      itemWidth: 24,
      textStyle: { color: palette.text, fontSize: 13 },
      inactiveColor: palette.line,
      formatter: (name) => format.series(name),
    },
    tooltip: {
      trigger: 'axis',
      confine: true,
      transitionDuration: isAnimated ? 0.2 : 0,
      backgroundColor: palette.background,
      borderColor: palette.line,
      textStyle: { color: palette.text, fontSize: 13 },
      axisPointer: { type: kind === 'line' ? 'line' : 'shadow' },
    },
    grid: {
      top,
      bottom: texts.bottom,
      left: margin,
      right: margin + (isTold ? toldWidth(layout) : 8),
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    ...chartAxes(layout),
    series: chartSeries(layout),
    ...(isAlone && { backgroundColor: palette.background }),
  };
  return { option, width, height, places };
}

// Names of several words stand without quotes: the library writes them into an attribute as they are.
const pageFonts = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif';

/** Where nothing can be measured, fonts of one and the same width. */
const fileFonts = 'Arial, Helvetica, Liberation Sans, sans-serif';

/** Room for the drawing: more for each bar that lies, and for names that take several lines. */
function bodyHeight({ isLying, isTold, labels, figure, width }: ChartLayout): number {
  if (!isLying) return Math.round(Math.min(360, Math.max(220, width * 0.42)));
  const lines = Math.max(...labels.map((label) => nameLines(label, width)));
  const row = Math.max(34, figure.series.length * 18 + 14, lines * 15 + 8);
  return labels.length * row + (isTold ? 8 : 30);
}

/** Room to the right of the longest bar for its number. */
function toldWidth(layout: ChartLayout): number {
  const tell = teller(layout);
  const texts = layout.figure.series.flatMap(({ values }) => values.map(tell));
  return 8 + Math.max(...texts.map((text) => widthOf(text, 12)));
}
