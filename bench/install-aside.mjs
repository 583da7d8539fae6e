import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs npm. */
export function npm(args, cwd) {
  return promisify(execFile)('npm', args, { cwd, shell: process.platform === 'win32' });
}

/**
 * Installs a package into a folder of its own.
 * @param {string} what a name with its version, or the path of a packed package
 * @throws where the registry cannot be reached
 */
export async function installAside(what) {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-install-'));
  const remove = () => rm(folder, { recursive: true });
  try {
    await npm(['install', '--no-audit', '--no-fund', '--prefix', folder, what], folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, remove };
}
