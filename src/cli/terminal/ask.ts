import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { CommerceError } from '../../core/errors.ts';

/** Asks a person for a line; what is hidden is not shown while it is typed. */
export type AskPerson = (question: string, options?: { isHidden?: boolean }) => Promise<string>;

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
  return (question, { isHidden = false } = {}) =>
    new Promise((resolve, reject) => {
      output.write(question);
      // The line editor echoes what is typed to its output: that of a secret goes nowhere.
      const echo = new Writable({
        write(chunk, encoding, done) {
          if (!isHidden) output.write(chunk, encoding);
          done();
        },
      });
      const lines = createInterface({ input, output: echo, terminal: true, historySize: 0 });
      let answer: string | undefined;
      lines.once('line', (line) => {
        answer = line.trim();
        lines.close();
      });
      lines.once('SIGINT', () => lines.close());
      lines.once('close', () => {
        if (isHidden || answer === undefined) output.write('\n');
        if (answer !== undefined) resolve(answer);
        else reject(new CommerceError('cancelled', 'stopped; nothing was written'));
      });
    });
}
