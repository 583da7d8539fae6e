// Figures of the process of a server, from outside or, imported with `--import`, from within.
import { execFile } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const { BENCH_FIGURES_FILE: file } = process.env;
if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  process.on('SIGUSR2', () => {
    const figures = { longestMs: delay.max / 1e6, p99Ms: delay.percentile(99) / 1e6 };
    // The second collection frees objects that the first one finalizes.
    for (let collection = 0; collection < 2; collection++) globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    const memory = { liveMb: (heapUsed + external) / 2 ** 20, residentMb: rss / 2 ** 20 };
    writeFileSync(`${file}.new`, JSON.stringify({ ...figures, ...memory }));
    renameSync(`${file}.new`, file);
    delay.reset();
  });
}

/**
 * Starts a server that tells its figures.
 * @param {(args: string[], settings: Record<string, string>) => Server | Promise<Server>} open
 * @param {string[]} args of node, those of its garbage collection among them
 */
export async function openWatched(open, args, settings) {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-bench-'));
  const file = join(folder, 'figures.json');
  const own = ['--import', fileURLToPath(import.meta.url)];
  const server = await open([...own, ...args], { ...settings, BENCH_FIGURES_FILE: file });
  return {
    ...server,
    /** Longest delay of the event loop since the last call, and memory in use. */
    async figures() {
      await rm(file, { force: true });
      process.kill(server.pid, 'SIGUSR2');
      for (;;) {
        await sleep(20);
        const text = await readFile(file, 'utf8').catch(() => undefined);
        if (text !== undefined) return JSON.parse(text);
      }
    },
    async close() {
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** CPU milliseconds of all threads of a process; NaN where the system does not tell. */
export async function cpuTimeOf(pid) {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  const spent = threads.map(async (thread) =>
    Number.parseInt(await readFile(`${folder}/${thread}/schedstat`, 'utf8'), 10),
  );
  const all = await Promise.all(spent).catch(() => []);
  return all.length === 0 ? Number.NaN : all.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

/** Peak resident memory of a server and of its engine processes, until `end`. */
export function watchMemory(pid) {
  const peak = { serverMb: 0, engineMb: 0 };
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,rss=']);
      const all = stdout
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/\s+/).map(Number));
      const engines = all.filter(([, parent]) => parent === pid);
      const [, , server = 0] = all.find(([own]) => own === pid) ?? [];
      const engineMb = engines.reduce((sum, [, , rss]) => sum + rss, 0) / 1024;
      peak.serverMb = Math.max(peak.serverMb, server / 1024);
      peak.engineMb = Math.max(peak.engineMb, engineMb);
      // Each look starts a process, so looks are rare.
      await sleep(250);
    }
  })();
  return {
    async end() {
      isOver = true;
      await watching;
      return peak;
    },
  };
}
