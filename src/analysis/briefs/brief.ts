/** Saved questions: Markdown with blocks that are replaced by answers (docs/briefs.md). */
import { existsSync, readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { errorMessages, InputError } from '../../core/errors.ts';
import { readPlainFile } from '../../core/files.ts';
import { messagesOf } from '../../core/message.ts';
import { unknownName } from '../../core/nearest.ts';
import { packageFolder } from '../../core/program.ts';
import { quoted } from '../../core/text.ts';
import type { Answer, Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { explain } from '../errors/explain.ts';
import { query } from '../query.ts';
import { argumentMessages, readArguments } from '../read-arguments.ts';
import type { Services } from '../services.ts';
import { showFigure } from '../show-figure.ts';
import type { DefinitionProblem } from '../tables/definitions.ts';
import { asRows } from '../tables/table-rows.ts';

/** Each block is a call. */
const maxBlocks = 100;

const problems = {
  no_head: 'It begins with a title and a description, each in a line, between two lines of ---.',
  unknown_head: ' is neither title: ..., description: ... nor parameter NAME = default.',
  no_parameter: ' names no parameter of the head.',
  not_a_pair: ' is not key=value; a block of the kind call begins with a tool.',
  not_closed: 'The block is not closed by ```.',
  too_many_blocks: `It has more than ${maxBlocks} blocks: make several briefs of it.`,
};

type Problem = keyof typeof problems;

interface BrokenBrief {
  file: string;
  line: number;
  problem: Problem;
  /** The text that the problem is about; may be empty. */
  given: string;
}

export const briefMessages = messagesOf({
  brief_broken: ({ file, line, problem, given }: BrokenBrief) =>
    `${file}:${line}: ${given && quoted(given)}${problems[problem]}`,
  lacks_tool: ({ tool }: { tool: string }) =>
    `It needs ${quoted(tool, 60)}, which is not open here.`,
});

/** A question within a brief, as the call that answers it. */
export interface BriefBlock {
  /** Its first line in the file. */
  line: number;
  title: string;
  /** Left out while its answer has no rows. */
  isNews: boolean;
  tool: string;
  arguments: Record<string, string>;
}

/** A brief with values in place of its parameters. */
export interface Brief {
  name: string;
  title: string;
  description: string;
  /** Markdown and blocks, in order. */
  parts: readonly (string | BriefBlock)[];
}

/** The folder of each brief by its name; a business's own brief replaces ours of the same name. */
export function briefFolders(definitions?: string): ReadonlyMap<string, string> {
  const folders = [packageFolder('briefs'), ...(definitions ? [`${definitions}/briefs`] : [])];
  const briefs = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((file) => [parse(file), folder] as const))
    .filter(([{ ext }]) => ext === '.md');
  return new Map(briefs.map(([{ name }, folder]) => [name, folder]));
}

const maxBytes = 100_000;

/**
 * Reads a brief and puts values in place of its parameters.
 * @throws {InputError} for an unknown name or parameter, and for an error in the file, with its line
 */
export function readBrief(
  folders: ReadonlyMap<string, string>,
  name: string,
  values: Readonly<Record<string, unknown>> = {},
): Brief {
  const folder = folders.get(name);
  if (folder === undefined) throw new InputError(unknownName('brief', name, [...folders.keys()]));
  return parseBrief(name, readPlainFile(folder, `${name}.md`, maxBytes).text, values);
}

/** @throws {InputError} as {@link readBrief} */
export function readBriefHead(path: string): Pick<Brief, 'title' | 'description'> {
  const { dir, name } = parse(path);
  const { title, description } = readBrief(new Map([[name, dir]]), name);
  return { title, description };
}

/** `title: The week`, `parameter week = last_week` */
const headLine = /^(?:(?:title|description):.*|parameter\s+([a-z_]\w*)\s*=\s*(.*))$/;

/** `{{name}}`, replaced by the value of a parameter. */
const placeholder = /\{\{\s*([a-z_]\w*)\s*\}\}/g;

/** A block: its kind, the rest of its first line, its content and its end. */
const blockForm = /^```(call|sql|figure)\b(.*)\n([\s\S]*?)(^```[ \t]*$|$(?![\s\S]))/gm;

/** `unit=euro`, `title="Longest unpaid"`, or a word alone */
const word = /([a-z_]\w*)=(?:"([^"]*)"|'([^']*)'|(\S+))|\S+/g;

type Refuse = (line: number, problem: Problem, given?: string) => never;
type Fill = (text: string) => string;

export function parseBrief(
  name: string,
  raw: string,
  values: Readonly<Record<string, unknown>>,
): Brief {
  const source = raw.replace('\uFEFF', '').replaceAll('\r\n', '\n');
  const lineAt = (index: number) => source.slice(0, index).split('\n').length;
  const refuse: Refuse = (line, problem, given = '') => {
    const file = `briefs/${name}.md`;
    throw new InputError(briefMessages.brief_broken({ file, line, problem, given }));
  };
  const [head = '', headLines = ''] = /^---\n([\s\S]*?)^---\n/m.exec(source) ?? [];
  const parameters = new Map<string, string>();
  for (const [at, line] of headLines.split('\n').entries()) {
    const match = headLine.exec(line);
    if (match === null && line !== '') refuse(at + 2, 'unknown_head', line);
    const [, parameter, value] = match ?? [];
    if (parameter) parameters.set(parameter, String(values[parameter] ?? value));
  }
  const known = [...parameters.keys()];
  const argument = Object.keys(values).find((given) => !parameters.has(given));
  if (argument !== undefined)
    throw new InputError(argumentMessages.unknown_argument({ tool: name, argument, known }));
  for (const { 0: given, 1: parameter = '', index } of source.matchAll(placeholder))
    if (!parameters.has(parameter)) refuse(lineAt(index), 'no_parameter', given);
  const fill: Fill = (text) =>
    text.replace(placeholder, (_, parameter) => parameters.get(parameter) ?? '');
  const sayValue = (_: string, parameter: string) =>
    (parameters.get(parameter) ?? '').replaceAll('_', ' ');
  const [title = '', description = ''] = ['title', 'description'].map((key) =>
    (new RegExp(`^${key}: *(.+)$`, 'm').exec(headLines)?.[1] ?? '').replace(placeholder, sayValue),
  );
  if (title === '' || description === '' || !source.startsWith(head)) refuse(1, 'no_head');
  const blocks = [...source.matchAll(blockForm)];
  if (blocks.length > maxBlocks) refuse(1, 'too_many_blocks');
  let end = head.length;
  const parts = blocks.flatMap((match) => {
    const before = fill(source.slice(end, match.index));
    end = match.index + match[0].length;
    return [before, readBlock(match, lineAt(match.index), fill, refuse)];
  });
  return { name, title, description, parts: [...parts, fill(source.slice(end))] };
}

function readBlock(
  [, kind, firstLine = '', content = '', end]: RegExpExecArray,
  line: number,
  fill: Fill,
  refuse: Refuse,
): BriefBlock {
  if (end === '') refuse(line, 'not_closed');
  const isCall = kind === 'call';
  const words = [...(isCall ? `${firstLine}\n${content}` : firstLine).matchAll(word)];
  const pairs = words.flatMap(([, key, ...value]) => (key ? [[key, fill(value.join(''))]] : []));
  const bareWords = words.flatMap(([text, key]) => (key || text === 'news' ? [] : [text]));
  const fixedTool = kind === 'sql' ? query.tool : showFigure.tool;
  const [tool = '', ...surplus] = isCall ? bareWords : [fixedTool, ...bareWords];
  if (tool === '' || surplus.length > 0) refuse(line, 'not_a_pair', surplus[0]);
  const { title = '', ...options } = Object.fromEntries(pairs);
  const isNews = words.some(([text]) => text === 'news');
  const args = isCall ? options : { ...options, sql: fill(content) };
  return { line, title, isNews, tool, arguments: args };
}

export interface AnsweredBlock {
  block: BriefBlock;
  found?: { tool: ToolDefinition; answer: Answer };
  failure?: string;
}

export interface AnsweredBrief extends Omit<Brief, 'parts'> {
  parts: readonly (string | AnsweredBlock)[];
}

interface Asking {
  services: Services;
  tools: readonly ToolDefinition[];
  call: Call;
}

/**
 * Asks the blocks of a brief one after the other, since later ones reuse rows of earlier ones. A news block without rows
 * is left out; a block that fails gives its reason.
 */
export async function answerBrief(brief: Brief, asking: Asking): Promise<AnsweredBrief> {
  const parts: (string | AnsweredBlock)[] = [];
  for (const part of brief.parts) {
    const answered = typeof part === 'string' ? part : await answerBlock(part, asking);
    if (typeof answered === 'string' || !answered.block.isNews || hasRows(answered))
      parts.push(answered);
  }
  return { ...brief, parts };
}

export function blocksOf({ parts }: AnsweredBrief): AnsweredBlock[] {
  return parts.filter((part) => typeof part !== 'string');
}

function hasRows({ found }: AnsweredBlock): boolean {
  return found === undefined || asRows(found.answer).rows.length > 0;
}

async function answerBlock(
  block: BriefBlock,
  { services, tools, call }: Asking,
): Promise<AnsweredBlock> {
  const tool = tools.find((candidate) => candidate.tool === block.tool);
  try {
    if (tool === undefined) throw new InputError(briefMessages.lacks_tool({ tool: block.tool }));
    const shared = { ...call, sharesRows: true } as const;
    const answer = await tool.answer(services, readArguments(tool, block.arguments), shared);
    return { block, found: { tool, answer } };
  } catch (error) {
    call.signal?.throwIfAborted();
    const failed = tool && { tool, input: block.arguments };
    return { block, failure: await explain(services, error, failed, call.signal) };
  }
}

/** Finds problems of briefs by reading their files and asking every block. */
export async function checkBriefs(folders: ReadonlyMap<string, string>, asking: Asking) {
  const problems: DefinitionProblem[] = [];
  for (const name of folders.keys())
    try {
      const file = `briefs/${name}.md`;
      const answered = await answerBrief(readBrief(folders, name), asking);
      for (const { block, failure: words = '' } of blocksOf(answered)) {
        const reason = errorMessages.other_error({ words });
        if (words !== '') problems.push({ file, line: block.line, reason });
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push({ reason: error.reason });
    }
  return problems;
}
