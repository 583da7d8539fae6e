// A generic OpenAPI bridge as the peer: a tool for each operation of openapi.json, the answer as text.
// It is no dependency of this project: it is installed for as long as it is measured.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const name = '@ivotoby/openapi-mcp-server';

/** Installs the bridge into a folder of its own; undefined where the package registry cannot be reached. */
export async function installBridge() {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-bench-'));
  const remove = () => rm(folder, { recursive: true });
  const flags = ['--no-audit', '--no-fund', '--prefix', folder];
  try {
    await promisify(execFile)('npm', ['install', ...flags, `${name}@1`], { cwd: folder });
  } catch {
    await remove();
    return undefined;
  }
  const place = join(folder, 'node_modules', name);
  const { bin } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
  return {
    remove,
    /** How it is started for a platform's settings over stdio. */
    args: ({ COMMERCE_BASE_URL: url, BENCH_TOKEN: token }) => [
      join(place, Object.values(bin)[0]),
      ...['--api-base-url', url, '--openapi-spec', `${url}/openapi.json`],
      ...['--headers', `authorization:Bearer ${token}`, '--verbose', 'false'],
    ],
  };
}

/** The tool that it makes of an operation, such as `/api/order/{id}`. */
export function bridgeTool(path) {
  const words = path.slice(1).replaceAll('/', '__');
  return `GET::${words.replace(/\{(\w+)\}/, '---$1')}`;
}
