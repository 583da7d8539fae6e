/** A figure as a file: a page for any browser, a picture for slides and mail. */
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readFigure } from '../analysis/figure/figure.ts';
import { type FigureLocale, localeFor } from '../analysis/figure/text/words.ts';
import { isRecord } from '../core/json.ts';
import type { CommandLine } from './command-line.ts';
import { writeWhole } from './write-whole.ts';

/** The files that a figure is wanted in. */
export interface FigureFiles {
  html: string | undefined;
  svg: string | undefined;
}

/** Width of the picture, in pixels: half of a slide, the column of a mail. */
const pictureWidth = 960;

/** The files that `--html` and `--svg` name; undefined where there is neither. */
export function figureFiles({ html, svg }: CommandLine['values']): FigureFiles | undefined {
  return html === undefined && svg === undefined ? undefined : { html, svg };
}

/** @throws {Error} for a path where no file can be written. */
export async function checkPlaces({ html, svg }: FigureFiles): Promise<void> {
  for (const path of [html, svg]) {
    if (path === undefined) continue;
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) throw new Error(`${path} is a folder. Name a file in it.`);
    if (found && !found.isFile())
      throw new Error(`${path} is no file, and no figure is written to it.`);
    const folder = await stat(dirname(resolve(path))).catch(() => undefined);
    if (!folder?.isDirectory())
      throw new Error(`${path} cannot be written: there is no folder ${dirname(path)}.`);
  }
}

/**
 * Writes the figure of an answer to the files, each whole or not at all.
 *
 * @returns the files that were written
 * @throws {Error} when the answer holds no figure, or a file cannot be written.
 */
export async function writeFigureFiles(
  { html, svg }: FigureFiles,
  structured: unknown,
): Promise<string[]> {
  const figure = readFigure(isRecord(structured) ? structured.figure : undefined);
  if (figure === undefined)
    throw new Error('No file was written: the answer holds no figure, and says why.');
  if (html !== undefined) {
    const { standalonePage } = await import('../mcp/resources/figure-page.ts');
    await writeWhole(html, await standalonePage(figure));
  }
  if (svg !== undefined) {
    const { figureSvg } = await import('../analysis/figure/chart/figure-chart.ts');
    const style = { width: pictureWidth, theme: 'light', locale: ownLocale(process.env) } as const;
    await writeWhole(svg, await figureSvg(figure, style));
  }
  return [html, svg].filter((path) => path !== undefined);
}

/** The language that a terminal is set to. */
export function ownLocale(env: Record<string, string | undefined>): FigureLocale {
  const { LC_ALL, LC_MESSAGES, LANG } = env;
  return localeFor((LC_ALL || LC_MESSAGES || LANG)?.replace('_', '-'));
}
