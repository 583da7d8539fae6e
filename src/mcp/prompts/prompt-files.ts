import { existsSync, readdirSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { CommerceError, messageOf } from '../../core/errors.ts';
import { readPlainFile } from '../../core/files.ts';
import { type Prompt, placeholder } from './prompts.ts';

// An empty value of YAML is null: nothing was said.
const scalar = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((value) => (value === null ? '' : String(value)));

const frontMatter = z.strictObject({
  title: z.string().min(1),
  description: z.string().min(1),
  arguments: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z][a-z0-9_]*$/),
        description: z.string().min(1),
        required: z.boolean().default(false),
        default: scalar.default(''),
        complete: z.union([z.string(), z.array(scalar)]).optional(),
      }),
    )
    .default([]),
});

/** Largest file of a prompt. */
const mostBytes = 100_000;

/**
 * Reads every prompt of some folders, in the order of their names; of two with one name the first. The
 * only file that loads the YAML library: load it when a prompt is asked for. A file that cannot be
 * read or understood is left out and reported; the others are served.
 */
export function readPrompts(
  folders: readonly string[],
  report: (file: string, error: CommerceError) => void,
): Prompt[] {
  const prompts = new Map<string, Prompt>();
  for (const folder of folders.filter((it) => existsSync(it)))
    for (const file of readdirSync(folder).sort()) {
      if (!file.endsWith('.md')) continue;
      try {
        const prompt = parsePrompt(file, readPlainFile(folder, file, mostBytes).text);
        if (!prompts.has(prompt.name)) prompts.set(prompt.name, prompt);
      } catch (cause) {
        const problem = `prompts/${file}: ${messageOf(cause)}`;
        report(file, new CommerceError('bad_config', problem, { cause }));
      }
    }
  return [...prompts.values()];
}

/**
 * One prompt from its file.
 *
 * @throws {Error} that says what is wrong with the file.
 */
export function parsePrompt(file: string, text: string): Prompt {
  const parts = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text);
  const [, matter = '', body = ''] = parts ?? [];
  if (parts === null) throw new Error('begins without front matter between two lines of ---');
  const read = frontMatter.safeParse(parse(matter));
  if (!read.success) throw new Error(`front matter: ${z.prettifyError(read.error)}`);
  const { title, description, arguments: taken } = read.data;
  const names = new Set(taken.map(({ name }) => name));
  for (const [, name = ''] of body.matchAll(placeholder))
    if (!names.has(name)) throw new Error(`{{${name}}} names no argument of the front matter`);
  return {
    name: file.replace(/\.md$/, ''),
    title,
    description,
    arguments: taken.map(({ default: standard, complete, ...rest }) => ({
      ...rest,
      standard,
      complete,
    })),
    body: body.trim(),
  };
}
