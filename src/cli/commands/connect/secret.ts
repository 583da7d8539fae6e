import * as fs from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { writeWhole } from '../../write-whole.ts';
import { fileOf } from './clients.ts';

/** The variable of the client secret. */
export const secretVariable = 'COMMERCE_CLIENT_SECRET';

/** The variable of an entry that names the file of its secret. */
export const secretFileVariable = 'COMMERCE_CLIENT_SECRET_FILE';

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
