/** Ways out for the numbers: a file where one can be saved, a text to copy everywhere. */
import type { Figure } from '../../analysis/figure/figure.ts';
import { figureCsv } from '../../analysis/figure/figure-text.ts';
import { element, pageTexts } from './element.ts';

/** Saves a text as a file; false where that could not be done. */
export type SaveFile = (name: string, text: string) => Promise<boolean>;

/** Buttons to save and to copy the table. Without `save`, or where it fails, the text is shown. */
export function createExport(figure: Figure, save: SaveFile | undefined): HTMLElement {
  const status = element('p', { class: 'status', role: 'status' });
  const text = element('textarea', { readonly: true, rows: '6', 'aria-label': pageTexts.csvText });
  const csv = figureCsv(figure);
  text.value = csv;
  text.hidden = true;

  function show(): void {
    text.hidden = false;
    text.focus();
    text.select();
    status.textContent = pageTexts.selected;
  }

  async function saveFile(): Promise<void> {
    const isSaved = await save?.('figure.csv', csv).catch(() => false);
    if (isSaved) status.textContent = pageTexts.saved;
    else show();
  }

  /** The old way: the clipboard's own interface fails without a word in a host's frame. */
  function copy(): void {
    show();
    if (document.execCommand('copy')) status.textContent = pageTexts.copied;
  }

  const button = (label: string, onclick: () => void) =>
    element('button', { type: 'button', class: 'tool', onclick }, label);
  return element(
    'div',
    { class: 'export' },
    button(pageTexts.csv, () => void saveFile()),
    button(pageTexts.copy, copy),
    status,
    text,
  );
}

/** Saves by the browser itself, for a page outside of a chat host. */
export const saveByBrowser: SaveFile = async (name, text) => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  element('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return true;
};
