/** Exports of the numbers: a file where one can be saved, and a text to copy. */
import type { Figure } from '../../analysis/figure/figure.ts';
import { figureCsv } from '../../analysis/figure/figure-text.ts';
import { element, pageTexts } from './element.ts';

/** Resolves to whether the file was saved. */
export type SaveFile = (name: string, text: string) => Promise<boolean>;

/** Buttons to save and copy the table. If saving is impossible or fails, the text is shown. */
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

  /** Uses execCommand: the Clipboard API fails silently in the frame of a host. */
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

/** Saves through the browser, for a page outside a host. */
export const saveByBrowser: SaveFile = async (name, text) => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  element('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return true;
};
