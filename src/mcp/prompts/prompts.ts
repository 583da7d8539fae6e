import { existsSync, readdirSync } from 'node:fs';
import { z } from 'zod';
import { argumentMessages } from '../../analysis/read-arguments.ts';
import { InputError, messageOf } from '../../core/errors.ts';
import { followFolder, readPlainFile } from '../../core/files.ts';
import type { Log } from '../../core/message.ts';
import { packaged } from '../../core/program.ts';

// An empty value of YAML is null: nothing was said.
const scalar = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((value) => (value === null ? '' : String(value)));

const argument = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  description: z.string().min(1),
  required: z.boolean().default(false),
  /** What is used when the argument is left out. */
  default: scalar.default(''),
  /** Which live names complete it, such as `shop`; or a fixed list of values. */
  complete: z.union([z.string(), z.array(scalar)]).optional(),
});

const frontMatter = z.strictObject({
  title: z.string().min(1),
  description: z.string().min(1),
  arguments: z.array(argument).default([]),
});

/** A prompt of `prompts/`: a Markdown file whose front matter says what it is and takes. */
export interface Prompt extends z.output<typeof frontMatter> {
  name: string;
  /** Markdown with `{{argument}}` where a value goes. */
  body: string;
}

/** The prompt with its arguments filled in. @throws {InputError} for one that is missing or unknown */
export function fillPrompt(prompt: Prompt, args: Readonly<Record<string, string>>): string {
  const { name: tool } = prompt;
  const names = prompt.arguments.map(({ name }) => name);
  for (const argument of Object.keys(args))
    if (!names.includes(argument))
      throw new InputError(
        argumentMessages.unknown_argument({ tool, argument, known: names }),
        argument,
      );
  const values = new Map<string, string>();
  for (const { name: argument, required, default: fallback, description } of prompt.arguments) {
    const value = args[argument]?.trim() || fallback;
    const missing = { place: argument, accepted: `text (${description})` };
    if (required && value === '')
      throw new InputError(argumentMessages.wrong_arguments({ tool, wrong: [missing] }), argument);
    values.set(argument, value);
  }
  return prompt.body.replace(placeholder, (_, name: string) => values.get(name) ?? '');
}

/** `{{name}}`, where the value of an argument goes. */
export const placeholder = /\{\{\s*([a-z][a-z0-9_]*)\s*\}\}/g;

/** Where prompts lie; of two with one name, the first is the one that the documentation describes. */
export function promptFolders(definitions?: string): string[] {
  return [packaged('prompts'), ...(definitions ? [`${definitions}/prompts`] : [])];
}

/** Prompts, read when they are first asked for and when their files have changed. */
export function followPrompts(
  definitions: string | undefined,
  log: Pick<Log, 'warn'>,
  onChange: () => void,
  closing: AbortSignal,
) {
  const folders = promptFolders(definitions);
  let prompts: ReturnType<typeof readPrompts> | undefined;
  const forget = () => {
    prompts = undefined;
    onChange();
  };
  for (const folder of folders) void followFolder(folder, forget, closing);
  return () => {
    prompts ??= readPrompts(folders, log);
    return prompts;
  };
}

const mostBytes = 100_000;

/** Reads every prompt of some folders, by name. A file that is broken is left out and logged. */
export async function readPrompts(
  folders: readonly string[],
  log: Pick<Log, 'warn'>,
): Promise<readonly Prompt[]> {
  const prompts = new Map<string, Prompt>();
  for (const folder of folders.filter((it) => existsSync(it)))
    for (const file of readdirSync(folder).sort()) {
      if (!file.endsWith('.md')) continue;
      try {
        const prompt = await parsePrompt(file, readPlainFile(folder, file, mostBytes).text);
        if (!prompts.has(prompt.name)) prompts.set(prompt.name, prompt);
      } catch (error) {
        const reason = `prompts/${file}: ${messageOf(error)}`;
        log.warn({ file, reason }, 'a prompt file was left out');
      }
    }
  return [...prompts.values()];
}

/** Longest front matter, in characters: the parser of YAML compares each key with each other one. */
const maxMatter = 8000;

/** One prompt from its file. @throws {Error} that says what is wrong with it */
export async function parsePrompt(file: string, text: string): Promise<Prompt> {
  // Loaded with the first prompt: most sessions ask for none.
  const { parse } = await import('yaml');
  const parts = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text);
  const [, matter = '', body = ''] = parts ?? [];
  if (parts === null) throw new Error('begins without front matter between two lines of ---');
  if (matter.length > maxMatter)
    throw new Error(`front matter: has ${matter.length} characters, and at most ${maxMatter}`);
  const read = frontMatter.safeParse(parse(matter));
  if (!read.success) throw new Error(`front matter: ${z.prettifyError(read.error)}`);
  const names = new Set(read.data.arguments.map(({ name }) => name));
  for (const [, name = ''] of body.matchAll(placeholder))
    if (!names.has(name)) throw new Error(`{{${name}}} names no argument of the front matter`);
  return { ...read.data, name: file.replace(/\.md$/, ''), body: body.trim() };
}
