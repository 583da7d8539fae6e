/** What the page shows: one outcome at a time, in the surroundings it has. */
import type { Figure } from '../../analysis/figure/figure.ts';
import { figureSummary } from '../../analysis/figure/text/figure-text.ts';
import type { FigureLocale } from '../../analysis/figure/text/words.ts';
import { figureFootnotes, figureMarks, headingOf } from '../../analysis/figure/text/words.ts';
import { quote } from '../../core/text.ts';
import { element } from './element.ts';
import { createExport, type SaveFile } from './export.ts';
import type { FigureOutcome } from './outcome.ts';
import { createPicture, type Picture } from './picture.ts';
import { applySurroundings, type Surroundings } from './surroundings.ts';
import { createTable } from './table.ts';
import { viewWords } from './words.ts';

/** What the surroundings of the page can do for a reader. */
export interface Abilities {
  save?: SaveFile;
  /** Puts a question to the assistant. */
  ask?: (question: string) => void;
}

export interface Page {
  show(outcome: FigureOutcome): void;
  /** Shows the same in other surroundings: what was opened and sorted stays where only colours change. */
  surround(surroundings: Surroundings): void;
  close(): void;
}

/** Most labels whose table is open from the start. */
const maxOpen = 12;

/** Width of the drawing on paper, in pixels. */
const paperWidth = 640;

/** A page that shows itself in `root`. */
export function createPage(root: HTMLElement, abilities: Abilities, initial: Surroundings): Page {
  let surroundings = initial;
  let outcome: FigureOutcome = { state: 'loading' };
  let picture: Picture | undefined;
  const widths = new ResizeObserver(() => picture?.draw());

  function show(next: FigureOutcome): void {
    outcome = next;
    closePicture();
    root.setAttribute('aria-busy', String(outcome.state === 'loading'));
    root.dataset.state = outcome.state;
    applySurroundings(surroundings);
    if (outcome.state !== 'figure') {
      root.replaceChildren(messageOf(outcome, surroundings));
      return;
    }
    const { figure } = outcome;
    document.title = headingOf(figure, surroundings.locale);
    const asking = askAbout(figure, abilities, surroundings);
    picture = createPicture(figure, surroundings, asking);
    root.replaceChildren(...partsOf(figure, picture.node, asking));
    picture.draw();
    widths.observe(picture.node);
  }

  function partsOf(
    figure: Figure,
    drawing: HTMLElement,
    asking: ((index: number) => void) | undefined,
  ): HTMLElement[] {
    const { locale } = surroundings;
    const marks = figureMarks(figure, locale);
    const isOpen = figure.axis.labels.length <= maxOpen;
    return [
      element(
        'header',
        {},
        element('h1', {}, headingOf(figure, locale)),
        element('p', { class: 'summary' }, sentenceOf(figure, locale)),
        // In the picture they are seen; here they are heard.
        ...(marks.length > 0 ? [element('p', { class: 'hidden' }, `${marks.join('. ')}.`)] : []),
      ),
      drawing,
      element(
        'ul',
        { class: 'notes' },
        ...figureFootnotes(figure, locale).map((note) => element('li', {}, note)),
      ),
      element(
        'details',
        { open: isOpen },
        element('summary', {}, viewWords(locale).table),
        createTable(figure, locale, asking),
        createExport(figure, locale, abilities.save),
      ),
    ];
  }

  function surround(next: Surroundings): void {
    const isSame = next.theme === surroundings.theme && next.locale === surroundings.locale;
    const isOtherTheme = next.locale === surroundings.locale;
    surroundings = next;
    if (isSame) return;
    if (isOtherTheme && outcome.state === 'figure') repaint();
    else show(outcome);
  }

  /** Only the picture has its colours by itself. */
  function repaint(width?: number, theme = surroundings.theme): void {
    if (outcome.state !== 'figure') return;
    applySurroundings({ ...surroundings, theme });
    const asking = askAbout(outcome.figure, abilities, surroundings);
    const old = picture?.node;
    const hadFocus = old?.contains(document.activeElement);
    closePicture();
    picture = createPicture(outcome.figure, { ...surroundings, theme }, asking);
    old?.replaceWith(picture.node);
    picture.draw(width);
    widths.observe(picture.node);
    if (hadFocus) picture.node.querySelector<HTMLElement>('.stage')?.focus();
  }

  function closePicture(): void {
    widths.disconnect();
    picture?.close();
    picture = undefined;
  }

  const forPaper = () => {
    for (const details of root.querySelectorAll('details')) details.open = true;
    repaint(paperWidth, 'light');
    widths.disconnect();
  };
  const forScreen = () => repaint();
  addEventListener('beforeprint', forPaper);
  addEventListener('afterprint', forScreen);
  show(outcome);
  return {
    show,
    surround,
    close() {
      closePicture();
      removeEventListener('beforeprint', forPaper);
      removeEventListener('afterprint', forScreen);
    },
  };
}

function messageOf(
  outcome: Exclude<FigureOutcome, { state: 'figure' }>,
  { locale }: Surroundings,
): HTMLElement {
  const words = viewWords(locale);
  const text = 'text' in outcome ? outcome.text : '';
  if (outcome.state === 'error')
    return element(
      'div',
      { role: 'alert' },
      element('h1', {}, words.error),
      element('pre', {}, text),
    );
  if (outcome.state !== 'text' && text === '') {
    const message = element('h1', { class: 'message' }, words[outcome.state]);
    return element('div', { role: 'status' }, message);
  }
  const heading = element('h1', { class: 'hidden' }, words.picture);
  return element('div', {}, heading, element('pre', { class: 'text' }, text));
}

/** A name typed by others becomes part of a question: one short line, and no more. */
function askAbout(figure: Figure, { ask }: Abilities, { locale }: Surroundings) {
  if (!ask) return undefined;
  return (index: number) => {
    const label = quote(figure.axis.labels[index] ?? '');
    ask(viewWords(locale).question(label, quote(headingOf(figure, locale), 200)));
  };
}

/** The summary with a capital, unless it begins with the name of a series. */
function sentenceOf(figure: Figure, locale: FigureLocale): string {
  const text = `${figureSummary(figure, locale)}.`;
  return figure.series.length > 1 ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
