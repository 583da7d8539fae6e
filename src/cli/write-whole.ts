import { randomUUID } from 'node:crypto';
import { chmod, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { messageOf } from '../core/errors.ts';
import { CommandError } from './command-line.ts';
import { usageMessages } from './messages.ts';

/**
 * Writes a draft beside the target and renames it, so that no reader sees half a file. A link stays a link; without
 * `mode` a replaced file keeps its own.
 * @throws {CommandError} that names the target, also if it is not a file
 */
export async function writeWhole(
  target: string,
  content: string | Buffer,
  mode?: number,
): Promise<void> {
  const path = await realpath(target).catch(() => target);
  const present = await stat(path).catch(() => undefined);
  if (present && !present.isFile())
    throw new CommandError(usageMessages.not_a_file({ path: target }));
  const finalMode = mode ?? (present && present.mode & 0o777);
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, content, {
      flag: 'wx',
      ...(finalMode !== undefined && { mode: finalMode }),
    });
    // The umask may have removed bits.
    if (finalMode !== undefined) await chmod(draft, finalMode);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    const [reason = ''] = messageOf(error).split(',', 1);
    throw new CommandError(usageMessages.not_written({ path: target, reason }), { cause: error });
  }
}
