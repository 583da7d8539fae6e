/** The picture: drawn anew when its width or its theme changes, read with the arrow keys. */
import { type Chart, figureChart, init } from '../../analysis/figure/chart/figure-chart.ts';
import type { Figure } from '../../analysis/figure/figure.ts';
import { figureSummary } from '../../analysis/figure/text/figure-text.ts';
import { figureMarks, formatOf, headingOf } from '../../analysis/figure/text/words.ts';
import { element } from './element.ts';
import type { Surroundings } from './surroundings.ts';
import { viewWords } from './words.ts';

export interface Picture {
  node: HTMLElement;
  /** Draws in the width that there is, or in one that is given; does nothing where that is the same. */
  draw(width?: number): void;
  close(): void;
}

/** Narrower than this nothing can be read. */
const minWidth = 220;

/** The picture of a figure. `onAsk` is told the label that was clicked on, by its place in the figure. */
export function createPicture(
  figure: Figure,
  surroundings: Surroundings,
  onAsk: ((index: number) => void) | undefined,
): Picture {
  const { locale, theme } = surroundings;
  const words = viewWords(locale);
  const canvas = element('div', { class: 'canvas', 'aria-hidden': 'true' });
  const spoken = element('p', { class: 'spoken', 'aria-live': 'polite', role: 'status' });
  const marks = figureMarks(figure, locale).join('. ');
  const stage = element(
    'div',
    {
      class: 'stage',
      // The arrow keys are the page's here, and not a screen reader's own.
      role: 'application',
      tabindex: '0',
      'aria-label': `${words.picture}: ${headingOf(figure, locale)}. ${marks}`.trim(),
      'aria-description': `${figureSummary(figure, locale)}. ${words.howToRead}`,
    },
    canvas,
  );
  const node = element('div', { class: 'picture' }, stage, spoken);
  const library = init(canvas, null, { renderer: 'svg', width: minWidth, height: minWidth });
  let drawn: Chart | undefined;
  let readAt = -1;

  function draw(given?: number): void {
    const width = Math.max(minWidth, Math.floor(given ?? node.clientWidth));
    if (width === drawn?.width) return;
    const isAnimated = !drawn && !matchMedia('(prefers-reduced-motion: reduce)').matches;
    drawn = figureChart(figure, { width, theme, locale, isAnimated });
    library.resize({ width, height: drawn.height });
    library.setOption(drawn.option, { notMerge: true });
  }

  function read(index: number): void {
    const last = figure.axis.labels.length - 1;
    readAt = Math.min(last, Math.max(0, index));
    spoken.textContent = sayLabel(figure, readAt, surroundings);
    const seriesIndex = figure.series.findIndex(({ values }) => values[readAt] !== null);
    if (seriesIndex === -1) library.dispatchAction({ type: 'hideTip' });
    else library.dispatchAction({ type: 'showTip', seriesIndex, dataIndex: readAt });
  }

  stage.addEventListener('keydown', (event) => {
    const target = targetOf(event.key, readAt, figure.axis.labels.length);
    if (target === undefined) return;
    event.preventDefault();
    read(target);
  });
  stage.addEventListener('blur', () => library.dispatchAction({ type: 'hideTip' }));
  if (onAsk) {
    canvas.classList.add('asks');
    library.on('click', ({ componentType, value }) => {
      if (componentType !== 'xAxis' && componentType !== 'yAxis') return;
      const { label } = formatOf(figure, locale);
      const index = figure.axis.labels.findIndex((one) => label(one) === value);
      if (index !== -1) onAsk(index);
    });
  }
  return { node, draw, close: () => library.dispose() };
}

/** One label with all its numbers, as it is read out. */
function sayLabel(figure: Figure, index: number, { locale }: Surroundings): string {
  const { axis, series } = figure;
  const format = formatOf(figure, locale);
  const told = series.map(({ name, values }) => {
    const value = format.value(values[index] ?? null);
    return series.length === 1 ? value : `${format.series(name)} ${value}`;
  });
  return `${format.label(axis.labels[index] ?? '')}: ${told.join('; ')}`;
}

function targetOf(key: string, at: number, count: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: count - 1,
  };
  return steps[key];
}
