import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds on a processor of all threads of a process so far; NaN where the system does not tell. */
export async function cpuTimeOf(pid) {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  const spent = threads.map(async (thread) =>
    Number.parseInt(await readFile(`${folder}/${thread}/schedstat`, 'utf8'), 10),
  );
  const all = await Promise.all(spent).catch(() => []);
  return all.length === 0 ? Number.NaN : all.reduce((sum, ns) => sum + ns, 0) / 1e6;
}
