/** The picture: drawn anew when its width or its theme changes, read with the arrow keys. */

import { drawnSeries, type Figure } from '../../analysis/figure/figure.ts';
import { type FigureTheme, figureChart, init } from '../../analysis/figure/figure-chart.ts';
import {
  type FigureLocale,
  figureMarks,
  figureSummary,
  formatOf,
  headingOf,
} from '../../analysis/figure/figure-text.ts';
import { element, pageTexts } from './element.ts';

export type Picture = ReturnType<typeof createPicture>;

/** Narrower than this nothing can be read. */
const minWidth = 220;

/** The picture of a figure. `onAsk` gets the label that was clicked on, by its place in the figure. */
export function createPicture(
  figure: Figure,
  locale: FigureLocale,
  onAsk: ((index: number) => void) | undefined,
) {
  const { axis } = figure;
  const columns = drawnSeries(figure);
  const last = axis.labels.length - 1;
  const canvas = element('div', { class: 'canvas', 'aria-hidden': 'true' });
  const spoken = element('p', { class: 'spoken', 'aria-live': 'polite', role: 'status' });
  const marks = figureMarks(figure).join('. ');
  const stage = element(
    'div',
    {
      class: 'stage',
      // The arrow keys are the page's here, and not a screen reader's own.
      role: 'application',
      tabindex: '0',
      'aria-label': `${pageTexts.picture}: ${headingOf(figure)}. ${marks}`.trim(),
      'aria-description': `${figureSummary(figure, locale)}. ${pageTexts.howToRead}`,
    },
    canvas,
  );
  const node = element('div', { class: 'picture' }, stage, spoken);
  const library = init(canvas, null, { renderer: 'svg', width: minWidth, height: minWidth });
  let drawn = '';
  let readAt = -1;

  /** Draws in a theme and in the width that there is, or in another; not the same twice. */
  function draw(theme: FigureTheme, available = node.clientWidth): void {
    const width = Math.max(minWidth, Math.floor(available));
    if (drawn === `${theme} ${width}`) return;
    drawn = `${theme} ${width}`;
    const { option, height } = figureChart(figure, { width, theme, locale });
    library.resize({ width, height });
    library.setOption(option, { notMerge: true });
  }

  function read(index: number): void {
    readAt = Math.min(last, Math.max(0, index));
    const format = formatOf(figure, locale);
    const texts = columns.map(({ name, values }) => {
      const value = format.value(values[readAt] ?? null);
      return columns.length === 1 ? value : `${format.series(name)} ${value}`;
    });
    spoken.textContent = `${format.label(axis.labels[readAt] ?? '')}: ${texts.join('; ')}`;
    const seriesIndex = figure.series.findIndex(({ values }) => values[readAt] !== null);
    if (seriesIndex === -1) library.dispatchAction({ type: 'hideTip' });
    else library.dispatchAction({ type: 'showTip', seriesIndex, dataIndex: readAt });
  }

  stage.addEventListener('keydown', (event) => {
    const [back, forward] = [readAt - 1, readAt + 1];
    const keys = { ArrowRight: forward, ArrowDown: forward, ArrowLeft: back, ArrowUp: back };
    const index = new Map(Object.entries({ ...keys, Home: 0, End: last })).get(event.key);
    if (index === undefined) return;
    read(index);
    event.preventDefault();
  });
  stage.addEventListener('blur', () => library.dispatchAction({ type: 'hideTip' }));
  if (onAsk) {
    canvas.classList.add('asks');
    library.on('click', ({ componentType, value }) => {
      if (componentType !== 'xAxis' && componentType !== 'yAxis') return;
      const { label } = formatOf(figure, locale);
      const index = axis.labels.findIndex((one) => label(one) === value);
      if (index !== -1) onAsk(index);
    });
  }
  return { node, draw, close: () => library.dispose() };
}
