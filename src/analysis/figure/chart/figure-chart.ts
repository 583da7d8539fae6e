/** A figure as a picture by ECharts, the same in a browser and in Node. Half a megabyte: load on demand. */
import { BarChart, LineChart } from 'echarts/charts';
import {
  AriaComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Figure, FigureSeries, FigureValue } from '../figure.ts';
import {
  type FigureFormat,
  type FigureLocale,
  figureFootnotes,
  figureMarks,
  formatOf,
  headingOf,
  wordsOf,
} from '../text/words.ts';

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

export type FigureTheme = 'light' | 'dark';

export interface Colors {
  text: string;
  muted: string;
  line: string;
  background: string;
  mark: string;
  /** Five, so that with the library's six patterns, or three dashes, no two of twelve series look alike. */
  series: readonly string[];
}

// Each series stands out from its background by 3:1 or more, and from its neighbours for readers who
// cannot distinguish red from green.
export const colorsOf: Record<FigureTheme, Colors> = {
  light: {
    text: '#1b1f27',
    muted: '#565d6b',
    line: '#dfe2e8',
    background: '#ffffff',
    mark: '#a8320a',
    series: ['#2456c9', '#d0660a', '#0d8273', '#8b3fd1', '#b52a62'],
  },
  dark: {
    text: '#eceff4',
    muted: '#aeb6c4',
    line: '#3a414d',
    background: '#1a1d23',
    mark: '#ffb38a',
    series: ['#7ba5ff', '#ffaa5e', '#4fd0b8', '#c9a2ff', '#ff93b8'],
  },
};

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
  option: EChartsCoreOption;
  width: number;
  height: number;
}

/** What the parts of a picture depend on. */
interface Layout {
  figure: Figure;
  width: number;
  colors: Colors;
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

/** Narrower than this, values leave their cents to the tooltip and the table. */
const narrow = 480;

/** The picture of a figure. */
export function figureChart(figure: Figure, style: ChartStyle): Chart {
  const { width, theme, locale, isAlone = false, isAnimated = false } = style;
  const { axis, kind, series } = figure;
  const colors = colorsOf[theme];
  const isHorizontal = kind === 'bars' && axis.type === 'name';
  const labels = isHorizontal ? axis.labels.slice(0, maxBars) : axis.labels;
  const hasValueLabels = isHorizontal && labels.length * series.length <= maxValueLabels;
  const format = formatOf(figure, locale);
  const layout: Layout = { figure, width, colors, format, isHorizontal, hasValueLabels, labels };

  const margin = isAlone ? 16 : 2;
  const room = width - 2 * margin;
  const heading = isAlone ? headingOf(figure, locale) : '';
  const notes = isAlone ? figureFootnotes(figure, locale) : [];
  const isPart = labels.length < axis.labels.length;
  const drawn = isPart ? [wordsOf(locale).drawn(labels.length, axis.labels.length)] : [];
  const marks = [...figureMarks(figure, locale), ...drawn].join(' · ');
  // The library keeps 5 pixels around a title, and takes bold letters for narrower than they are.
  const left = margin - 5;
  const bold = { width: room * 0.9, overflow: 'break', fontWeight: 600 };
  const headingHeight = linesOf(heading, bold.width, 18) * 24;
  const marksHeight = linesOf(marks, bold.width, 13) * 18;
  const notesHeight = notes.reduce((sum, note) => sum + linesOf(note, room, 12) * 17, 0);
  const legendTop = (isAlone ? margin : 0) + headingHeight + marksHeight + 4;
  const top = legendTop + legendHeight(layout, room) + 8;
  const bottom = notes.length > 0 ? notesHeight + margin + 8 : 4;

  const option = {
    animation: isAnimated,
    color: [...colors.series],
    textStyle: { fontFamily: isAlone ? fileFonts : pageFonts, color: colors.text },
    title: [
      {
        text: heading,
        left,
        top: margin - 5,
        textStyle: { ...bold, color: colors.text, fontSize: 18, lineHeight: 24 },
      },
      {
        text: marks,
        left,
        top: (isAlone ? margin : 0) + headingHeight - 5,
        textStyle: { ...bold, color: colors.mark, fontSize: 13, lineHeight: 18 },
      },
      {
        text: notes.join('\n'),
        left,
        bottom: margin - 8,
        textStyle: { ...bold, width: room, ...noteStyle, color: colors.muted },
      },
    ],
    legend: {
      show: series.length > 1,
      top: legendTop,
      left,
      width: room,
      itemGap: 16,
      itemWidth: 24,
      textStyle: { color: colors.text, fontSize: 13, width: maxLegendName, overflow: 'truncate' },
      inactiveColor: colors.line,
      formatter: format.series,
    },
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
      bottom,
      left: margin,
      right: margin + 8,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    [isHorizontal ? 'yAxis' : 'xAxis']: labelAxis(layout),
    [isHorizontal ? 'xAxis' : 'yAxis']: numberAxis(layout),
    series: series.map((one, index) => seriesOf(one, index, layout)),
    ...(isAlone && { backgroundColor: colors.background }),
  };
  const row = Math.max(34, series.length * 18 + 14);
  const body = isHorizontal
    ? labels.length * row + (hasValueLabels ? 8 : 30)
    : Math.round(Math.min(360, Math.max(220, width * 0.42)));
  return { option, width, height: top + body + bottom };
}

/** The figure as an SVG file with its heading and notes, for slides and mail. */
export function figureSvg(
  figure: Figure,
  style: Pick<ChartStyle, 'width' | 'theme' | 'locale'>,
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

const noteStyle = { fontSize: 12, fontWeight: 400, lineHeight: 17 };

/** Widest name in the legend, in pixels; longer ones end in an ellipsis. */
const maxLegendName = 180;

function legendHeight({ figure, format }: Layout, room: number): number {
  if (figure.series.length === 1) return 0;
  const names = figure.series.map(({ name }) => format.series(name));
  const widths = names.map((name) => 45 + Math.min(maxLegendName, widthOf(name, 13)));
  return Math.ceil(widths.reduce((sum, width) => sum + width, 0) / (room * 0.8)) * 24 + 6;
}

function linesOf(text: string, width: number, fontSize: number): number {
  return Math.ceil(widthOf(text, fontSize) / width);
}

/** Width of a text in pixels, a little more than it is: where a file is written no font is measured. */
function widthOf(text: string, fontSize: number): number {
  return text.length * fontSize * 0.56;
}

function labelAxis({ figure, width, colors, format, isHorizontal, labels }: Layout) {
  const longest = 1.25 * Math.max(...labels.map((label) => widthOf(label, 13)));
  const twoLines = {
    width: Math.min(Math.round(width * (width < narrow ? 0.34 : 0.28)), longest),
    height: 30,
    lineHeight: 15,
    overflow: 'break',
    lineOverflow: 'truncate',
    interval: 0,
  };
  return {
    type: 'category',
    data: labels.map(format.label),
    inverse: isHorizontal,
    triggerEvent: true,
    boundaryGap: figure.kind === 'bars' || figure.axis.type === 'name' || labels.length === 1,
    axisTick: { show: false },
    axisLine: { show: !isHorizontal, lineStyle: { color: colors.muted } },
    axisLabel: {
      color: colors.text,
      fontSize: 13,
      hideOverlap: true,
      ...(isHorizontal ? twoLines : intervalOf(figure, width)),
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

function numberAxis({ isHorizontal, hasValueLabels, width, colors, format }: Layout) {
  return {
    type: 'value',
    splitNumber: isHorizontal ? Math.max(2, Math.round(width / 160)) : 4,
    // Room for the values beside the longest bars.
    ...(hasValueLabels && { boundaryGap: ['0%', width < narrow ? '30%' : '15%'] }),
    axisLabel: {
      show: !hasValueLabels,
      color: colors.muted,
      fontSize: 12,
      hideOverlap: true,
      formatter: format.tick,
    },
    splitLine: { show: !hasValueLabels, lineStyle: { color: colors.line } },
  };
}

const dashes = ['solid', 'dashed', 'dotted'];

const symbols = ['circle', 'rect', 'triangle', 'diamond'];

function seriesOf({ name, values }: FigureSeries, index: number, layout: Layout) {
  const { figure, format, width, colors, isHorizontal, hasValueLabels, labels } = layout;
  const drawn = values.slice(0, labels.length);
  const common = {
    name,
    triggerEvent: true,
    emphasis: { focus: 'none' },
    // The exact value rather than the double that was drawn.
    tooltip: {
      valueFormatter: (_: unknown, place: number) => format.value(values[place] ?? null),
    },
  };
  if (figure.kind === 'line')
    return {
      ...common,
      type: 'line',
      symbol: symbols[index % symbols.length],
      showAllSymbol: true,
      lineStyle: { width: 2.25, type: dashes[index % dashes.length] },
      data: drawn.map((value, at) => ({
        value: drawable(value),
        // In a long line only those points are marked that no line leads to.
        symbolSize: labels.length <= maxMarked || isIsolated(values, at) ? 6 : 0,
      })),
    };
  const formatValueLabel = width < narrow ? format.short : format.value;
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
        position: 'right',
        color: colors.text,
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
  return [at - 1, at + 1].every((index) => (values[index] ?? null) === null);
}
