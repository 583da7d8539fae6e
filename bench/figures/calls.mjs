// Measures round trips to a platform that is far away, counted from outside, the CPU of a drain beside parsing the same
// bytes, and a call over HTTP.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { daysBefore, ours, root } from '../bundle.mjs';
import { openStdio } from '../line-client.mjs';
import { alternate, compare, part } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { overHttp } from './per-call.mjs';

const rounds = 3;
const latencyMs = 200;
const pages = 18;
/** Days that are over, with 2,000 orders each. */
const range = { from: daysBefore(40), to: daysBefore(2) };

/** With the budget known, and the code of a call compiled. */
const used = { first: [['get_me'], ['get_financial_report', { period: 'last_month' }]] };

/** Questions, each for a new server, and how many round trips they may take. */
const questions = [
  {
    name: 'first list, after 3 s',
    idleMs: 3000,
    ask: ['list_orders', { period: 'yesterday', limit: 20 }],
    aim: 1.2,
  },
  { name: 'comparison', ...used, ask: ['compare_turnover', { period: 'last_week' }], aim: 1.2 },
  {
    name: 'trend of 30 days',
    ...used,
    ask: ['turnover_trend', { period: 'last_30_days' }],
    aim: 4.5,
  },
  {
    name: `drain of ${pages} pages`,
    ...used,
    ask: ['list_orders', { ...range, all: true, limit: 0 }],
    aim: 4.8,
  },
];

/** @param cli the built server */
export async function calls(cli = ours) {
  // An earlier build has no sources here for the drain.
  const drained = cli === ours ? [await drain()] : [];
  return [...(await roundTrips(cli)), ...drained, ...(await overHttp(cli))];
}

async function roundTrips(cli) {
  // The whole platform is as far away as its answers: what grants tokens, too.
  const faults = ['/.well-known*', '/oauth*'].map((path) => `slow:path=${path},ms=${latencyMs}`);
  const far = { remember: true, latencyMs, ordersPerDay: 2000, faults: faults.join(';') };
  const platform = await openPlatform(far);
  try {
    const figures = [];
    for (const { name, aim, ...question } of questions) {
      const taken = await alternate(rounds, {
        ours: () => roundsOf(cli, question, platform),
        baseline: async () => ({ rounds: 1 }),
      });
      const all = part(taken, ({ rounds }) => rounds);
      const requests = taken.ours.at(-1).requests;
      const figure = compare(`${name}, ${latencyMs} ms away`, 'round trips', all, { atMost: aim });
      figures.push({ ...figure, ...(figure.reached || { stages: `${requests} requests` }) });
    }
    return figures;
  } finally {
    await platform.close();
  }
}

async function roundsOf(cli, { idleMs = 0, first = [], ask }, platform) {
  const limited = { ...platform.settings, COMMERCE_MAX_ROWS: String(500 * pages) };
  const server = openStdio([cli, 'stdio'], limited);
  try {
    await server.initialize();
    await sleep(idleMs);
    for (const [tool, input = {}] of first) await server.call(tool, input);
    const before = (await platform.stats()).requests;
    const startedMs = performance.now();
    await server.call(...ask);
    const rounds = (performance.now() - startedMs) / latencyMs;
    return { rounds, requests: (await platform.stats()).requests - before };
  } finally {
    await server.close();
  }
}

/** The client's drain, each run in a process of its own; `JSON.parse` has the same bytes at hand. */
async function drain() {
  const platform = await openPlatform({ remember: true, ordersPerDay: 2000 });
  const run = async (way) => {
    const task = JSON.stringify({ way, rows: 50_000, account: platform.account, range });
    const worker = join(root, 'bench/drain-worker.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [worker, task]);
    return JSON.parse(stdout).cpuMs;
  };
  try {
    const sides = { ours: () => run('client'), baseline: () => run('parse') };
    const cpu = await alternate(rounds, sides);
    return compare('drain of 50,000, CPU; JSON.parse', 'ms', cpu, { atMost: 3 });
  } finally {
    await platform.close();
  }
}
