import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isThere, privateMode, writeAtOnce } from './file.ts';
import { inSettings, type Machine } from './machine.ts';

/** Where the secret of a key is kept: a file for each key, however many clients use it. */
export function secretFileOf(machine: Machine, clientId: string): string {
  return inSettings(machine, 'commerce-mcp', `${clientId.replaceAll(/[^\w.-]/g, '_')}.secret`);
}

/** Writes a secret so that only its owner reads it, on systems that know modes. */
export async function keepSecret(path: string, secret: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeAtOnce(path, `${secret}\n`, privateMode);
}

/** Takes a kept secret away, unless one of the texts still names its file. @returns whether it did */
export async function forgetSecret(path: string, stillRead: readonly string[]): Promise<boolean> {
  const named = [path, path.replaceAll('\\', '\\\\')];
  if (stillRead.some((text) => named.some((it) => text.includes(it)))) return false;
  if (!(await isThere(path))) return false;
  await rm(path);
  return true;
}

/** The files of kept secrets that a configuration names. */
export function secretFilesIn(text: string, machine: Machine): string[] {
  const folder = inSettings(machine, 'commerce-mcp');
  const plain = text.replaceAll('\\\\', '\\');
  return [...plain.matchAll(/[^"'\r\n]+\.secret/g)]
    .map(([path]) => path.slice(Math.max(0, path.indexOf(folder))))
    .filter((path, at, all) => path.startsWith(folder) && all.indexOf(path) === at);
}
