// SQL over the tools: what the engine's start costs, what a statement over a long list costs beyond
// reading it, and what either does to the server. Each run has a server of its own.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { daysBefore, ours, root } from '../bundle.mjs';
import { openStdio } from '../line-client.mjs';
import { alternate, compare, part } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { openWatched, watchMemory } from '../process-figures.mjs';

const run = promisify(execFile);
const rounds = 5;
const rows = 50_000;
const latencyMs = 50;

/** Past days with enough orders. */
const range = { from: daysBefore(40), to: daysBefore(2) };

/** Longest second statement over loaded rows, in milliseconds. */
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
    const of = (samples, key) => part(samples, (sample) => sample[key]);
    const alone = (key) => long.ours.concat(tool.ours).map((sample) => sample[key]);
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
    ];
  } finally {
    await platform.close();
  }
}

const first = (server) => server.call('query', { sql: 'SELECT 1 AS one' });

/** A first and a second statement over the same long list. */
async function statements(server) {
  await first(server);
  await server.figures();
  const orders = `list_orders("from" := '${range.from}', "to" := '${range.to}')`;
  const grouped = `SELECT shop_id, count(*) AS orders, sum(total_wt) AS total FROM ${orders} GROUP BY ALL`;
  const memory = watchMemory(server.pid);
  const wallMs = await timed(async () => {
    const { structuredContent } = await server.call('query', { sql: grouped });
    const read = structuredContent.data.reduce((sum, row) => sum + row.orders, 0);
    if (read !== rows) throw new Error(`the statement read ${read} rows of ${rows}`);
  });
  const { longestMs } = await server.figures();
  const sql = `SELECT hour(date_created) AS hour, median(total_wt) AS middle FROM ${orders} GROUP BY ALL`;
  const secondMs = await timed(() => server.call('query', { sql }));
  const { longestMs: secondHeldMs } = await server.figures();
  return { wallMs, secondMs, longestMs, secondHeldMs, ...(await memory.end()) };
}

/** The same rows by list_orders. */
async function listed(server) {
  await server.call('get_me', {});
  await server.figures();
  const memory = watchMemory(server.pid);
  const wallMs = await timed(() => server.call('list_orders', { ...range, all: true }));
  const { longestMs } = await server.figures();
  return { wallMs, longestMs, ...(await memory.end()) };
}

/** The same rows by the client, in a process of its own. */
async function drained({ account }) {
  const task = JSON.stringify({ rows, account, range });
  const { stdout } = await run(process.execPath, [join(root, 'bench/drain-worker.mjs'), task]);
  return JSON.parse(stdout);
}

async function withServer({ settings }, work) {
  const rowsSetting = { ...settings, COMMERCE_MAX_ROWS: String(rows) };
  const server = await openWatched(openStdio, [ours, 'stdio'], rowsSetting);
  try {
    await server.initialize();
    await server.request('tools/list');
    return await work(server);
  } finally {
    await server.close();
  }
}

async function timed(work) {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
