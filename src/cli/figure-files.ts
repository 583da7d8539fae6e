/** A figure as a file: a page for any browser, a picture for slides and mail. */
import { readFigure } from '../analysis/figure/figure.ts';
import { type FigureLocale, localeFor } from '../analysis/figure/figure-text.ts';
import { isRecord } from '../core/json.ts';
import type { CommandLine } from './command-line.ts';
import { writeWhole } from './write-whole.ts';

/** Width of the picture, in pixels: half of a slide, the column of a mail. */
const pictureWidth = 960;

/** Whether a figure is to be written to a file. */
export function wantsFile({ values }: CommandLine): boolean {
  return values.html !== undefined || values.svg !== undefined;
}

/**
 * Writes the figure of an answer to the files of `--html` and `--svg`, each whole or not at all.
 *
 * @returns the files that were written
 * @throws {Error} when the answer holds no figure, or a file cannot be written.
 */
export async function writeFigureFiles(line: CommandLine, structured: unknown): Promise<string[]> {
  if (!wantsFile(line)) return [];
  const { html, svg } = line.values;
  const figure = readFigure(isRecord(structured) ? structured.figure : undefined);
  if (figure === undefined)
    throw new Error('No file was written: the answer holds no figure, and says why.');
  if (html !== undefined) {
    const { standalonePage } = await import('../mcp/resources/figure-page.ts');
    await writeWhole(html, await standalonePage(figure));
  }
  if (svg !== undefined) {
    const { figureSvg } = await import('../analysis/figure/figure-chart.ts');
    const style = { width: pictureWidth, theme: 'light', locale: localeOf(line.env) } as const;
    await writeWhole(svg, await figureSvg(figure, style));
  }
  return [html, svg].filter((path) => path !== undefined);
}

/** The language that a terminal is set to. */
export function localeOf(env: CommandLine['env']): FigureLocale {
  const { LC_ALL, LC_MESSAGES, LANG } = env;
  return localeFor((LC_ALL || LC_MESSAGES || LANG)?.replace('_', '-'));
}
