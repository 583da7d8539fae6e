// Measures round trips to a platform that is far away, counted from outside, the CPU of a drain beside parsing the same
// bytes, and a call over HTTP.
import { setTimeout as sleep } from 'node:timers/promises';
import { daysBefore, ours } from '../bundle.mjs';
import { openStdio } from '../line-client.mjs';
import { alternate, compare, part } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { drain } from './drain.mjs';
import { overHttp } from './per-call.mjs';

const rounds = 3;
const latencyMs = 200;
const pages = 18;
/** Days that are over, with 2,000 orders each. */
const range = { from: daysBefore(40), to: daysBefore(2) };

/** With the budget known, and the code of a call compiled. */
const used = [['get_me'], ['get_financial_report', { period: 'last_month' }]];

/** Questions, each for a new server, and how many round trips they may take. */
const questions = [
  ['first list, after 3 s', 1.2, ['list_orders', { period: 'yesterday', limit: 20 }]],
  ['comparison', 1.2, ['compare_turnover', { period: 'last_week' }], used],
  ['trend of 30 days', 4.5, ['turnover_trend', { period: 'last_30_days' }], used],
  [`drain of ${pages} pages`, 4.8, ['list_orders', { ...range, all: true, limit: 0 }], used],
];

/** @param cli the built server */
export async function calls(cli = ours) {
  // An earlier build has no sources here for the drain.
  const drained = cli === ours ? [await drainBesideParsing()] : [];
  return [...(await roundTrips(cli)), ...drained, ...(await overHttp(cli))];
}

async function roundTrips(cli) {
  // The whole platform is as far away as its answers: what grants tokens, too.
  const faults = ['/.well-known*', '/oauth*'].map((path) => `slow:path=${path},ms=${latencyMs}`);
  const far = { remember: true, latencyMs, ordersPerDay: 2000, faults: faults.join(';') };
  const platform = await openPlatform(far);
  try {
    const figures = [];
    for (const [name, aim, ask, first] of questions) {
      const taken = await alternate(rounds, {
        ours: () => roundsOf(cli, platform, ask, first),
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

/** @param first asked before; nothing: the server idles for three seconds */
async function roundsOf(cli, platform, ask, first) {
  const limited = { ...platform.settings, COMMERCE_MAX_ROWS: String(500 * pages) };
  const server = openStdio([cli, 'stdio'], limited);
  try {
    await server.initialize();
    if (first === undefined) await sleep(3000);
    for (const [tool, input = {}] of first ?? []) await server.call(tool, input);
    const before = (await platform.stats()).requests;
    const startedMs = performance.now();
    await server.call(...ask);
    const rounds = (performance.now() - startedMs) / latencyMs;
    return { rounds, requests: (await platform.stats()).requests - before };
  } finally {
    await server.close();
  }
}

/** The client's drain; `JSON.parse` has the same bytes at hand. */
async function drainBesideParsing() {
  const platform = await openPlatform({ remember: true, ordersPerDay: 2000 });
  const cpuOf = async (way) =>
    (await drain({ way, rows: 50_000, account: platform.account, range })).cpuMs;
  try {
    const sides = { ours: () => cpuOf('client'), baseline: () => cpuOf('parse') };
    const cpu = await alternate(rounds, sides);
    return compare('drain of 50,000, CPU; JSON.parse', 'ms', cpu, { atMost: 3 });
  } finally {
    await platform.close();
  }
}
