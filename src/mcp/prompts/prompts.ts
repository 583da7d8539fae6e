import { existsSync, readdirSync } from 'node:fs';
import { z } from 'zod';
import { argumentMessages } from '../../analysis/read-arguments.ts';
import { InputError, messageOf } from '../../core/errors.ts';
import { followFolder, readPlainFile } from '../../core/files.ts';
import type { Log } from '../../core/message.ts';
import { packageFolder } from '../../core/program.ts';

// YAML reads an empty value as null.
const scalar = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((value) => (value === null ? '' : String(value)));

const argument = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  description: z.string().min(1),
  required: z.boolean().default(false),
  default: scalar.default(''),
  /** A kind of name that completes it, such as `shop`, or a list of values. */
  complete: z.union([z.string(), z.array(scalar)]).optional(),
});

const frontMatter = z.strictObject({
  title: z.string().min(1),
  description: z.string().min(1),
  arguments: z.array(argument).default([]),
});

/** A prompt: a Markdown file whose front matter describes it and its arguments. */
export interface Prompt extends z.output<typeof frontMatter> {
  name: string;
  /** Markdown with `{{argument}}` where a value goes. */
  body: string;
}

/** Fills arguments in. @throws {InputError} for an argument that is missing or unknown */
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

/** `{{name}}`: the place of an argument's value. */
const placeholder = /\{\{\s*([a-z][a-z0-9_]*)\s*\}\}/g;

/** Reads prompts when they are first asked for, and again when their files have changed. */
export function followPrompts(
  definitions: string | undefined,
  log: Pick<Log, 'warn'>,
  onChange: () => void,
  closing: AbortSignal,
) {
  // The first prompt of a name counts, as documented: a folder cannot replace a packaged one.
  const folders = [packageFolder('prompts'), ...(definitions ? [`${definitions}/prompts`] : [])];
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

const maxBytes = 100_000;

/** Reads all prompts of the folders. A broken file is left out and logged. */
export async function readPrompts(
  folders: readonly string[],
  log: Pick<Log, 'warn'>,
): Promise<readonly Prompt[]> {
  const prompts = new Map<string, Prompt>();
  for (const folder of folders.filter((folder) => existsSync(folder)))
    for (const file of readdirSync(folder).sort()) {
      if (!file.endsWith('.md')) continue;
      try {
        const prompt = await parsePrompt(file, readPlainFile(folder, file, maxBytes).text);
        if (!prompts.has(prompt.name)) prompts.set(prompt.name, prompt);
      } catch (error) {
        const reason = `prompts/${file}: ${messageOf(error)}`;
        log.warn({ file, reason }, 'a prompt file was left out');
      }
    }
  return [...prompts.values()];
}

/** Longest front matter, in characters: the YAML parser compares each key with every other. */
const maxMatter = 8000;

/** @throws {Error} that says what is wrong with the file */
export async function parsePrompt(file: string, text: string): Promise<Prompt> {
  // Loaded with the first prompt, because most sessions ask for none.
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
