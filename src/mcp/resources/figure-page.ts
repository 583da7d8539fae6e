/** The page that draws figures, as the build left it: for hosts that embed it, and as a file. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Figure } from '../../analysis/figure/figure.ts';
import { builtFile } from '../../core/built-file.ts';

/** The page without data, and what tells it from any other: hosts keep a page by its address. */
export interface FigurePage {
  html: string;
  /** Eight hexadecimal digits: every reader of `tools/list` pays for them. */
  hash: string;
}

/** Where the page waits for a figure of its own. */
const place = '<script type="application/json" id="figure">';

/** Reads the page, when somebody looks at it and not before. */
export async function loadFigurePage(): Promise<FigurePage> {
  const html = await readFile(findPage(), 'utf8');
  return { html, hash: createHash('sha256').update(html).digest('hex').slice(0, 8) };
}

/** The page with a figure inside: one file for any browser, that asks nothing of anybody. */
export async function standalonePage(figure: Figure): Promise<string> {
  const { html } = await loadFigurePage();
  // No text of a figure can end the script that holds it.
  const data = JSON.stringify(figure).replaceAll('<', '\\u003c');
  return html.replace(place, () => `${place}${data}`);
}

function findPage(): string {
  const found = builtFile('figure.html', import.meta.url);
  if (found === undefined) throw new Error('figure.html is missing: build the package first.');
  return found;
}
