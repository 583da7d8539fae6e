import { randomUUID } from 'node:crypto';
import {
  type AnsweredBrief,
  answerBrief,
  blocksOf,
  readBrief,
} from '../../analysis/briefs/brief.ts';
import type { FigureLocale } from '../../analysis/figure/figure-text.ts';
import { unknownName } from '../../core/nearest.ts';
import { briefMarkdown } from '../../mcp/answers/brief.ts';
import { modelReader } from '../../mcp/answers/catalogue/catalogue.ts';
import { presentAnswer } from '../../mcp/answers/present.ts';
import { type CommandLine, readPairs, UsageError } from '../command-line.ts';
import { type AboutLine, flattenAnswer } from '../flat-answer.ts';
import { openApp } from '../open-app.ts';
import { stopSignal } from '../program.ts';
import { viewResult } from '../terminal/answer.ts';
import { personReader } from '../terminal/catalogue/catalogue.ts';
import { openStatusLine, paint, say, wrap } from '../terminal/text.ts';
import type { Sheet } from '../workbook.ts';
import { writeWhole } from '../write-whole.ts';
import page from './brief-page.txt';
import { localeOf } from './call.ts';
import { withConnected } from './connect/entries.ts';

/**
 * Answers saved questions: as a person reads them, as Markdown, as a page, as a workbook.
 * @returns 1 where a block failed, 3 where there is no news and `--if-news` asks for it
 */
export async function brief(typed: CommandLine): Promise<0 | 1 | 3> {
  const line = await withConnected(typed);
  const { app, config, close } = await openApp(line);
  const { services, catalogue } = app;
  const status = openStatusLine();
  try {
    const [name = '', ...pairs] = line.operands;
    const folders = app.briefs();
    if (!folders.has(name)) throw new UsageError(unknownName('brief', name, [...folders.keys()]));
    const call = { nowMs: services.now(), signal: stopSignal(), onProgress: status.report };
    const saved = readBrief(folders, name, readPairs(pairs, []));
    const answered = await answerBrief(saved, { services, tools: catalogue.list(), call });
    status.clear();
    const hasFailed = blocksOf(answered).some(({ failure }) => failure !== undefined);
    const isQuiet = !hasFailed && !blocksOf(answered).some(({ block }) => block.isNews);
    if (line.flags['if-news'] && isQuiet) return 3;
    const { html, xlsx, md } = line.flags;
    const locale = localeOf(line.env);
    const briefReader = { services, reader: personReader(services.hasTool) };
    if (html !== undefined) await writeWhole(html, await briefPage(answered, briefReader, locale));
    if (xlsx !== undefined) await writeSheets(xlsx, answered, briefReader, config.baseUrl);
    const files = [html, xlsx].filter((file) => file !== undefined);
    for (const path of files) say({ code: 'written', path }, 'dim');
    const view = () => viewBrief(answered, briefReader, locale);
    if (files.length === 0)
      process.stdout.write(await (md ? briefMarkdown(answered, briefReader) : view()));
    return hasFailed ? 1 : 0;
  } finally {
    status.clear();
    await close();
  }
}

type BriefReader = Parameters<typeof briefMarkdown>[1];

/** What could not be answered is on the last sheet. */
async function writeSheets(
  path: string,
  answered: AnsweredBrief,
  { services, reader }: BriefReader,
  baseUrl: string,
): Promise<void> {
  const { writeWorkbook } = await import('../workbook.ts');
  const sheets: Sheet[] = [];
  const others: AboutLine[] = [];
  for (const { block, found, failure } of blocksOf(answered)) {
    const title = block.title || block.tool;
    if (failure) others.push([title, reader.say(failure)]);
    if (!found) continue;
    const how = { baseUrl, hasNames: true };
    sheets.push({ ...(await flattenAnswer(found.tool, services, found.answer, how)), title });
  }
  await writeWorkbook(path, sheets, others);
}

/** Of pictures, in pixels: on a page and on a telephone. */
const widths = { wide: 920, narrow: 360 };

/** One page that loads nothing from elsewhere: for a browser, for paper, for mail. */
async function briefPage(
  answered: AnsweredBrief,
  briefReader: BriefReader,
  locale: FigureLocale,
): Promise<string> {
  const { html } = await import('hono/html');
  const { Marked } = await import('marked');
  const { figureSvg } = await import('../../analysis/figure/figure-chart.ts');
  // No text is HTML, and none becomes an address to follow.
  const marked = new Marked({
    renderer: { html: ({ text }) => String(html`${text}`) },
    tokenizer: { url: () => undefined, autolink: () => undefined },
  });
  // No text of the account can be taken for the place of a picture.
  const place = `figure-${randomUUID()}`;
  const pictures: string[] = [];
  const draw: BriefReader['draw'] = (figure) => {
    const drawn = Object.entries(widths).map(([name, width]) => {
      const svg = figureSvg(figure, { width, theme: 'light', locale });
      return `<div class="${name}">${svg}</div>`;
    });
    pictures.push(`<figure>${drawn.join('')}</figure>`);
    return place;
  };
  const body = marked
    .parse(await briefMarkdown(answered, { ...briefReader, draw }), { async: false })
    .replaceAll(`<p>${place}</p>`, () => pictures.shift() ?? '');
  const title = String(html`${answered.title}`);
  return page.replace('{{title}}', () => title).replace('{{body}}', () => body);
}

async function viewBrief(
  { title, description, parts }: AnsweredBrief,
  { services, reader }: BriefReader,
  locale: FigureLocale,
): Promise<string> {
  const width = process.stdout.columns || 80;
  const bold = (text: string) => wrap(text, width).map((it) => paint('bold', it));
  const lines = [...bold(title), ...wrap(description, width)];
  for (const part of parts) {
    if (typeof part === 'string') {
      const view = (text: string) => (text.startsWith('#') ? bold(text) : wrap(text, width));
      lines.push('', ...part.trim().split('\n').flatMap(view));
      continue;
    }
    const { block, found, failure } = part;
    lines.push('', ...bold(block.title));
    if (failure) lines.push(...wrap(reader.say(failure), width));
    if (!found) continue;
    const result = await presentAnswer(
      { tool: found.tool, services, reader: modelReader(services.hasTool) },
      found.answer,
    );
    const input = block.arguments;
    lines.push(...viewResult(result, { width, locale, tool: found.tool, input, flags: [] }));
  }
  return `${lines.join('\n').replaceAll(/\n{3,}/g, '\n\n')}\n`;
}
