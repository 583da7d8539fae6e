import { CommerceError } from '../../../core/errors.ts';
import { UsageError } from '../../command-line.ts';
import { type AskPerson, agrees } from '../../terminal/ask.ts';
import { paint } from '../../terminal/paint.ts';
import { wrap } from '../../terminal/wrap.ts';
import type { ClientDefinition } from './clients.ts';
import { BrokenFileError } from './configuration.ts';
import { thisMachine } from './entries.ts';
import { readTextFile, replaceText } from './file.ts';

/** A change of a JSON configuration, and who agrees to it. */
interface Change {
  /** The text afterwards. @throws {BrokenFileError} */
  change(text: string): string;
  /** Lines of the entry that go (`- `) or come (`+ `), for the person who agrees. */
  shown: string;
  /** Done once the change is agreed to, and before it is made. */
  prepare?: () => Promise<void>;
  ask: AskPerson | undefined;
  isAgreed: boolean;
  /** Whether the text holds a secret afterwards. */
  isPrivate?: boolean | undefined;
}

/** How a change went. */
export type Outcome = 'same' | 'declined' | 'written';

/**
 * Shows a change of a configuration, asks, keeps a copy of the file and writes it.
 *
 * @throws {CommerceError} for a file that cannot be changed; it is left as it was
 */
export async function writeChange(client: ClientDefinition, given: Change): Promise<Outcome> {
  const { change, shown, prepare, ask, isAgreed, isPrivate } = given;
  const path = client.file(thisMachine());
  const before = await readTextFile(path);
  const after = changeText(path, before ?? '', change);
  if (after === (before ?? '')) {
    await prepare?.();
    return 'same';
  }
  say(`${path}${before === undefined ? ' (a new file)' : ''}`);
  for (const line of coverSecrets(shown).trimEnd().split('\n'))
    console.error(paint(line.startsWith('-') ? 'red' : 'green', `  ${line}`, process.stderr));
  if (!isAgreed && ask === undefined)
    throw new UsageError(
      'no person is here to agree to this change: add --yes, or --print to only see the entry',
    );
  if (!isAgreed && ask && !(await agrees(ask, 'Write this?'))) return 'declined';
  await prepare?.();
  const copy = await replaceText(path, before, after, isPrivate ? 0o600 : undefined);
  if (copy !== undefined) say(`As it was: ${copy}`);
  return 'written';
}

/** A sentence for a person, on stderr. */
export function say(sentence: string): void {
  console.error(wrap(sentence, process.stderr.columns).join('\n'));
}

function changeText(path: string, text: string, change: (text: string) => string): string {
  try {
    return change(text);
  } catch (error) {
    if (!(error instanceof BrokenFileError)) throw error;
    const advice = 'Put it right, or add the entry that --print shows by hand.';
    throw new CommerceError(
      'bad_config',
      `${path} was left as it is: ${error.message}. ${advice}`,
      { cause: error },
    );
  }
}

/** Values of names that speak of secrets are covered; references and paths of files are not. */
function coverSecrets(text: string): string {
  return text.replace(
    /("[^"]*(?:secret|token|password|authorization|api_?key)[^"]*(?<!_FILE)": )"(?!(?:Bearer )?\$)[^"]*"/gi,
    '$1"…"',
  );
}
