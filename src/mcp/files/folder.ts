/** The folder of files for a person, and writing files into it. */
import { statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { extname, join } from 'node:path';
import { CommerceError, messageOf } from '../../core/errors.ts';
import { readPlainText } from '../../core/files.ts';
import { messagesOf } from '../../core/message.ts';

export const folderMessages = messagesOf({
  no_download_folder: ({ home }: { home: string }) =>
    `There is no download folder in ${home}. Set COMMERCE_FILES_DIR (in a form: Folder for files) to a folder for files, and restart this server.`,
  file_not_written: ({ folder, reason }: { folder: string; reason: string }) =>
    `No file can be written to ${folder}: ${reason}. Name another folder in COMMERCE_FILES_DIR (in a form: Folder for files), and restart this server.`,
});

const machine = { platform: process.platform, env: process.env, home: homedir() };

/** The download folder of the person; on Linux `xdg-user-dirs` may name it. @throws {CommerceError} if there is none */
export function downloadFolder({ platform, env, home } = machine): string {
  const folders = [
    ...(platform === 'linux' ? listedFolder(env.XDG_CONFIG_HOME || join(home, '.config')) : []),
    'Downloads',
  ].map((path) => (path.startsWith('/') ? path : join(home, path)));
  const folder = folders.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
  if (folder !== undefined) return folder;
  throw new CommerceError('bad_config', folderMessages.no_download_folder({ home }));
}

/**
 * The download folder in the list of `xdg-user-dirs`. A relative path is below the home; the home itself does not
 * count.
 */
function listedFolder(configuration: string): string[] {
  try {
    const text = readPlainText(join(configuration, 'user-dirs.dirs'), 100_000);
    const [, path = ''] = /^\s*XDG_DOWNLOAD_DIR="(?:\$HOME\/)?(.*)"/m.exec(text) ?? [];
    return path === '' ? [] : [path.replace(/\\(.)/g, '$1')];
  } catch {
    return [];
  }
}

/**
 * Writes a file that only its owner may read, under a name that is free: `orders-2.xlsx`. Leaves no part of it behind.
 * @param folder made where it is missing
 * @returns its path
 * @throws {CommerceError} that names the folder
 */
export async function saveFile(folder: string, name: string, bytes: Buffer): Promise<string> {
  const extension = extname(name);
  const stem = name.slice(0, -extension.length);
  try {
    await mkdir(folder, { recursive: true });
    for (let count = 1; ; count += 1) {
      const counted = count === 1 ? '' : `-${count}`;
      const path = join(folder, `${stem}${counted}${extension}`);
      if (await writeNewFile(path, bytes)) return path;
    }
  } catch (error) {
    const [reason = ''] = messageOf(error).split(',', 1);
    const message = folderMessages.file_not_written({ folder, reason });
    throw new CommerceError('bad_config', message, { cause: error });
  }
}

/** @returns false where another file has the name */
async function writeNewFile(path: string, bytes: Buffer): Promise<boolean> {
  try {
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (Object(error).code === 'EEXIST') return false;
    // A full disk leaves a part of it.
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}
