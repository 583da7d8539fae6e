/** A figure as a picture by ECharts, the same in a browser and in Node. Half a megabyte: load on demand. */
import { BarChart, type BarSeriesOption, LineChart, type LineSeriesOption } from 'echarts/charts';
import {
  AriaComponent,
  type AriaComponentOption,
  GridComponent,
  type GridComponentOption,
  LegendComponent,
  type LegendComponentOption,
  TitleComponent,
  type TitleComponentOption,
  TooltipComponent,
  type TooltipComponentOption,
} from 'echarts/components';
import { type ComposeOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Figure, FigureSeries, FigureValue } from '../figure.ts';
import { type FigureFormat, type FigureLocale, formatOf } from '../text/locale.ts';
import { figureFootnotes, figureMarks, headingOf, wordsOf } from '../text/words.ts';
import { colorsOf, type FigureTheme } from './theme.ts';

use([
  AriaComponent,
  BarChart,
  GridComponent,
  LegendComponent,
  LineChart,
  SVGRenderer,
  TitleComponent,
  TooltipComponent,
]);

export { init };

type SeriesOption = BarSeriesOption | LineSeriesOption;

type ChartOption = ComposeOption<
  | AriaComponentOption
  | GridComponentOption
  | LegendComponentOption
  | SeriesOption
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

/** A picture, in pixels. */
export interface Chart {
  option: ChartOption;
  width: number;
  height: number;
}

/** What the parts of a picture depend on. */
interface Layout extends ChartStyle {
  figure: Figure;
  format: FigureFormat;
  /** Bars of names are horizontal, so that their names can be read. */
  isHorizontal: boolean;
  hasValueLabels: boolean;
  /** The labels that are drawn. */
  labels: readonly string[];
}

/** Most bars of names in a picture: the table has them all. */
const maxBars = 40;

/** Most bars with their value beside them; then they need no scale. */
const maxValueLabels = 24;

/** Most points of a line that are marked one by one. */
const maxMarked = 31;

/** Width of an average character, as a part of the font's size; a little more than it is. */
const characterWidth = 0.56;

/** Widest name in the legend, in pixels; longer ones end in an ellipsis. */
const maxLegendName = 180;

/** The picture of a figure. */
export function figureChart(figure: Figure, style: ChartStyle): Chart {
  const { width, theme, locale, isAlone = false, isAnimated = false } = style;
  const { axis, kind, series } = figure;
  const colors = colorsOf[theme];
  const format = formatOf(figure, locale);
  const isHorizontal = kind === 'bars' && axis.type === 'name';
  const labels = isHorizontal ? axis.labels.slice(0, maxBars) : axis.labels;
  const hasValueLabels = isHorizontal && labels.length * series.length <= maxValueLabels;
  const layout = { ...style, figure, format, isHorizontal, hasValueLabels, labels };

  const margin = isAlone ? 16 : 2;
  const texts = titlesOf(layout, margin);
  const legend = legendOf(layout, texts.top, width - 2 * margin);
  const top = texts.top + legend.height + 8;
  const option: ChartOption = {
    animation: isAnimated,
    color: [...colors.series],
    textStyle: { fontFamily: isAlone ? fileFonts : pageFonts, color: colors.text },
    title: texts.titles,
    legend: { ...legend.option, left: margin - 5 },
    // Patterns distinguish series without colour.
    aria: {
      enabled: series.length > 1,
      label: { enabled: false },
      decal: { show: kind === 'bars' },
    },
    tooltip: {
      trigger: 'axis',
      confine: true,
      transitionDuration: isAnimated ? 0.2 : 0,
      backgroundColor: colors.background,
      borderColor: colors.line,
      textStyle: { color: colors.text, fontSize: 13 },
      axisPointer: { type: kind === 'line' ? 'line' : 'shadow' },
    },
    grid: {
      top,
      bottom: texts.bottom,
      left: margin,
      right: margin + 8,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    ...axesOf(layout),
    series: series.map((one, index) => seriesOf(one, index, layout)),
    ...(isAlone && { backgroundColor: colors.background }),
  };
  const row = Math.max(34, series.length * 18 + 14);
  const body = isHorizontal
    ? labels.length * row + (hasValueLabels ? 8 : 30)
    : Math.round(Math.min(360, Math.max(220, width * 0.42)));
  return { option, width, height: top + body + texts.bottom };
}

/**
 * The figure as an SVG file with its heading and notes, for slides and mail.
 */
export function figureSvg(
  figure: Figure,
  style: Omit<ChartStyle, 'isAlone' | 'isAnimated'>,
): string {
  const { option, width, height } = figureChart(figure, { ...style, isAlone: true });
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(option);
    return chart.renderToSVGString();
  } finally {
    // Its timers would keep the process alive.
    chart.dispose();
  }
}

// Without quotes: the library writes them into an attribute as they are.
const pageFonts = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif';

/** Where nothing can be measured, fonts of one and the same width. */
const fileFonts = 'Arial, Helvetica, Liberation Sans, sans-serif';

/** Heading, marks and notes, with the height above and below the drawing that they need. */
function titlesOf({ figure, width, theme, locale, isAlone, labels }: Layout, margin: number) {
  const colors = colorsOf[theme];
  const room = width - 2 * margin;
  const titles: TitleComponentOption[] = [];
  // The library takes bold letters for narrower than they are.
  const bold = { width: room * 0.9, overflow: 'break', fontWeight: 600 } as const;
  // The library keeps 5 pixels around a title.
  const left = margin - 5;
  const all = figure.axis.labels.length;
  const drawn = labels.length < all ? [wordsOf(locale).drawn(labels.length, all)] : [];
  let top = isAlone ? margin : 0;
  const put = (text: string, color: string, fontSize: number) => {
    const lineHeight = fontSize + 6;
    titles.push({
      text,
      left,
      top: top - 5,
      textStyle: { ...bold, color, fontSize, lineHeight },
    });
    top += linesOf(text, bold.width, fontSize) * lineHeight + 3;
  };
  if (isAlone) put(headingOf(figure, locale), colors.text, 18);
  const marks = [...figureMarks(figure, locale), ...drawn].join(' · ');
  if (marks !== '') put(marks, colors.mark, 13);
  const notes = isAlone ? figureFootnotes(figure, locale) : [];
  if (notes.length === 0) return { titles, top, bottom: 4 };
  const lines = notes.reduce((sum, note) => sum + linesOf(note, room, 12), 0);
  const look = { color: colors.muted, fontSize: 12, fontWeight: 400, lineHeight: 17 } as const;
  titles.push({
    text: notes.join('\n'),
    left,
    bottom: margin - 8,
    textStyle: { width: room, overflow: 'break', ...look },
  });
  return { titles, top, bottom: lines * 17 + margin + 8 };
}

function linesOf(text: string, width: number, fontSize: number): number {
  return Math.max(1, Math.ceil(widthOf(text, fontSize) / width));
}

/** Width of a text in pixels, roughly: where a file is written no font can be measured. */
function widthOf(text: string, fontSize: number): number {
  return text.length * fontSize * characterWidth;
}

function legendOf({ figure, format, theme }: Layout, top: number, room: number) {
  const colors = colorsOf[theme];
  const names = figure.series.map(({ name }) => format.series(name));
  const widths = names.map((name) => 45 + Math.min(maxLegendName, widthOf(name, 13)));
  const isShown = figure.series.length > 1;
  const rows = Math.ceil(widths.reduce((sum, width) => sum + width, 0) / (room * 0.8));
  const option: LegendComponentOption = {
    show: isShown,
    top: top + 2,
    width: room,
    itemGap: 16,
    itemWidth: 24,
    textStyle: { color: colors.text, fontSize: 13, width: maxLegendName, overflow: 'truncate' },
    inactiveColor: colors.line,
    formatter: (given) => format.series(given),
  };
  return { option, height: isShown ? rows * 24 + 6 : 0 };
}

function axesOf(layout: Layout) {
  const [labels, numbers] = [labelAxis(layout), numberAxis(layout)];
  return layout.isHorizontal
    ? { yAxis: labels, xAxis: numbers }
    : { xAxis: labels, yAxis: numbers };
}

function labelAxis({ figure, width, theme, format, isHorizontal, labels }: Layout) {
  const colors = colorsOf[theme];
  const longest = 1.25 * Math.max(...labels.map((label) => widthOf(label, 13)));
  const twoLines = {
    width: Math.min(Math.round(width * (width < 480 ? 0.34 : 0.28)), longest),
    height: 30,
    overflow: 'break' as const,
    lineOverflow: 'truncate' as const,
  };
  return {
    type: 'category' as const,
    data: labels.map((label) => format.label(label)),
    inverse: isHorizontal,
    triggerEvent: true,
    boundaryGap: figure.kind === 'bars' || figure.axis.type === 'name' || labels.length === 1,
    axisTick: { show: false },
    axisLine: { show: !isHorizontal, lineStyle: { color: colors.muted } },
    axisLabel: {
      color: colors.text,
      fontSize: 13,
      hideOverlap: true,
      ...(isHorizontal ? { ...twoLines, interval: 0, lineHeight: 15 } : intervalOf(figure, width)),
    },
  };
}

/** Of many days the Mondays carry a label, or the firsts of the months, as many as there is room for. */
function intervalOf({ axis: { type, labels } }: Figure, width: number) {
  if (type !== 'day' || labels.length <= 14) return {};
  const isMarked = (day: string) =>
    labels.length > 120 ? day.endsWith('-01') : new Date(day).getUTCDay() === 1;
  const marked = labels.filter(isMarked);
  const step = Math.ceil((marked.length * 84) / (width - 72));
  const shown = new Set(marked.filter((_, index) => index % step === 0));
  return shown.size < 2 ? {} : { interval: (index: number) => shown.has(labels[index] ?? '') };
}

function numberAxis({ isHorizontal, hasValueLabels, width, theme, format }: Layout) {
  const colors = colorsOf[theme];
  return {
    type: 'value' as const,
    splitNumber: isHorizontal ? Math.max(2, Math.round(width / 160)) : 4,
    // Room for the values beside the longest bars.
    boundaryGap: ['0%', hasValueLabels ? (width < 480 ? '30%' : '15%') : '0%'] satisfies [
      string,
      string,
    ],
    axisLabel: {
      show: !hasValueLabels,
      color: colors.muted,
      fontSize: 12,
      hideOverlap: true,
      formatter: (value: number) => format.tick(value),
    },
    splitLine: { show: !hasValueLabels, lineStyle: { color: colors.line } },
  };
}

const dashes = ['solid', 'dashed', 'dotted'] as const;

const symbols = ['circle', 'rect', 'triangle', 'diamond'] as const;

function seriesOf({ name, values }: FigureSeries, index: number, layout: Layout): SeriesOption {
  const { figure, format, width, theme, isHorizontal, hasValueLabels, labels } = layout;
  const drawn = values.slice(0, labels.length);
  const common = {
    name,
    triggerEvent: true,
    emphasis: { focus: 'none' as const },
    // The exact value rather than the double that was drawn.
    tooltip: {
      valueFormatter: (_: unknown, place: number) => format.value(values[place] ?? null),
    },
  };
  if (figure.kind === 'line')
    return {
      ...common,
      type: 'line',
      symbol: symbols[index % symbols.length] ?? 'circle',
      showAllSymbol: true,
      connectNulls: false,
      lineStyle: { width: 2.25, type: dashes[index % dashes.length] ?? 'solid' },
      data: drawn.map((value, at) => ({
        value: drawable(value),
        // In a long line only those points are marked that no line leads to.
        symbolSize: labels.length <= maxMarked || isIsolated(values, at) ? 6 : 0,
      })),
    };
  // A narrow picture leaves the cents to the tooltip and the table.
  const formatValueLabel = width < 480 ? format.short : format.value;
  return {
    ...common,
    type: 'bar',
    barMaxWidth: isHorizontal ? 26 : 48,
    barGap: '12%',
    barCategoryGap: isHorizontal ? '28%' : '32%',
    ...(index === 0 && { itemStyle: { decal: { symbol: 'none' } } }),
    data: drawn.map((value) => ({
      value: drawable(value),
      label: {
        show: hasValueLabels && value !== null,
        // Of negative bars too: their names are on the left.
        position: 'right' as const,
        color: colorsOf[theme].text,
        fontSize: 12,
        formatter: () => formatValueLabel(value),
      },
    })),
  };
}

/** A gap, and no zero, for the library. */
function drawable(value: FigureValue): number | '-' {
  return value === null ? '-' : Number(value);
}

function isIsolated(values: readonly FigureValue[], at: number): boolean {
  const isGap = (index: number) => (values[index] ?? null) === null;
  return !isGap(at) && isGap(at - 1) && isGap(at + 1);
}
