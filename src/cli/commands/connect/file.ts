import * as fs from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { JsonObject } from '../../../core/json.ts';
import { writeWhole } from '../../write-whole.ts';
import { type ClientDefinition, fileOf } from './clients.ts';
import { readServers } from './configuration.ts';

/** The text of a file without a byte-order mark; empty where there is none. */
export async function readTextFile(path: string): Promise<string> {
  const text = await fs.readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.replace(/^\ufeff/, '');
}

/** The servers of a client by name. @throws {Error} for a configuration that cannot be read or changed */
export async function serversOf(client: ClientDefinition): Promise<JsonObject> {
  const path = fileOf(client);
  const text = await readTextFile(path);
  try {
    return readServers(client, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const advice = 'Put it right, or add the entry that --print shows by hand';
    throw new Error(`${path} was left as it is: ${reason}. ${advice}.`, { cause: error });
  }
}

/**
 * Changes a configuration as it is now: its client may have written it meanwhile. A link stays a link, the
 * mode of the file stays unless it becomes private, and its old text goes into a copy beside it (`.bak`).
 */
export async function changeFile(
  path: string,
  change: (text: string) => string,
  isPrivate = false,
): Promise<void> {
  await fs.mkdir(dirname(path), { recursive: true });
  const before = await readTextFile(path);
  if (before !== '') await fs.copyFile(path, `${path}.bak`);
  await writeWhole(path, change(before), before === '' || isPrivate ? 0o600 : undefined);
}

/** Where the secret of a key is kept: one file for each key, shared by its clients. */
export function secretFileOf(clientId: string): string {
  return keptFile(`${clientId.replaceAll(/[^\w.-]/g, '_')}.secret`);
}

function keptFile(name: string): string {
  return fileOf({ file: `{settings}/commerce-mcp/${name}` });
}

/**
 * Keeps a secret in a file and a folder that only its owner reads.
 *
 * @throws {Error} for a folder that is a link or belongs to another user
 */
export async function keepSecret(path: string, secret: string): Promise<void> {
  const folder = dirname(path);
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await fs.lstat(folder);
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid()))
    throw new Error(
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
