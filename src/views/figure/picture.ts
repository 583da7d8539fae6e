/** The picture, redrawn when its width or theme changes, and read with the arrow keys. */

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

/** Nothing is readable below this width. */
const minWidth = 220;

/** `onAsk` gets the index of a clicked label. */
export function createPicture(
  figure: Figure,
  locale: FigureLocale,
  onAsk: ((index: number) => void) | undefined,
) {
  const { labels } = figure.axis;
  const format = formatOf(figure, locale);
  const canvas = element('div', { class: 'canvas', 'aria-hidden': 'true' });
  const spoken = element('p', { class: 'spoken', 'aria-live': 'polite', role: 'status' });
  const stage = createStage(figure, locale, canvas);
  const node = element('div', { class: 'picture' }, stage, spoken);
  const { library, draw, close } = createDrawing(figure, locale, canvas, node);
  let readAt = -1;

  function read(index: number): void {
    readAt = Math.min(labels.length - 1, Math.max(0, index));
    spoken.textContent = sayLabel(figure, readAt, format);
    const seriesIndex = figure.series.findIndex(({ values }) => values[readAt] !== null);
    if (seriesIndex === -1) library.dispatchAction({ type: 'hideTip' });
    else library.dispatchAction({ type: 'showTip', seriesIndex, dataIndex: readAt });
  }

  stage.addEventListener('keydown', (event) => {
    const index = keyTarget(event.key, readAt, labels.length - 1);
    if (index === undefined) return;
    read(index);
    event.preventDefault();
  });
  stage.addEventListener('blur', () => library.dispatchAction({ type: 'hideTip' }));
  if (onAsk) {
    canvas.classList.add('asks');
    library.on('click', ({ componentType, value }) => {
      if (componentType !== 'xAxis' && componentType !== 'yAxis') return;
      const index = labels.findIndex((label) => format.label(label) === value);
      if (index !== -1) onAsk(index);
    });
  }
  return { node, draw, close };
}

/** The drawing of the library, as wide as the node around it. */
function createDrawing(
  figure: Figure,
  locale: FigureLocale,
  canvas: HTMLElement,
  node: HTMLElement,
) {
  const library = init(canvas, null, { renderer: 'svg', width: minWidth, height: minWidth });
  let theme: FigureTheme = 'light';
  let lastDrawing = '';
  // Redrawing must not observe the node again, which would report another change.
  const widths = new ResizeObserver(() => drawIn(node.clientWidth));

  /** Draws in a theme, as wide as the node and again when its width changes, or as wide as paper. */
  function draw(next: FigureTheme, paperWidth?: number): void {
    theme = next;
    if (paperWidth === undefined) widths.observe(node);
    else widths.disconnect();
    drawIn(paperWidth ?? node.clientWidth);
  }

  /** Skips a drawing that would not change. */
  function drawIn(available: number): void {
    const width = Math.max(minWidth, Math.floor(available));
    if (lastDrawing === `${theme} ${width}`) return;
    lastDrawing = `${theme} ${width}`;
    const { option, height } = figureChart(figure, { width, theme, locale });
    library.resize({ width, height });
    library.setOption(option, { notMerge: true });
  }

  function close(): void {
    widths.disconnect();
    library.dispose();
  }
  return { library, draw, close };
}

function createStage(figure: Figure, locale: FigureLocale, canvas: HTMLElement): HTMLElement {
  const marks = figureMarks(figure).join('. ');
  const attributes = {
    class: 'stage',
    // Gives the arrow keys to the page, not to a screen reader.
    role: 'application',
    tabindex: '0',
    'aria-label': `${pageTexts.picture}: ${headingOf(figure)}. ${marks}`.trim(),
    'aria-description': `${figureSummary(figure, locale)}. ${pageTexts.howToRead}`,
  };
  return element('div', attributes, canvas);
}

function keyTarget(key: string, at: number, last: number): number | undefined {
  if (key === 'ArrowRight' || key === 'ArrowDown') return at + 1;
  if (key === 'ArrowLeft' || key === 'ArrowUp') return at - 1;
  if (key === 'Home') return 0;
  return key === 'End' ? last : undefined;
}

function sayLabel(figure: Figure, at: number, format: ReturnType<typeof formatOf>): string {
  const texts = drawnSeries(figure).map(({ name, values }, _, { length }) => {
    const value = format.value(values[at]);
    return length === 1 ? value : `${format.series(name)} ${value}`;
  });
  return `${format.label(figure.axis.labels[at] ?? '')}: ${texts.join('; ')}`;
}
