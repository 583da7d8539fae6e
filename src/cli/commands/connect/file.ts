import { constants, existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import { CommerceError } from '../../../core/errors.ts';
import { UsageError } from '../../command-line.ts';
import { type AskPerson, agrees } from '../../terminal/ask.ts';
import { paint, say } from '../../terminal/text.ts';
import { writeWhole } from '../../write-whole.ts';
import { fileOf, type Machine } from './clients.ts';

/** The computer that this runs on. */
export function thisMachine(): Machine {
  return { platform: process.platform, env: process.env, home: homedir() };
}

/** The text of a file; undefined where there is none. */
export async function readTextFile(path: string): Promise<string | undefined> {
  return fs.readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Shows the lines of an entry that come (`+`) or go (`-`), and asks; without `ask` a person has agreed before. */
export async function agreesTo(
  path: string,
  sign: '+' | '-',
  text: string,
  ask: AskPerson | undefined,
  isAgreed: boolean,
): Promise<boolean> {
  // Values of names that speak of secrets are covered; references and paths of files are not.
  const shown = text.replace(
    /("[^"]*(?:secret|token|password|authorization|api_?key)[^"]*(?<!_FILE)": )"(?!(?:Bearer )?\$)[^"]*"/gi,
    '$1"…"',
  );
  say(`${path}${existsSync(path) ? '' : ' (a new file)'}`);
  const lines = shown.trimEnd().replaceAll(/^/gm, `${sign} `);
  console.error(paint(sign === '+' ? 'green' : 'red', lines, process.stderr));
  if (isAgreed) return true;
  if (ask) return agrees(ask, 'Write this?');
  throw new UsageError(
    'no person is here to agree to this change: add --yes, or --print to only see the entry',
  );
}

/**
 * Changes a configuration as it is now: its client may have written it meanwhile. A link stays a link, the
 * mode of the file stays unless it becomes private, and its old text goes into a copy in the same folder.
 */
export async function changeFile(
  path: string,
  change: (text: string) => string,
  isPrivate = false,
): Promise<void> {
  await fs.mkdir(dirname(path), { recursive: true });
  const before = await readTextFile(path);
  if (before !== undefined) {
    const stamp = new Date().toISOString().replaceAll(/[-:.Z]/g, '');
    const copy = `${await fs.realpath(path)}.${stamp}.bak`;
    await fs.copyFile(path, copy, constants.COPYFILE_EXCL);
    say(`As it was: ${copy}`);
  }
  const mode = before === undefined || isPrivate ? 0o600 : undefined;
  await writeWhole(path, change(before ?? ''), mode);
}

/** Where the secret of a key is kept: one file for each key, shared by its clients. */
export function secretFileOf(clientId: string): string {
  return keptFile(`${clientId.replaceAll(/[^\w.-]/g, '_')}.secret`);
}

function keptFile(name: string): string {
  return fileOf({ file: `{settings}/commerce-mcp/${name}` }, thisMachine());
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
  await fs.chmod(folder, 0o700);
  await writeWhole(path, `${secret}\n`, 0o600);
}

/** Deletes a kept secret; a file outside the folder for secrets never. @returns whether it was deleted */
export async function forgetSecret(path: string): Promise<boolean> {
  const isKept = path === keptFile(basename(path)) && path.endsWith('.secret');
  if (isKept) await fs.rm(path, { force: true });
  return isKept;
}
