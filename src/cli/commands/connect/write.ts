import { CommerceError } from '../../../core/errors.ts';
import { UsageError } from '../../command-line.ts';
import { type AskPerson, agrees } from '../../terminal/ask.ts';
import { paint } from '../../terminal/paint.ts';
import type { ClientDefinition } from './client.ts';
import { readTextFile, replaceText } from './file.ts';
import { BrokenFileError } from './formats/format.ts';
import type { Machine } from './machine.ts';
import { changedLines } from './preview.ts';

/** A change of a client's configuration, and who is asked before it is made. */
export interface Change {
  client: ClientDefinition;
  machine: Machine;
  /** The text of the configuration afterwards. @throws {BrokenFileError} */
  change: (text: string) => string;
  /** Does what has to be done before, once the change is wanted. */
  before?: () => Promise<void>;
  ask: AskPerson | undefined;
  isAgreed: boolean;
}

/**
 * Shows a change of a configuration, asks, keeps a copy and writes it.
 *
 * @returns how it went: nothing to change, not wanted, or written.
 * @throws {CommerceError} for a file that cannot be changed; it is left as it was.
 */
export async function writeChange(given: Change): Promise<'same' | 'declined' | 'written'> {
  const { client, machine, change, before: prepare, ask, isAgreed } = given;
  const path = client.file(machine);
  const before = await readTextFile(path);
  const after = changeText(path, before ?? '', change);
  if (after === (before ?? '')) {
    await prepare?.();
    return 'same';
  }
  say(`${path}${before === undefined ? ' (a new file)' : ''}`);
  for (const line of changedLines(before ?? '', after))
    say(`  ${paint(line.startsWith('-') ? 'red' : 'green', line, process.stderr)}`);
  if (!isAgreed) {
    if (ask === undefined)
      throw new UsageError(
        'nobody is there to agree to this change: add --yes, or --print to only see it',
      );
    if (!(await agrees(ask, 'Write this?'))) return 'declined';
  }
  await prepare?.();
  const copy = await replaceText(path, { before, after, now: new Date() });
  if (copy !== undefined) say(`As it was: ${copy}`);
  return 'written';
}

function changeText(path: string, text: string, change: (text: string) => string): string {
  try {
    return change(text);
  } catch (error) {
    if (!(error instanceof BrokenFileError)) throw error;
    throw new CommerceError(
      'bad_config',
      `${path} was left as it is: ${error.message}. Put it right, or add the entry that --print shows by hand.`,
      { cause: error },
    );
  }
}

function say(line: string): void {
  console.error(line);
}
