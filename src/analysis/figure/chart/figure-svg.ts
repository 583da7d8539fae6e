import type { Figure } from '../figure.ts';
import { init } from './echarts.ts';
import { type ChartStyle, figureChart } from './figure-chart.ts';

/**
 * The figure as an SVG file with its heading and notes, for slides and mail. This file loads the chart
 * library: import it when a picture is asked for.
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
