// A generic OpenAPI bridge as a peer: a tool for each operation of openapi.json, the answer as text.
// It is no dependency of this project: it is installed for as long as it is measured.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installAside } from './install-aside.mjs';

const name = '@ivotoby/openapi-mcp-server';

/**
 * Installs the bridge; undefined where the package registry cannot be reached.
 * @returns how to start it for a platform's settings over stdio, and how to be rid of it
 */
export async function installBridge() {
  const installed = await installAside(`${name}@1`).catch(() => undefined);
  if (installed === undefined) return undefined;
  const folder = join(installed.folder, 'node_modules', name);
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return {
    args: ({ COMMERCE_BASE_URL: url, BENCH_TOKEN: token }) => [
      join(folder, Object.values(bin)[0]),
      ...['--api-base-url', url, '--openapi-spec', `${url}/openapi.json`],
      ...['--headers', `authorization:Bearer ${token}`, '--verbose', 'false'],
    ],
    remove: installed.remove,
  };
}

/** The tool that it makes of an operation, such as `/api/order/{id}`. */
export function bridgeTool(path) {
  return `GET::${path
    .slice(1)
    .replaceAll('/', '__')
    .replace(/\{(\w+)\}/, '---$1')}`;
}
