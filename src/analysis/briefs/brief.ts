/** Saved questions: Markdown with blocks that stand for their answers (docs/briefs.md). */
import { existsSync, readdirSync } from 'node:fs';
import { InputError } from '../../core/errors.ts';
import { readPlainFile } from '../../core/files.ts';
import { unknownName } from '../../core/nearest.ts';
import { packaged } from '../../core/program.ts';
import { query } from '../query.ts';
import { showFigure } from '../show-figure.ts';

declare module '../../core/message.ts' {
  interface Messages {
    /** What is wrong in which line of a file, with what stands there. */
    brief_broken: { file: string; line: number; problem: Problem; text: string };
  }
}

type Problem = 'no_head' | 'unknown_head' | 'no_parameter' | 'not_a_pair' | 'not_closed';

/** A question within a brief: the call that answers it. */
export interface BriefBlock {
  /** Where it begins in the file. */
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
  /** Markdown, and the blocks between. */
  parts: readonly (string | BriefBlock)[];
}

/** The folder of each brief by its name: a business's own take the place of ours. */
export function briefFolders(definitions?: string): ReadonlyMap<string, string> {
  const folders = [packaged('briefs'), ...(definitions ? [`${definitions}/briefs`] : [])];
  const files = folders.filter((it) => existsSync(it)).map((it) => [it, readdirSync(it)] as const);
  return new Map(
    files.flatMap(([folder, names]) =>
      names.flatMap((file) => (file.endsWith('.md') ? [[file.slice(0, -3), folder] as const] : [])),
    ),
  );
}

const mostBytes = 100_000;

/**
 * Reads a brief and puts values in place of its parameters.
 * @throws {InputError} for a name or a parameter that is not there, and for what is wrong in the file, with its line
 */
export function readBrief(
  folders: ReadonlyMap<string, string>,
  name: string,
  values: Readonly<Record<string, unknown>> = {},
): Brief {
  const folder = folders.get(name);
  if (folder === undefined) throw new InputError(unknownName('brief', name, [...folders.keys()]));
  return parseBrief(name, readPlainFile(folder, `${name}.md`, mostBytes).text, values);
}

/** `title: The week`, `parameter week = last_week` */
const headLine = /^(?:(?:title|description):.*|parameter\s+([a-z_]\w*)\s*=\s*(.*))$/;

/** `{{name}}`, where the value of a parameter goes. */
const placeholder = /\{\{\s*([a-z_]\w*)\s*\}\}/g;

/** A block: its kind, what its first line says beside, what is in it, and its end. */
const fence = /^```(call|sql|figure)\b(.*)\n([\s\S]*?)(^```[ \t]*$|$(?![\s\S]))/gm;

/** `unit=euro`, `title="Longest unpaid"`, or a word alone */
const word = /([a-z_]\w*)=(?:"([^"]*)"|'([^']*)'|(\S+))|\S+/g;

export function parseBrief(
  name: string,
  raw: string,
  values: Readonly<Record<string, unknown>>,
): Brief {
  const source = raw.replace('\uFEFF', '').replaceAll('\r\n', '\n');
  const lineAt = (index: number) => source.slice(0, index).split('\n').length;
  const refuse = (line: number, problem: Problem, text = ''): never => {
    throw new InputError({ code: 'brief_broken', file: `briefs/${name}.md`, line, problem, text });
  };
  const [whole = '', matter = ''] = /^---\n([\s\S]*?)^---\n/m.exec(source) ?? [];
  const parameters = new Map<string, string>();
  for (const [at, line] of matter.split('\n').entries()) {
    const found = headLine.exec(line);
    if (found === null && line !== '') refuse(at + 2, 'unknown_head', line);
    const [, parameter, value] = found ?? [];
    if (parameter) parameters.set(parameter, String(values[parameter] ?? value));
  }
  const known = [...parameters.keys()];
  const unknown = Object.keys(values).find((it) => !parameters.has(it));
  if (unknown !== undefined)
    throw new InputError({ code: 'unknown_argument', tool: name, argument: unknown, known });
  for (const { 0: shown, 1: it = '', index } of source.matchAll(placeholder))
    if (!parameters.has(it)) refuse(lineAt(index), 'no_parameter', shown);
  const put = (text: string) => text.replace(placeholder, (_, it) => parameters.get(it) ?? '');
  const [title = '', description = ''] = ['title', 'description'].map((key) =>
    put(new RegExp(`^${key}: *(.+)$`, 'm').exec(matter)?.[1] ?? ''),
  );
  if (title === '' || description === '' || !source.startsWith(whole)) refuse(1, 'no_head');
  let read = whole.length;
  const parts: (string | BriefBlock)[] = [];
  for (const found of source.matchAll(fence)) {
    const [block, kind, about = '', content = '', end] = found;
    const line = lineAt(found.index);
    if (end === '') refuse(line, 'not_closed');
    const isCall = kind === 'call';
    const words = [...(isCall ? `${about}\n${content}` : about).matchAll(word)];
    const pairs = words.flatMap(([, key, ...it]) => (key ? [[key, put(it.join(''))]] : []));
    const alone = words.flatMap(([it, key]) => (key || it === 'news' ? [] : [it]));
    const ours = kind === 'sql' ? query.tool : showFigure.tool;
    const [tool = '', ...surplus] = isCall ? alone : [ours, ...alone];
    if (tool === '' || surplus.length > 0) refuse(line, 'not_a_pair', surplus[0]);
    const { title: heading = '', ...options } = Object.fromEntries(pairs);
    const isNews = words.some(([it]) => it === 'news');
    const args = isCall ? options : { ...options, sql: put(content) };
    parts.push(put(source.slice(read, found.index)));
    parts.push({ line, title: heading, isNews, tool, arguments: args });
    read = found.index + block.length;
  }
  return { name, title, description, parts: [...parts, put(source.slice(read))] };
}
