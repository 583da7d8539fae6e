import type { NextCall } from '../../../analysis/answer.ts';
import type { JsonObject } from '../../../core/json.ts';
import { ownCommand } from '../../program.ts';

/** What is known about the rows that a terminal does not show. */
export interface Unshown {
  tool: string;
  /** The arguments of the call, as given. */
  input: JsonObject;
  /** Flags to repeat, such as `--sandbox`. */
  flags: readonly string[];
  /** Rows printed, rows that came, rows there are as far as is known. */
  shown: number;
  came: number;
  total: number;
  /** Whether the tool takes `start`. */
  isPaged: boolean;
  isComplete: boolean;
  next?: NextCall | undefined;
}

/** How many rows are shown, and the command that gets the others; undefined when there are none. */
export function sayRest(unshown: Unshown): string | undefined {
  const { shown, came, total, isComplete, isPaged, tool, input, next } = unshown;
  if (shown === came && isComplete) return undefined;
  const all = total > shown ? ` of ${total.toLocaleString('en-US')}` : '';
  const shownPhrase = `Shown: ${shown.toLocaleString('en-US')}${all} rows.`;
  const { all: _, ...same } = input;
  if (isPaged) {
    const start = Number(input.start ?? 0) + shown;
    return `${shownPhrase} The next: ${commandLine(unshown, { ...same, start })}`;
  }
  if (next?.tool !== tool) return `${shownPhrase} All of them: add --csv`;
  return shown < came
    ? `${shownPhrase} The ${came.toLocaleString('en-US')} that came: add --csv`
    : `${shownPhrase} The next: ${commandLine(unshown, next.arguments)}`;
}

function commandLine({ tool, flags }: Unshown, input: JsonObject): string {
  const pairs = Object.entries(input).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return quoted(`${key}=${text}`);
  });
  return [ownCommand(), 'call', tool, ...pairs, ...flags].join(' ');
}

/** As a POSIX shell takes it back. */
function quoted(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
