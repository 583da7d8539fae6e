// What an installation brings: packages and megabytes, beside the previous SDK alone.
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../bundle.mjs';
import { installAside, npm } from '../install-aside.mjs';
import { count } from '../measure.mjs';

export async function install() {
  const packed = await mkdtemp(join(tmpdir(), 'commerce-mcp-pack-'));
  try {
    const { stdout } = await npm(['pack', '--json', '--pack-destination', packed], root);
    const [{ filename, unpackedSize }] = JSON.parse(stdout);
    const ours = await installed(join(packed, filename));
    const sdk = await installed('@modelcontextprotocol/sdk@1').catch(() => undefined);
    if (sdk === undefined) {
      console.error('install: the package registry cannot be reached; no baseline');
      return [];
    }
    const bundle = (await sizeOf(join(root, 'dist'))) / 1e6;
    return [
      count('packages installed', 'packages', ours.packages, sdk.packages, { atMost: 1 }),
      count('size installed', 'MB', ours.megabytes, sdk.megabytes, { atMost: 1 }),
      count('bundle, of the package', 'MB', bundle, unpackedSize / 1e6),
    ];
  } finally {
    await rm(packed, { recursive: true });
  }
}

async function installed(what) {
  const { folder, remove } = await installAside(what);
  try {
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
    const packages = Object.keys(lock.packages).filter((path) => path !== '').length;
    return { packages, megabytes: (await sizeOf(join(folder, 'node_modules'))) / 1e6 };
  } finally {
    await remove();
  }
}

async function sizeOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
