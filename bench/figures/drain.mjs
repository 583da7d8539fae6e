// Reading a long list whole: how long, how much work, how much memory. Each run has a process of
// its own, so that the memory of one is not the other's.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../bundle.mjs';
import { daysOver as range } from '../days-over.mjs';
import { openStdio } from '../line-client.mjs';
import { alternate, compare } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { ours } from '../servers.mjs';

const run = promisify(execFile);
const rounds = 7;
const latencyMs = 50;

export async function drain() {
  const platform = await openPlatform({ remember: true, latencyMs, ordersPerDay: 2000 });
  try {
    const drained = await sample(platform, 50_000, 'bare');
    const parsed = await sample(platform, 50_000, 'parse');
    const shorter = await sample(platform, 20_000, 'bare');
    const through = await alternate(rounds, {
      ours: () => throughTheTool(platform, 50_000),
      baseline: async () => (await work('bare', platform, 50_000)).wallMs,
    });
    return [
      compare('drain of 50,000 orders', 'ms', part(drained, 'wallMs'), { atMost: 1.15 }),
      compare('drain of 20,000 orders', 'ms', part(shorter, 'wallMs'), { atMost: 1.3 }),
      compare('drain of 50,000, CPU of JSON.parse', 'ms', part(parsed, 'cpuMs'), { atMost: 2.5 }),
      compare('drain of 50,000, CPU of a bare loop', 'ms', part(drained, 'cpuMs')),
      compare('drain of 50,000, peak memory', 'MB', part(drained, 'peakMb')),
      compare('list_orders with all, 50,000 orders', 'ms', through),
    ];
  } finally {
    await platform.close();
  }
}

function sample(platform, rows, baseline) {
  return alternate(rounds, {
    ours: () => work('ours', platform, rows),
    baseline: () => work(baseline, platform, rows),
  });
}

async function work(how, { account }, rows) {
  const task = JSON.stringify({ how, rows, account, range });
  const { stdout } = await run(process.execPath, [join(root, 'bench/drain-worker.mjs'), task]);
  return JSON.parse(stdout);
}

/** The whole way: a tool call over stdio, its rows kept and profiled. */
async function throughTheTool({ settings }, rows) {
  const server = openStdio([ours, 'stdio'], { ...settings, COMMERCE_MAX_ROWS: String(rows) });
  await server.initialize();
  await server.call('get_me', {});
  const startedMs = performance.now();
  const { structuredContent } = await server.call('list_orders', { ...range, all: true });
  const wallMs = performance.now() - startedMs;
  const { rows: kept } = structuredContent.context.result;
  if (kept !== rows) throw new Error(`the tool kept ${kept} rows of ${rows}`);
  await server.close();
  return wallMs;
}

function part({ ours: one, baseline: other }, key) {
  return { ours: one.map((it) => it[key]), baseline: other.map((it) => it[key]) };
}
