import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const watched = fileURLToPath(new URL('watched.mjs', import.meta.url));

/**
 * Starts a server whose `figures()` are its memory and the delays of its event loop since the last call.
 * @param open `openStdio` or `openHttp`
 */
export async function openWatched(open, args, settings) {
  const server = await open(['--import', watched, ...args], settings);
  return {
    ...server,
    async figures() {
      server.child.send('figures');
      const [figures] = await once(server.child, 'message');
      return figures;
    },
  };
}

/** CPU milliseconds of all threads of a process; NaN where the system does not tell. */
export async function cpuTimeOf(pid) {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  const files = threads.map((thread) => readFile(`${folder}/${thread}/schedstat`, 'utf8'));
  const spent = (await Promise.all(files).catch(() => [])).map((text) => Number.parseInt(text, 10));
  return spent.length === 0 ? Number.NaN : spent.reduce((sum, ns) => sum + ns) / 1e6;
}
