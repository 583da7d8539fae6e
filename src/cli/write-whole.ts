import { randomUUID } from 'node:crypto';
import { chmod, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf } from '../core/errors.ts';
import { CommandError } from './command-line.ts';
import { usageMessages } from './messages.ts';

/** A text, or what writes a file to the path that it is given. */
type Content = string | ((draft: string) => Promise<void>);

/**
 * Writes a whole file: next to its place first and moved there, so that no reader sees half of it. A link
 * stays a link; without a mode, a file that is replaced keeps its own.
 *
 * @throws {CommandError} that names the target, also where something else than a file is there
 */
export async function writeWhole(target: string, content: Content, mode?: number): Promise<void> {
  const path = await fileBehind(target);
  const present = await stat(path).catch(() => undefined);
  if (present && !present.isFile())
    throw new CommandError(usageMessages.not_a_file({ path: target }));
  const finalMode = mode ?? (present && present.mode & 0o777);
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    const text = typeof content === 'string' ? content : '';
    await writeFile(draft, text, {
      flag: 'wx',
      ...(finalMode !== undefined && { mode: finalMode }),
    });
    if (typeof content !== 'string') await content(draft);
    // The mask of the process may have taken bits away that the file had.
    if (finalMode !== undefined) await chmod(draft, finalMode);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    const [reason = ''] = messageOf(error).split(',', 1);
    throw new CommandError(usageMessages.not_written({ path: target, reason }), { cause: error });
  }
}

/** The file that a path leads to, which may not be there yet, even behind a link. */
async function fileBehind(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const link = Object(error).code === 'ENOENT' && (await readlink(path).catch(() => undefined));
    return link ? fileBehind(resolve(await realpath(dirname(path)), link)) : path;
  }
}
