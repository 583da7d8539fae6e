import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CommerceError, InputError } from '../core/errors.ts';

/** A prompt of `prompts/`: a Markdown file whose front matter says what it is and takes. */
export interface Prompt {
  /** File name without `.md`. */
  name: string;
  title: string;
  description: string;
  arguments: readonly PromptArgument[];
  /** Markdown with `{{argument}}` where a value goes. */
  body: string;
}

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
  /** What stands in when the argument is left out. */
  standard: string;
  /** Which live names complete it, such as `shop`; or a fixed list of values. */
  complete: string | readonly string[] | undefined;
}

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

/**
 * Reads every prompt of a folder, in the order of their names. A file that cannot be read or
 * understood is left out and reported; the others are served.
 */
export async function readPrompts(
  folder: string,
  report: (file: string, error: CommerceError) => void,
): Promise<Prompt[]> {
  // Parsing YAML is the only thing this library is for, and most sessions ask for no prompt.
  const { parse } = await import('yaml');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .flatMap((file) => {
      try {
        return [parsePrompt(file, readFileSync(join(folder, file), 'utf8'), parse)];
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        report(file, new CommerceError('bad_config', `prompts/${file}: ${reason}`, { cause }));
        return [];
      }
    });
}

/**
 * One prompt from its file.
 *
 * @throws {Error} that says what is wrong with the file.
 */
export function parsePrompt(
  file: string,
  text: string,
  parseYaml: (yaml: string) => unknown,
): Prompt {
  const parts = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text);
  const [, matter = '', body = ''] = parts ?? [];
  if (parts === null) throw new Error('begins without front matter between two lines of ---');
  const read = frontMatter.safeParse(parseYaml(matter));
  if (!read.success) throw new Error(`front matter: ${z.prettifyError(read.error)}`);
  const { title, description, arguments: taken } = read.data;
  const names = new Set(taken.map(({ name }) => name));
  for (const [, name = ''] of body.matchAll(placeholder))
    if (!names.has(name)) throw new Error(`{{${name}}} stands for no argument of the front matter`);
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

/**
 * The prompt with its arguments filled in.
 *
 * @throws {InputError} naming an argument that is missing or unknown.
 */
export function fillPrompt(prompt: Prompt, given: Readonly<Record<string, string>>): string {
  const names = prompt.arguments.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new InputError(
      `${prompt.name} has no argument "${unknown}". It takes: ${names.join(', ') || 'nothing'}.`,
      unknown,
    );
  const values = new Map(
    prompt.arguments.map(({ name, required, standard, description }) => {
      const value = given[name]?.trim() || standard;
      if (required && value === '')
        throw new InputError(`${prompt.name}: ${name} is required: ${description}`, name);
      return [name, value];
    }),
  );
  return prompt.body.replace(placeholder, (_, name: string) => values.get(name) ?? '');
}

const placeholder = /\{\{\s*([a-z][a-z0-9_]*)\s*\}\}/g;
