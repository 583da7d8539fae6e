/** A figure as a file: a page for any browser, a picture for slides and mail. */
import { randomUUID } from 'node:crypto';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Figure, readFigure } from '../analysis/figure/figure.ts';
import { type FigureLocale, localeFor } from '../analysis/figure/text/locale.ts';
import { isRecord } from '../core/json.ts';
import type { CommandLine } from './command-line.ts';

/** The files that a figure is wanted in. */
export interface FigureFiles {
  html?: string;
  svg?: string;
}

/** Width of the picture, in pixels: half of a slide, the column of a mail. */
const pictureWidth = 960;

/**
 * The files that a command line asks for, and the other values of it; undefined where it asks for none.
 *
 * @throws {Error} for a path where no file can be, before anything is asked of anybody.
 */
export async function readFigureFiles(values: CommandLine['values']): Promise<{
  files: FigureFiles | undefined;
  others: CommandLine['values'];
}> {
  const { html, svg, ...others } = values;
  for (const path of [html, svg]) if (path !== undefined) await checkPlace(path);
  const isAsked = html !== undefined || svg !== undefined;
  const files = { ...(html !== undefined && { html }), ...(svg !== undefined && { svg }) };
  return { files: isAsked ? files : undefined, others };
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
  if (html !== undefined) await writeWhole(html, await pageOf(figure));
  if (svg !== undefined) await writeWhole(svg, await pictureOf(figure));
  return [html, svg].filter((path) => path !== undefined);
}

/** The language of whoever sits at this terminal. */
export function ownLocale(env: Record<string, string | undefined>): FigureLocale {
  const { LC_ALL, LC_MESSAGES, LANG } = env;
  return localeFor((LC_ALL || LC_MESSAGES || LANG)?.replace('_', '-'));
}

async function pageOf(figure: Figure): Promise<string> {
  const { standalonePage } = await import('../mcp/resources/figure-page.ts');
  return standalonePage(figure);
}

async function pictureOf(figure: Figure): Promise<string> {
  const { figureSvg } = await import('../analysis/figure/chart/figure-chart.ts');
  const style = { width: pictureWidth, theme: 'light', locale: ownLocale(process.env) } as const;
  return figureSvg(figure, style);
}

async function checkPlace(path: string): Promise<void> {
  const [there, folder] = await Promise.all([kindOf(path), kindOf(dirname(resolve(path)))]);
  if (there === 'folder') throw new Error(`${path} is a folder. Name a file in it.`);
  if (there === 'other') throw new Error(`${path} is no file, and no figure is written to it.`);
  if (folder !== 'folder')
    throw new Error(`${path} cannot be written: there is no folder ${dirname(path)}.`);
}

async function kindOf(path: string): Promise<'folder' | 'file' | 'other' | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return 'folder';
  return found.isFile() ? 'file' : 'other';
}

/** Beside its place first, then moved there: nobody sees half a file. */
async function writeWhole(given: string, text: string): Promise<void> {
  // A link stays one.
  const path = await realpath(given).catch(() => given);
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${given} cannot be written: ${reason.split(',', 1)[0]}.`, { cause: error });
  }
}
