import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import type { FigureSeries, FigureValue } from '../figure.ts';
import type { ChartLayout } from './chart-axes.ts';
import { lookOf } from './palette.ts';

/** Most points of a line that are marked one by one. */
const maxMarked = 31;

/** The lines or bars of a picture. */
export function chartSeries(layout: ChartLayout): (BarSeriesOption | LineSeriesOption)[] {
  const { figure } = layout;
  return figure.series.map((series, index) =>
    figure.kind === 'line' ? lineOf(series, index, layout) : barsOf(series, index, layout),
  );
}

function lineOf(series: FigureSeries, index: number, layout: ChartLayout): LineSeriesOption {
  const { palette, labels } = layout;
  const values = placed(series, layout);
  const { color, dash, symbol } = lookOf(index, palette);
  return {
    ...commonOf(series, layout),
    type: 'line',
    color,
    symbol,
    symbolSize: 6,
    showAllSymbol: labels.length <= maxMarked,
    showSymbol: labels.length <= maxMarked || values.some((_, at) => standsAlone(values, at)),
    connectNulls: false,
    lineStyle: { width: 2.25, type: dash },
    data: values.map((value, at) => ({
      value: drawable(value),
      // In a long line only those points are marked that no line leads to.
      ...(labels.length > maxMarked && { symbolSize: standsAlone(values, at) ? 5 : 0 }),
    })),
  };
}

function barsOf(series: FigureSeries, index: number, layout: ChartLayout): BarSeriesOption {
  const { palette, isLying, isTold } = layout;
  const tell = teller(layout);
  const { color, decal } = lookOf(index, palette);
  return {
    ...commonOf(series, layout),
    type: 'bar',
    barMaxWidth: isLying ? 26 : 48,
    barGap: '12%',
    barCategoryGap: isLying ? '28%' : '32%',
    color,
    ...(decal && { itemStyle: { decal } }),
    data: placed(series, layout).map((value) => ({
      value: drawable(value),
      label: {
        show: isTold && value !== null,
        // Of a bar that goes left too: there stand the names.
        position: 'right' as const,
        color: palette.text,
        fontSize: 12,
        formatter: () => tell(value),
      },
    })),
  };
}

/** Writes the number beside a bar; a narrow picture leaves the cents to the tooltip and the table. */
export function teller({ format, width }: ChartLayout): (value: FigureValue) => string {
  return width < 480 ? format.short : format.value;
}

function commonOf({ name, values }: FigureSeries, { format, places }: ChartLayout) {
  return {
    name,
    triggerEvent: true,
    emphasis: { focus: 'none' as const },
    tooltip: {
      // The exact value rather than the double that was drawn.
      valueFormatter: (_: unknown, place: number) =>
        format.value(values[places[place] ?? -1] ?? null),
    },
  };
}

function placed({ values }: FigureSeries, { places }: ChartLayout): FigureValue[] {
  return places.map((index) => (index === undefined ? null : (values[index] ?? null)));
}

/** A gap is a gap for the library too, and no zero. */
function drawable(value: FigureValue): number | '-' {
  return value === null ? '-' : Number(value);
}

function standsAlone(values: readonly FigureValue[], at: number): boolean {
  const isGap = (index: number) => (values[index] ?? null) === null;
  return !isGap(at) && isGap(at - 1) && isGap(at + 1);
}
