import { InputError } from '../../core/errors.ts';
import { quote } from '../../core/text.ts';

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
  /** What is used when the argument is left out. */
  standard: string;
  /** Which live names complete it, such as `shop`; or a fixed list of values. */
  complete: string | readonly string[] | undefined;
}

/**
 * The prompt with its arguments filled in.
 *
 * @throws {InputError} naming an argument that is missing or unknown.
 */
export function fillPrompt(prompt: Prompt, args: Readonly<Record<string, string>>): string {
  const names = prompt.arguments.map(({ name }) => name);
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new InputError(
      `${prompt.name} has no argument "${quote(unknown, 60)}". It takes: ${names.join(', ') || 'nothing'}.`,
    );
  const values = new Map<string, string>();
  for (const { name, required, standard, description } of prompt.arguments) {
    const value = args[name]?.trim() || standard;
    const wrong = value.length > maxValue ? `may have ${maxValue} characters at most.` : undefined;
    const missing = required && value === '' ? `is required: ${description}` : undefined;
    const problem = wrong ?? missing;
    if (problem !== undefined) throw new InputError(`${prompt.name}: ${name} ${problem}`);
    values.set(name, value);
  }
  return prompt.body.replace(placeholder, (_, name: string) => values.get(name) ?? '');
}

/** Longest value of an argument. */
const maxValue = 1000;

/** `{{name}}`, where the value of an argument goes. */
export const placeholder = /\{\{\s*([a-z][a-z0-9_]*)\s*\}\}/g;
