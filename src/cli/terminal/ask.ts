import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { personReader, type Said } from './catalogue/catalogue.ts';
import { CommandError } from './command-error.ts';

/** Asks a person for a line; what is hidden is not shown while it is typed. */
export type AskPerson = (question: Said, options?: { isHidden?: boolean }) => Promise<string>;

/** A terminal to type at and one to read. */
export interface Console {
  input: Readable & { isTTY?: boolean };
  output: Writable & { isTTY?: boolean };
}

/** A way to ask the person at the terminal, where logs go; undefined where no person sits at one. */
export function openAsk(
  { input, output }: Console = { input: process.stdin, output: process.stderr },
): AskPerson | undefined {
  if (!input.isTTY || !output.isTTY) return undefined;
  return async (question, { isHidden = false } = {}) => {
    output.write(personReader().say(question));
    // The line editor echoes what is typed to its output: that of a secret goes nowhere.
    const echo = new Writable({
      write(chunk, encoding, done) {
        if (!isHidden) output.write(chunk, encoding);
        done();
      },
    });
    const lines = createInterface({ input, output: echo, terminal: true, historySize: 0 });
    const closed = once(lines, 'close').then((): string[] => []);
    const [line] = await Promise.race([once(lines, 'line'), closed]);
    lines.close();
    if (isHidden || line === undefined) output.write('\n');
    if (line === undefined) throw new CommandError({ code: 'stopped' });
    return line.trim();
  };
}
