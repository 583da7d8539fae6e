/** A figure as a picture by ECharts, the same in a browser and in Node. Half a megabyte: load on demand. */
import { BarChart, CustomChart, LineChart } from 'echarts/charts';
import {
  AriaComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { neutralise } from '../../core/text.ts';
import type { Figure } from './figure.ts';
import { bandName, type FigureLocale, figureMarks, formatOf } from './figure-text.ts';

use([AriaComponent, GridComponent, LegendComponent, TitleComponent, TooltipComponent]);
use([BarChart, CustomChart, LineChart, SVGRenderer]);

export { init };

export type FigureTheme = keyof typeof colorsOf;

// Each series differs from its background by 3:1 or more, and from its neighbours for readers who
// cannot distinguish red from green. Five of them, so that with the library's six patterns, or three
// dashes, no two of twelve series look alike.
export const colorsOf = {
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

/** The size, colours and language of a picture. */
export interface ChartStyle {
  /** In pixels. */
  width: number;
  theme: FigureTheme;
  locale: FigureLocale;
}

/** The most bars of names in a picture; the table has them all. */
const maxBars = 40;

/** Longer lines have dots as thin as the line, which show single points alone. */
const maxMarked = 31;

/** The options of the library for a figure, and its height in pixels. */
export function figureChart(raw: Figure, style: ChartStyle) {
  const picture = planPicture(removeControls(raw), style);
  const { figure, colors, labels, marks, width, height, legend, legendTop, format } = picture;
  const option = {
    animation: false,
    color: colors.series,
    // Fonts of one width, since Node measures none; unquoted, since the library does not escape quotes.
    textStyle: { fontFamily: 'Arial, Helvetica, Liberation Sans, sans-serif', color: colors.text },
    title: {
      left: margin,
      top: markTop,
      padding: 0,
      text: marks.join(' · '),
      textStyle: {
        width: width - 2 * margin,
        overflow: 'truncate',
        fontSize: 13,
        color: colors.mark,
      },
    },
    legend: {
      show: legend.isShown,
      type: 'scroll',
      top: legendTop,
      left: margin,
      itemGap: 16,
      textStyle: { color: colors.text, width: 280, overflow: 'truncate' },
      inactiveColor: colors.line,
      formatter: format.series,
    },
    // Patterns distinguish series without colour.
    aria: {
      enabled: figure.series.length > 1,
      label: { enabled: false },
      decal: { show: figure.kind === 'bars' },
    },
    tooltip: {
      trigger: 'axis',
      confine: true,
      transitionDuration: 0,
      backgroundColor: colors.background,
      borderColor: colors.line,
      textStyle: { color: colors.text, fontSize: 13 },
      axisPointer: { type: figure.kind === 'line' ? 'line' : 'shadow' },
    },
    ...axesOf(picture),
    series: [
      ...figure.series.map((series, nth) => seriesOf(picture, series, nth)),
      ...bandOf(picture, labels.length),
    ],
  };
  return { option, height };
}

/** Space around the picture and above its warnings, in pixels. */
const margin = 2;
const markTop = 4;
const bottom = 6;

/** A figure with its labels, colours and texts, and the places of its parts in pixels. */
type Picture = ReturnType<typeof planPicture>;

function planPicture(figure: Figure, { width, theme, locale }: ChartStyle) {
  const { kind, series, axis } = figure;
  // Bars of names are horizontal, so that their names can be read, with their values next to them.
  const isHorizontal = kind === 'bars' && axis.type === 'name';
  const labels = isHorizontal ? axis.labels.slice(0, maxBars) : axis.labels;
  const isCut = labels.length < axis.labels.length;
  const drawn = `Drawn: the first ${labels.length} of ${axis.labels.length}; all of them in the table`;
  const marks = [...figureMarks(figure), ...(isCut ? [drawn] : [])];
  const hasLegend = series.length > 1 || figure.band !== undefined;
  const legendTop = markTop + (marks.length > 0 ? 24 : 0);
  const top = legendTop + (hasLegend ? 36 : 8);
  const body = isHorizontal
    ? labels.length * Math.max(34, series.length * 18 + 14) + 8
    : Math.round(Math.min(360, Math.max(220, width * 0.42)));
  return {
    figure,
    labels,
    isHorizontal,
    marks,
    legend: { isShown: hasLegend, band: bandName },
    colors: colorsOf[theme],
    format: formatOf(figure, locale),
    width,
    legendTop,
    top,
    height: top + body + bottom,
  };
}

function axesOf({ figure, labels, isHorizontal, colors, format, ...place }: Picture) {
  const { width, top } = place;
  const nameStyle = { interval: 0, width: Math.round(width * 0.3), overflow: 'truncate' };
  return {
    grid: {
      top,
      bottom,
      left: margin,
      // Next to the longest bars is space for their values.
      right: isHorizontal ? 110 : margin + 8,
      outerBoundsMode: 'same',
    },
    [isHorizontal ? 'yAxis' : 'xAxis']: {
      type: 'category',
      data: labels.map(format.label),
      inverse: isHorizontal,
      triggerEvent: true,
      boundaryGap: figure.kind === 'bars' || figure.axis.type === 'name' || labels.length === 1,
      axisTick: { show: false },
      axisLine: { show: !isHorizontal, lineStyle: { color: colors.muted } },
      axisLabel: { color: colors.text, fontSize: 13, ...(isHorizontal && nameStyle) },
    },
    [isHorizontal ? 'xAxis' : 'yAxis']: {
      type: 'value',
      splitNumber: 4,
      axisLabel: { show: !isHorizontal, color: colors.muted, formatter: format.tick },
      splitLine: { show: !isHorizontal, lineStyle: { color: colors.line } },
    },
  };
}

function seriesOf(
  { figure, labels, isHorizontal, colors, format }: Picture,
  { name, values }: Figure['series'][number],
  nth: number,
) {
  const write = (at: number) => format.value(values[at]);
  return {
    ...(figure.kind === 'line' ? lineStyle(labels.length, nth) : barStyle(isHorizontal, nth)),
    name,
    tooltip: { valueFormatter: (_: unknown, at: number) => write(at) },
    label: {
      show: isHorizontal,
      // Negative bars as well: their names are on the left.
      position: 'right',
      color: colors.text,
      formatter: ({ dataIndex }: { dataIndex: number }) => write(dataIndex),
    },
    data: labels.map((_, at) => values[at] ?? '-'),
  };
}

function removeControls(figure: Figure): Figure {
  // XML has no place for control characters.
  return JSON.parse(JSON.stringify(figure), (_, value: unknown) =>
    typeof value === 'string' ? neutralise(value) : value,
  );
}

function lineStyle(count: number, index: number) {
  const type = ['solid', 'dashed', 'dotted'][index % 3];
  const symbols = { symbol: 'circle', showAllSymbol: true, symbolSize: count > maxMarked ? 2 : 6 };
  return { type: 'line', ...symbols, lineStyle: { width: 2.25, type } };
}

function barStyle(isHorizontal: boolean, index: number) {
  const noPattern = { itemStyle: { decal: { symbol: 'none' } } };
  return { type: 'bar', barMaxWidth: isHorizontal ? 26 : 48, ...(index === 0 && noPattern) };
}

/** The library's conversion of values to pixels. */
interface Positions {
  coord(values: readonly number[]): number[];
  size(values: readonly number[]): number[];
}

/** The band from low to high beneath the first series: an area along lines, a stripe for each label of bars. */
function bandOf({ figure, isHorizontal, colors, format, legend }: Picture, count: number) {
  const { band, kind } = figure;
  if (!band) return [];
  const { low, high } = band;
  const [color] = colors.series;
  const opacity = 0.18;
  // The coordinate of the labels: y where bars are horizontal.
  const labelCoordinate = isHorizontal ? 1 : 0;
  const renderItem = ({ dataIndex: at }: { dataIndex: number }, { coord, size }: Positions) => {
    // A stripe extends to both sides of its label, an area to the next label: a missing end leaves a gap.
    const half = kind === 'bars' ? 0.45 * (size([1, 1])[labelCoordinate] ?? 0) : 0;
    const next = kind === 'bars' ? at : at + 1;
    const corners = [
      { label: at, end: low[at], shift: -half },
      { label: next, end: low[next], shift: half },
      { label: next, end: high[next], shift: half },
      { label: at, end: high[at], shift: -half },
    ];
    const points = corners.flatMap(({ label, end, shift }) => {
      if (end == null) return [];
      const point = coord(isHorizontal ? [end, label] : [label, end]);
      return [point.with(labelCoordinate, (point[labelCoordinate] ?? 0) + shift)];
    });
    const style = { fill: color, opacity };
    return points.length < 4 ? undefined : { type: 'polygon', shape: { points }, style };
  };
  const dimensions = isHorizontal ? { y: 0, x: [1, 2] } : { x: 0, y: [1, 2] };
  return [
    {
      type: 'custom',
      name: legend.band,
      renderItem,
      silent: true,
      z: 1,
      itemStyle: { color, opacity },
      encode: { ...dimensions, tooltip: [1, 2] },
      tooltip: {
        valueFormatter: (_: unknown, at: number) =>
          `${format.value(low[at])} – ${format.value(high[at])}`,
      },
      data: Array.from({ length: count }, (_, at) => [at, low[at] ?? '-', high[at] ?? '-']),
    },
  ];
}
