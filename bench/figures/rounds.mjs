// Where it is felt: how many round trips to a platform that is far away an answer takes, from outside.
import { setTimeout as sleep } from 'node:timers/promises';
import { daysOver } from '../days-over.mjs';
import { openStdio } from '../line-client.mjs';
import { alternate, compare } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { ours } from '../servers.mjs';

const samples = 5;
const latencyMs = 200;
const concurrency = 8;
const pages = 18;

/** The whole platform is as far away as its answers: what grants tokens, too. */
const farAway = {
  remember: true,
  latencyMs,
  ordersPerDay: 2000,
  faults: ['/.well-known*', '/oauth*'].map((path) => `slow:path=${path},ms=${latencyMs}`).join(';'),
};

const report = ['get_financial_report', { period: 'yesterday' }];
const thought = { idleMs: 3000 };
/** With the budget known, and the code of a call compiled. */
const used = { first: [['get_me'], ['get_financial_report', { period: 'last_month' }]] };

/** What is asked of a server of its own each time, the round trips that it needs, and the goal. */
const questions = [
  { name: 'first question, after 3 s', ...thought, ask: report, ideal: 1, goal: 1.1 },
  { name: 'first question, at once', ask: report, ideal: 3, goal: 3.2 },
  { name: 'question, warm', ...used, ask: report, ideal: 1, goal: 1.1 },
  {
    name: 'question with a name, warm',
    ...used,
    ask: ['get_daily_close', { date: 'yesterday', location_id: 'Utrecht Oost' }],
    ideal: 2,
    goal: 2.1,
  },
  {
    name: 'comparison',
    ...used,
    ask: ['compare_turnover', { period: 'last_week' }],
    ideal: 1,
    goal: 1.2,
  },
  {
    name: 'trend of 30 days',
    ...used,
    ask: ['turnover_trend', { period: 'last_30_days' }],
    ideal: Math.ceil(30 / concurrency),
    goal: 1.1 * Math.ceil(30 / concurrency) + 0.2,
  },
  {
    name: `drain of ${pages} pages`,
    ...used,
    ask: ['list_orders', { ...daysOver, all: true }],
    ideal: 1 + Math.ceil((pages - 1) / concurrency),
    goal: 1.1 * (1 + Math.ceil((pages - 1) / concurrency)),
  },
];

export async function rounds() {
  const platform = await openPlatform(farAway);
  try {
    const figures = [];
    for (const question of questions) figures.push(await measure(question, platform));
    return figures;
  } finally {
    await platform.close();
  }
}

async function measure({ name, ideal, goal, ...question }, { settings }) {
  const taken = await alternate(samples, {
    ours: () => roundsOf(question, settings),
    baseline: async () => ideal,
  });
  return compare(`${name}, 200 ms away`, 'round trips', taken, {
    atMost: Number((goal / ideal).toFixed(3)),
  });
}

async function roundsOf({ idleMs = 0, first = [], ask }, settings) {
  const limited = { ...settings, COMMERCE_MAX_ROWS: String(500 * pages) };
  const server = openStdio([ours, 'stdio'], limited);
  try {
    await server.initialize();
    await sleep(idleMs);
    for (const [tool, input = {}] of first) await server.call(tool, input);
    const startedMs = performance.now();
    await server.call(...ask);
    return (performance.now() - startedMs) / latencyMs;
  } finally {
    await server.close();
  }
}
