import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommerceError } from '../../../core/errors.ts';
import { UsageError } from '../../command-line.ts';
import { type AskPerson, agrees } from '../../terminal/ask.ts';
import { paint, say } from '../../terminal/text.ts';
import { writeWhole } from '../../write-whole.ts';
import { inSettings, type Machine } from './clients.ts';
import { BrokenFileError } from './configuration.ts';

/** Read and written by its owner alone. */
const privateMode = 0o600;

/** The text of a file; undefined where there is none. */
export async function readTextFile(path: string): Promise<string | undefined> {
  return fs.readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** A change of a configuration. */
interface Change {
  /** The text afterwards. @throws {BrokenFileError} */
  change(text: string): string;
  /** The lines that go (`- `) or come (`+ `), for the person who agrees. */
  shown: string;
  /** Done once the change is agreed to, and before it is made. */
  prepare?: () => Promise<void>;
  /** Undefined where no person can be asked. */
  ask: AskPerson | 'agreed' | undefined;
  /** Whether only the owner may read the file from now on. */
  isPrivate?: boolean;
}

/** How a change went. */
export type Outcome = 'same' | 'declined' | 'written';

/**
 * Shows a change of a configuration, asks, and writes it. A link stays a link, the mode of the file stays,
 * and its old text goes into a copy in the same folder.
 *
 * @throws {CommerceError} for a file that cannot be changed; it is left as it was
 */
export async function changeFile(path: string, given: Change): Promise<Outcome> {
  const { change, shown, prepare, ask, isPrivate = false } = given;
  const before = await readTextFile(path);
  const after = changeText(path, before ?? '', change);
  if (after === (before ?? '')) {
    await prepare?.();
    return 'same';
  }
  say(`${path}${before === undefined ? ' (a new file)' : ''}`);
  const style = shown.startsWith('-') ? 'red' : 'green';
  console.error(paint(style, coverSecrets(shown).trimEnd(), process.stderr));
  if (ask === undefined)
    throw new UsageError(
      'no person is here to agree to this change: add --yes, or --print to only see the entry',
    );
  if (ask !== 'agreed' && !(await agrees(ask, 'Write this?'))) return 'declined';
  await prepare?.();
  await fs.mkdir(dirname(path), { recursive: true });
  if ((await readTextFile(path)) !== before)
    throw leftAlone(path, 'another program has changed it meanwhile. Run this again');
  if (before !== undefined) {
    const stamp = new Date().toISOString().replaceAll(/[-:.Z]/g, '');
    const copy = `${await fs.realpath(path)}.${stamp}.bak`;
    await fs.copyFile(path, copy, constants.COPYFILE_EXCL);
    say(`As it was: ${copy}`);
  }
  await writeWhole(path, after, before === undefined || isPrivate ? privateMode : undefined);
  return 'written';
}

function changeText(path: string, text: string, change: (text: string) => string): string {
  try {
    return change(text);
  } catch (error) {
    if (!(error instanceof BrokenFileError)) throw error;
    const advice = 'Put it right, or add the entry that --print shows by hand';
    throw leftAlone(path, `${error.message}. ${advice}`);
  }
}

function leftAlone(path: string, reason: string): CommerceError {
  return new CommerceError('bad_config', `${path} was left as it is: ${reason}.`);
}

/** Values of names that speak of secrets are covered; references and paths of files are not. */
function coverSecrets(text: string): string {
  return text.replace(
    /("[^"]*(?:secret|token|password|authorization|api_?key)[^"]*(?<!_FILE)": )"(?!(?:Bearer )?\$)[^"]*"/gi,
    '$1"…"',
  );
}

/** Where the secret of a key is kept: one file for each key, shared by its clients. */
export function secretFileOf(machine: Machine, clientId: string): string {
  return inSettings(machine, 'commerce-mcp', `${clientId.replaceAll(/[^\w.-]/g, '_')}.secret`);
}

/**
 * Keeps a secret in a file and a folder that only its owner reads.
 *
 * @throws {CommerceError} for a folder that is a link or belongs to another user
 */
export async function keepSecret(path: string, secret: string): Promise<void> {
  const folder = dirname(path);
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await fs.lstat(folder);
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid()))
    throw new CommerceError(
      'bad_config',
      `${folder} is a link or belongs to another user, who could read or replace a secret in it. Remove it and run this again.`,
    );
  if ((found.mode & 0o077) !== 0) await fs.chmod(folder, 0o700);
  await writeWhole(path, `${secret}\n`, privateMode);
}

/** Deletes a kept secret; a file outside the folder for secrets never. @returns whether it was deleted */
export async function forgetSecret(machine: Machine, path: string): Promise<boolean> {
  const isKept = path === join(inSettings(machine, 'commerce-mcp'), basename(path));
  if (!isKept || !path.endsWith('.secret')) return false;
  await fs.rm(path, { force: true });
  return true;
}
