/** What the page shows: one outcome at a time, in the surroundings it has. */
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
import { createExport, type SaveFile } from './export.ts';
import { createPicture, type Picture } from './picture.ts';
import { applySurroundings, type Surroundings } from './surroundings.ts';
import { createTable } from './table.ts';

/** What the view has to show. */
export type FigureOutcome =
  | { state: 'loading' }
  | { state: 'figure'; figure: Figure }
  /** An answer without a figure: it says why, and holds the table. */
  | { state: 'text'; text: string }
  | { state: 'error'; text: string }
  | { state: 'cancelled' }
  /** Some hosts keep a call and lose its answer, or all of it but the text. */
  | { state: 'emptied'; text: string };

/** What a tool's result is to the view. */
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

/** What the surroundings of the page can do for a reader. */
export interface Abilities {
  save?: SaveFile;
  /** Puts a question to the assistant. */
  ask?: (question: string) => void;
}

const maxOpen = 12;

/** Width of the drawing on paper, in pixels. */
const paperWidth = 640;

/** A page that shows itself in `root`. */
export function createPage(root: HTMLElement, abilities: Abilities, initial: Surroundings) {
  let surroundings = initial;
  let outcome: FigureOutcome = { state: 'loading' };
  let picture: Picture | undefined;
  const widths = new ResizeObserver(() => picture?.draw(surroundings.theme));

  function show(next: FigureOutcome): void {
    outcome = next;
    closePicture();
    root.setAttribute('aria-busy', String(outcome.state === 'loading'));
    if (outcome.state === 'figure') {
      const { locale } = surroundings;
      const asking = askAbout(outcome.figure, abilities);
      document.title = headingOf(outcome.figure);
      picture = createPicture(outcome.figure, locale, asking);
      const table = createTable(outcome.figure, locale, asking);
      const toSave = createExport(outcome.figure, abilities.save);
      root.replaceChildren(...partsOf(outcome.figure, locale, picture.node, [table, toSave]));
    } else root.replaceChildren(messageOf(outcome));
    draw();
  }

  function draw(): void {
    applySurroundings(surroundings);
    if (!picture) return;
    picture.draw(surroundings.theme);
    widths.observe(picture.node);
  }

  /** Shows the same in other surroundings: what was opened and sorted stays where only colours change. */
  function surround(next: Surroundings): void {
    const isOtherLanguage = next.locale !== surroundings.locale;
    surroundings = next;
    if (isOtherLanguage) show(outcome);
    else draw();
  }

  function closePicture(): void {
    widths.disconnect();
    picture?.close();
    picture = undefined;
  }

  function forPaper(): void {
    for (const details of root.querySelectorAll('details')) details.open = true;
    widths.disconnect();
    applySurroundings({ ...surroundings, theme: 'light' });
    picture?.draw('light', paperWidth);
  }
  addEventListener('beforeprint', forPaper);
  addEventListener('afterprint', draw);
  show(outcome);
  return {
    show,
    surround,
    close() {
      closePicture();
      removeEventListener('beforeprint', forPaper);
      removeEventListener('afterprint', draw);
    },
  };
}

function partsOf(
  figure: Figure,
  locale: FigureLocale,
  drawing: HTMLElement,
  details: HTMLElement[],
): HTMLElement[] {
  const marks = figureMarks(figure);
  const notes = figureFootnotes(figure, locale).map((note) => element('li', {}, note));
  return [
    element(
      'header',
      {},
      element('h1', {}, headingOf(figure)),
      element('p', { class: 'summary' }, `${figureSummary(figure, locale)}.`),
      // In the picture they are seen; here they are heard.
      ...(marks.length > 0 ? [element('p', { class: 'hidden' }, `${marks.join('. ')}.`)] : []),
    ),
    drawing,
    element('ul', { class: 'notes' }, ...notes),
    element(
      'details',
      { open: figure.axis.labels.length <= maxOpen },
      element('summary', {}, pageTexts.table),
      ...details,
    ),
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

/** A name typed by others becomes part of a question: one short line, and no more. */
function askAbout(figure: Figure, { ask }: Abilities) {
  if (!ask) return undefined;
  return (index: number) => {
    const label = quote(figure.axis.labels[index] ?? '');
    ask(pageTexts.question(label, quote(headingOf(figure), 200)));
  };
}
