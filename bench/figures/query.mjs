// SQL over the tools: what the engine's start costs, what a statement over a long list costs beyond
// reading it, and what either does to the server. Each run has a server of its own.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { load, root } from '../bundle.mjs';
import { daysOver as range } from '../days-over.mjs';
import { openStdio } from '../line-client.mjs';
import { alternate, compare } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { ours } from '../servers.mjs';

const run = promisify(execFile);
const rounds = 5;
const rows = 50_000;
const latencyMs = 50;

/** Goal of a second statement over rows that are here. */
const secondMs = 400;

export async function query() {
  const platform = await openPlatform({ remember: true, latencyMs, ordersPerDay: 2000 });
  try {
    const starts = await alternate(rounds, {
      ours: () => withServer(platform, (server) => timed(() => first(server))),
      baseline: () => withServer(platform, (server) => timed(() => server.call('get_me', {}))),
    });
    const long = await alternate(rounds, {
      ours: () => withServer(platform, (server) => statements(server)),
      baseline: () => drained(platform),
    });
    const tool = await alternate(rounds, {
      ours: () => withServer(platform, (server) => statements(server)),
      baseline: () => withServer(platform, (server) => listed(server)),
    });
    const of = (samples, key) => ({
      ours: samples.ours.map((it) => it[key]),
      baseline: samples.baseline.map((it) => it[key]),
    });
    const alone = (key) => long.ours.concat(tool.ours).map((it) => it[key]);
    const against = (samples, value) => ({ ours: samples, baseline: samples.map(() => value) });
    return [
      compare('first statement, engine start included; get_me', 'ms', starts),
      compare('50,000 orders grouped; drained alone', 'ms', of(long, 'wallMs'), { atMost: 1.5 }),
      compare('50,000 orders grouped; list_orders with all', 'ms', of(tool, 'wallMs')),
      compare('second statement over them', 'ms', against(alone('secondMs'), secondMs), {
        atMost: 1,
      }),
      compare('server memory; list_orders with all', 'MB', of(tool, 'serverMb')),
      compare('engine memory; of the server', 'MB', {
        ours: alone('engineMb'),
        baseline: alone('serverMb'),
      }),
      compare('longest hold-up of the server; with all', 'ms', of(tool, 'longestMs')),
      compare('hold-up by a second statement; 20 ms', 'ms', against(alone('secondHeldMs'), 20)),
      ...(await withAndWithoutHints()),
    ];
  } finally {
    await platform.close();
  }
}

const shapes = {
  'grouped, nothing to say': 'SELECT shop_id, count(*), sum(total_wt) FROM o GROUP BY ALL',
  'a bare day': "SELECT count(*) FROM o WHERE date_created <= '2026-11-09'",
  'NOT IN with NULL':
    'SELECT count(*) FROM o WHERE id NOT IN (SELECT relation_data_id FROM o WHERE shop_id = 3)',
  'three at once':
    "SELECT time_bucket('1 day', date_created), count(*) FROM o WHERE status = 'Complete' OR date_created > '2026-11-09' GROUP BY ALL",
};

/** Statements over orders that are there already, with the look for what may mislead and without it. */
async function withAndWithoutHints() {
  const { QueryEngine } = await load('src/query/engine.ts');
  const engine = new QueryEngine({ entry: join(root, 'dist/query-engine.js') });
  const orders = Array.from({ length: rows }, (_, id) => ({
    id,
    shop_id: id % 7,
    status: ['complete', 'processing'][id % 2],
    relation_data_id: id % 5 === 0 ? null : id % 900,
    total_wt: (id % 9000) / 100,
    date_created: new Date(Date.UTC(2026, 10, 1, 0, id % 20_000)).toISOString(),
  }));
  const { signal } = new AbortController();
  const provider = {
    tables: new Map([['o', { kind: 'calls', arguments: [] }]]),
    nowMs: Date.now(),
    load: async (calls) => calls.map(() => orders),
  };
  const figures = [];
  for (const [name, sql] of Object.entries(shapes)) {
    const samples = { ours: [], baseline: [] };
    for (let round = 0; round < rounds; round++) {
      const statement = { sql, caller: 'bench', provider, maxRows: 1000, signal };
      const startedMs = performance.now();
      const { hintsMs } = await engine.run(statement);
      const wallMs = performance.now() - startedMs;
      samples.ours.push(wallMs);
      samples.baseline.push(wallMs - hintsMs);
    }
    figures.push(compare(`hints, ${name}; without`, 'ms', samples, { atMost: 1.15 }));
  }
  await engine.close();
  return figures;
}

const first = (server) => server.call('query', { sql: 'SELECT 1 AS one' });

/** The first statement over a long list, and one over the same rows. */
async function statements(server) {
  await first(server);
  await server.held();
  const orders = `list_orders("from" := '${range.from}', "to" := '${range.to}')`;
  const grouped = `SELECT shop_id, count(*) AS orders, sum(total_wt) AS total FROM ${orders} GROUP BY ALL`;
  const memory = server.watchMemory();
  const wallMs = await timed(async () => {
    const { structuredContent } = await server.call('query', { sql: grouped });
    const read = structuredContent.data.reduce((sum, row) => sum + row.orders, 0);
    if (read !== rows) throw new Error(`the statement read ${read} rows of ${rows}`);
  });
  const { longestMs } = await server.held();
  const sql = `SELECT hour(date_created) AS hour, median(total_wt) AS middle FROM ${orders} GROUP BY ALL`;
  const secondMs = await timed(() => server.call('query', { sql }));
  const { longestMs: secondHeldMs } = await server.held();
  return { wallMs, secondMs, longestMs, secondHeldMs, ...(await memory.end()) };
}

/** The same rows by the tool that lists them. */
async function listed(server) {
  await server.call('get_me', {});
  await server.held();
  const memory = server.watchMemory();
  const wallMs = await timed(() => server.call('list_orders', { ...range, all: true }));
  const { longestMs } = await server.held();
  return { wallMs, longestMs, ...(await memory.end()) };
}

/** The client's drain of the same rows, in a process of its own. */
async function drained({ account }) {
  const task = JSON.stringify({ how: 'ours', rows, account, range });
  const { stdout } = await run(process.execPath, [join(root, 'bench/drain-worker.mjs'), task]);
  return JSON.parse(stdout);
}

async function withServer({ settings }, work) {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-bench-'));
  const file = join(folder, 'loop.json');
  const server = openStdio(['--import', join(root, 'bench/loop-watch.mjs'), ours, 'stdio'], {
    ...settings,
    COMMERCE_MAX_ROWS: String(rows),
    BENCH_LOOP_FILE: file,
  });
  try {
    await server.initialize();
    await server.request('tools/list');
    return await work({
      ...server,
      held: () => heldUp(server.pid, file),
      watchMemory: () => watchMemory(server.pid),
    });
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
}

/** How long the server's event loop was held up since it was asked last. */
async function heldUp(pid, file) {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    await sleep(20);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text);
  }
}

/** The most resident memory of a server, and of the engine's processes that it started. */
function watchMemory(pid) {
  const most = { serverMb: 0, engineMb: 0 };
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss=']);
      const all = stdout
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/\s+/).map(Number));
      const engines = all.filter(([, parent]) => parent === pid);
      const [, , server = 0] = all.find(([own]) => own === pid) ?? [];
      most.serverMb = Math.max(most.serverMb, server / 1024);
      most.engineMb = Math.max(
        most.engineMb,
        engines.reduce((sum, [, , rss]) => sum + rss, 0) / 1024,
      );
      // Looking takes a process each time, beside what is measured.
      await sleep(250);
    }
  })();
  return {
    async end() {
      isOver = true;
      await watching;
      return most;
    },
  };
}

async function timed(work) {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
