import { answerBrief, blocksOf, briefFolders, readBrief } from '../../analysis/briefs/brief.ts';
import { unknownName } from '../../core/nearest.ts';
import { briefMarkdown } from '../../mcp/answers/brief.ts';
import { type CommandLine, readPairs, UsageError } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { stopSignal } from '../program.ts';
import { alignRows } from '../terminal/table.ts';
import { openStatusLine } from '../terminal/text.ts';
import { applyConnectedEntry } from './connect/entries.ts';

/**
 * Answers the questions of a brief as Markdown, or lists the briefs if none is named.
 * @returns 1 if a block failed, 3 if `--if-news` is given and there is no news
 */
export async function brief(line: CommandLine): Promise<0 | 1 | 3> {
  const [name, ...pairs] = line.operands;
  if (name === undefined) return listBriefs(line);
  const { app, close } = await openApp(await applyConnectedEntry(line));
  const { services, catalogue } = app;
  const status = openStatusLine();
  try {
    const folders = app.briefs();
    if (!folders.has(name)) throw new UsageError(unknownName('brief', name, [...folders.keys()]));
    const call = { nowMs: services.now(), signal: stopSignal(), onProgress: status.report };
    const saved = readBrief(folders, name, readPairs(pairs, []));
    const answers = await answerBrief(saved, { services, tools: catalogue.list(), call });
    status.clear();
    const hasFailed = blocksOf(answers).some(({ failure }) => failure !== undefined);
    const isQuiet = !hasFailed && !blocksOf(answers).some(({ block }) => block.isNews);
    if (line.flags['if-news'] && isQuiet) return 3;
    process.stdout.write(await briefMarkdown(answers, { services }));
    return hasFailed ? 1 : 0;
  } finally {
    status.clear();
    await close();
  }
}

function listBriefs({ flags, env }: CommandLine): 0 {
  const folders = briefFolders(flags.definitions ?? env.COMMERCE_DEFINITIONS);
  const rows = [...folders.keys()].map((name) => [name, readBrief(folders, name).title]);
  console.log(alignRows(['brief', 'title'], rows).join('\n'));
  return 0;
}
