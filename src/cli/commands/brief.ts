import { type AnsweredBrief, answerBrief, blocksOf } from '../../analysis/briefs/answer-brief.ts';
import { readBrief } from '../../analysis/briefs/brief.ts';
import type { FigureLocale } from '../../analysis/figure/figure-text.ts';
import type { Services } from '../../analysis/services.ts';
import { unknownName } from '../../core/nearest.ts';
import { briefMarkdown } from '../../mcp/answers/brief.ts';
import { presentAnswer } from '../../mcp/answers/present.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { type AboutLine, flattenAnswer } from '../flat-answer.ts';
import { openApp } from '../open-app.ts';
import { stopSignal } from '../program.ts';
import { viewResult } from '../terminal/answer.ts';
import { personReader } from '../terminal/catalogue/catalogue.ts';
import { openStatusLine } from '../terminal/status-line.ts';
import { paint, say, wrap } from '../terminal/text.ts';
import type { Sheet } from '../workbook.ts';
import { writeWhole } from '../write-whole.ts';
import { localeOf } from './call.ts';
import { withConnected } from './connect/entries.ts';
import { readPairs } from './pairs.ts';

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
    const asking = { services, tools: catalogue.list(), call };
    const wanted = readBrief(folders, name, readPairs(pairs, []));
    const answered = await answerBrief(wanted, asking);
    status.clear();
    const hasFailed = blocksOf(answered).some(({ failure }) => failure !== undefined);
    const isQuiet = !hasFailed && !blocksOf(answered).some(({ block }) => block.isNews);
    if (line.switches.has('if-news') && isQuiet) return 3;
    const { html, xlsx } = line.values;
    const [locale, reader] = [localeOf(line.env), personReader(services.hasTool)];
    if (html !== undefined) {
      const { briefPage } = await import('../brief-page.ts');
      await writeWhole(html, await briefPage(locale, answered, { services, reader }));
    }
    if (xlsx !== undefined) await writeSheets(xlsx, answered, services, config.baseUrl);
    const files = [html, xlsx].filter((file) => file !== undefined);
    for (const path of files) say({ code: 'written', path }, 'dim');
    if (files.length > 0) return hasFailed ? 1 : 0;
    const text = line.switches.has('md')
      ? await briefMarkdown(answered, { services, reader })
      : await viewBrief(answered, services, locale);
    process.stdout.write(text);
    return hasFailed ? 1 : 0;
  } finally {
    status.clear();
    await close();
  }
}

/** A sheet for each answer; on the last one also what could not be answered. */
async function writeSheets(
  path: string,
  answered: AnsweredBrief,
  services: Services,
  baseUrl: string,
): Promise<void> {
  const { writeWorkbook } = await import('../workbook.ts');
  const { say: tell } = personReader(services.hasTool);
  const sheets: Sheet[] = [];
  const others: AboutLine[] = [];
  for (const { block, found, failure } of blocksOf(answered)) {
    const title = block.title || block.tool;
    if (failure) others.push([title, tell(failure)]);
    if (!found) continue;
    const how = { baseUrl, hasNames: true };
    sheets.push({ ...(await flattenAnswer(found.tool, services, found.answer, how)), title });
  }
  await writeWorkbook(path, sheets, others);
}

/** A brief as a person reads it at a terminal. */
async function viewBrief(
  { title, description, parts }: AnsweredBrief,
  services: Services,
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
    if (failure) lines.push(...wrap(personReader(services.hasTool).say(failure), width));
    if (!found) continue;
    const result = await presentAnswer({ tool: found.tool, services }, found.answer);
    const input = block.arguments;
    lines.push(...viewResult(result, { width, locale, tool: found.tool, input, flags: [] }));
  }
  return `${lines.join('\n').replaceAll(/\n{3,}/g, '\n\n')}\n`;
}
