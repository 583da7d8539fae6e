/** The page, which shows one outcome at a time in its surroundings. */
import { type Figure, readFigure } from '../../analysis/figure/figure.ts';
import {
  type FigureLocale,
  figureFootnotes,
  figureMarks,
  figureSummary,
  headingOf,
} from '../../analysis/figure/figure-text.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { element, pageTexts } from './element.ts';
import { createPicture, type Picture } from './picture.ts';
import { applySurroundings, type Surroundings } from './surroundings.ts';
import { createTable } from './table.ts';

export type FigureOutcome =
  | { state: 'loading' }
  | { state: 'figure'; figure: Figure }
  /** An answer without a figure gives the reason and the table. */
  | { state: 'text'; text: string }
  | { state: 'error'; text: string }
  | { state: 'cancelled' }
  /** Some hosts keep a call but lose its answer, or keep only its text. */
  | { state: 'emptied'; text: string };

/** The outcome that a result of a tool stands for. */
export function figureOutcomeOf(result: JsonObject): FigureOutcome {
  const { content, isError, structuredContent } = result;
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const texts = blocks.flatMap((block) => (typeof block.text === 'string' ? [block.text] : []));
  const text = texts.join('\n').trim();
  if (isError === true) return { state: 'error', text };
  if (!isRecord(structuredContent) || Object.keys(structuredContent).length === 0)
    return { state: 'emptied', text };
  const figure = readFigure(structuredContent.figure);
  return figure ? { state: 'figure', figure } : { state: 'text', text };
}

/** Abilities of the host. */
export interface Abilities {
  /** Puts a question to the assistant. */
  ask?: (question: string) => void;
}

const maxOpen = 12;

/** Width of the drawing on paper, in pixels. */
const paperWidth = 640;

export function createPage(root: HTMLElement, abilities: Abilities, initial: Surroundings) {
  let surroundings = initial;
  let outcome: FigureOutcome = { state: 'loading' };
  let picture: Picture | undefined;
  const closing = new AbortController();

  function show(next: FigureOutcome): void {
    outcome = next;
    picture?.close();
    picture = undefined;
    root.setAttribute('aria-busy', String(outcome.state === 'loading'));
    if (outcome.state === 'figure') {
      const { figure } = outcome;
      const { locale } = surroundings;
      const onAsk = askAbout(figure, abilities);
      document.title = headingOf(figure);
      picture = createPicture(figure, locale, onAsk);
      const table = createTable(figure, locale, onAsk);
      root.replaceChildren(...partsOf(figure, locale, picture.node, table));
    } else root.replaceChildren(messageOf(outcome));
    draw();
  }

  function draw(): void {
    applySurroundings(surroundings);
    picture?.draw(surroundings.theme);
  }

  /** Shows the outcome in other surroundings. Opened and sorted parts stay if only colours change. */
  function setSurroundings(next: Surroundings): void {
    const isOtherLanguage = next.locale !== surroundings.locale;
    surroundings = next;
    if (isOtherLanguage) show(outcome);
    else draw();
  }

  function drawForPaper(): void {
    for (const details of root.querySelectorAll('details')) details.open = true;
    applySurroundings({ ...surroundings, theme: 'light' });
    picture?.draw('light', paperWidth);
  }

  addEventListener('beforeprint', drawForPaper, { signal: closing.signal });
  addEventListener('afterprint', draw, { signal: closing.signal });
  show(outcome);
  return {
    show,
    setSurroundings,
    close() {
      picture?.close();
      closing.abort();
    },
  };
}

function partsOf(
  figure: Figure,
  locale: FigureLocale,
  drawing: HTMLElement,
  table: HTMLElement,
): HTMLElement[] {
  const marks = figureMarks(figure);
  const notes = figureFootnotes(figure, locale).map((note) => element('li', {}, note));
  const isOpen = figure.axis.labels.length <= maxOpen;
  const summary = element('summary', {}, pageTexts.table);
  return [
    element(
      'header',
      {},
      element('h1', {}, headingOf(figure)),
      element('p', { class: 'summary' }, `${figureSummary(figure, locale)}.`),
      // The picture shows the marks; this is for screen readers.
      ...(marks.length > 0 ? [element('p', { class: 'hidden' }, `${marks.join('. ')}.`)] : []),
    ),
    drawing,
    element('ul', { class: 'notes' }, ...notes),
    element('details', { open: isOpen }, summary, table),
  ];
}

function messageOf(outcome: Exclude<FigureOutcome, { state: 'figure' }>): HTMLElement {
  const text = 'text' in outcome ? outcome.text : '';
  if (outcome.state === 'error') {
    const heading = element('h1', {}, pageTexts.error);
    return element('div', { role: 'alert' }, heading, element('pre', {}, text));
  }
  if (outcome.state !== 'text' && text === '') {
    const message = element('h1', { class: 'message' }, pageTexts[outcome.state]);
    return element('div', { role: 'status' }, message);
  }
  const heading = element('h1', { class: 'hidden' }, pageTexts.picture);
  return element('div', {}, heading, element('pre', { class: 'text' }, text));
}

/** Names by third parties become a part of a question, so they are cut to one short line. */
function askAbout(figure: Figure, { ask }: Abilities) {
  if (!ask) return undefined;
  return (index: number) => {
    const label = quote(figure.axis.labels[index] ?? '');
    ask(pageTexts.question(label, quote(headingOf(figure), 200)));
  };
}
