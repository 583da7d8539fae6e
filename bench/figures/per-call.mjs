// What a call costs over stdio beside the SDK alone and beside a generic bridge: time, CPU time of
// the server, and how many get done with many under way.
import { atOnce, inTurn, reaching } from '../asking.mjs';
import { bridgeTool, installBridge } from '../bridge.mjs';
import { cpuTimeOf } from '../cpu-time.mjs';
import { openStdio } from '../line-client.mjs';
import { alternate, compare, quantile } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { bare, ours } from '../servers.mjs';

const rounds = 5;
/** Code is compiled while it runs, so that the first calls are several times slower than later ones. */
const warmUpCalls = 2000;
/** Before each figure, for what only its question does. */
const warmUpCallsOfEach = 400;
const callsInTurn = 200;
const callsAtOnce = 400;
const inFlight = 64;

/** Goals of the ratio, by question and peer. */
const goals = {
  'daily close': { 'bare server': { atMost: 1.5 } },
  'one order': { 'bare server': { atMost: 1.5 } },
  '50 rows': { bridge: { atMost: 1.2 } },
};
const goalsAtOnce = {
  'financial report': { 'bare server': { atLeast: 0.6 } },
  '50 rows': { bridge: { atLeast: 1 } },
};

export async function perCall() {
  const platform = await openPlatform();
  const bridge = await installBridge();
  if (bridge === undefined)
    console.error('per-call: the package registry cannot be reached; no bridge to compare with');
  const own = await open([ours, 'stdio'], platform, ({ tool, input }) => [tool, input]);
  const peers = {
    'bare server': await open([bare, 'stdio'], platform, ({ path, query }) => [
      'get',
      { path: addressOf(path, query) },
    ]),
    ...(bridge && {
      bridge: await open(bridge.args(platform.settings), platform, ({ path, query }) => [
        bridgeTool(path),
        query,
      ]),
    }),
  };
  try {
    const asked = await questions(own);
    await warmUp([own, ...Object.values(peers)], warmUpCalls, asked['one order']);
    const figures = [];
    for (const [peer, server] of Object.entries(peers)) {
      for (const [name, goal] of Object.entries(goals))
        figures.push(
          ...(await oneByOne(`${name}; ${peer}`, own, server, asked[name], platform, goal[peer])),
        );
      for (const [name, goal] of Object.entries(goalsAtOnce))
        figures.push(
          await many(
            `${name}, ${inFlight} in flight; ${peer}`,
            own,
            server,
            asked[name],
            platform,
            goal[peer],
          ),
        );
    }
    return figures;
  } finally {
    await Promise.all([own, ...Object.values(peers)].map((server) => server.close()));
    await bridge?.remove();
    await platform.close();
  }
}

/** A server, and how it is asked a question. */
async function open(args, { settings }, phrase) {
  const connection = openStdio(args, {
    ...settings,
    COMMERCE_LOG_LEVEL: 'warn',
    NO_PROXY: '127.0.0.1',
  });
  await connection.initialize();
  return { ...connection, ask: (question) => connection.call(...phrase(question)) };
}

/** The same questions for all: a tool of ours with its arguments, and the request that it comes down to. */
async function questions(server) {
  const newest = await server.call('list_orders', {
    period: 'last_week',
    limit: 400,
    fields: ['id'],
  });
  const orders = newest.structuredContent.data.map(({ id }) => id);
  const { from, to } = newest.structuredContent.context.period;
  const today = new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Amsterdam' });
  return {
    // Of today, which is not over: asked for each time.
    'daily close': () => ({
      tool: 'get_daily_close',
      input: { date: 'today' },
      path: '/api/report/daily-close',
      query: { date: today },
    }),
    // Another one each time, as below: nothing is shared between calls under way.
    'one order': (index) => {
      const id = orders[index % orders.length];
      return { tool: 'get_order', input: { order_id: id }, path: '/api/order/{id}', query: { id } };
    },
    '50 rows': (index) => {
      const page = { limit: 50, start: index % 100 };
      return {
        tool: 'list_orders',
        input: { period: 'last_week', ...page },
        path: '/api/order',
        query: { from, to, ...page },
      };
    },
    'financial report': (index) => {
      const days = { from: daysBefore(today, index % 100), to: today };
      return {
        tool: 'get_financial_report',
        input: days,
        path: '/api/financial-report',
        query: days,
      };
    },
  };
}

async function oneByOne(name, own, peer, question, platform, goal) {
  await warmUp([own, peer], warmUpCallsOfEach, question);
  const samples = await alternate(rounds, {
    ours: () => costs(own, question),
    baseline: () => reaching(platform, callsInTurn, () => costs(peer, question)),
  });
  const part = (key) => ({
    ours: samples.ours.map((run) => run[key]),
    baseline: samples.baseline.map((run) => run[key]),
  });
  const cpu = part('cpuMs');
  return [
    compare(`${name}, p50`, 'ms', part('wallMs'), goal),
    ...(cpu.ours.every(Number.isFinite) ? [compare(`${name}, CPU`, 'ms', cpu, goal)] : []),
  ];
}

/** Of one call: the median of its time, and the mean of the server's CPU time. */
async function costs(server, question) {
  const before = await cpuTimeOf(server.pid);
  const times = await inTurn(callsInTurn, (index) => server.ask(question(index)));
  const cpuMs = ((await cpuTimeOf(server.pid)) - before) / callsInTurn;
  return { wallMs: quantile(times, 0.5), cpuMs };
}

async function many(name, own, peer, question, platform, goal) {
  await warmUp([own, peer], warmUpCallsOfEach, question);
  const rate = (server) => atOnce(callsAtOnce, inFlight, (index) => server.ask(question(index)));
  const rates = await alternate(rounds, {
    ours: () => rate(own),
    baseline: () => reaching(platform, callsAtOnce, () => rate(peer)),
  });
  return compare(name, 'calls/s', rates, goal);
}

async function warmUp(servers, calls, question) {
  for (const server of servers) await inTurn(calls, (index) => server.ask(question(index)));
}

function addressOf(path, { id, ...query }) {
  const search = new URLSearchParams(query).toString();
  return path.replace('{id}', id) + (search && `?${search}`);
}

function daysBefore(day, days) {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
}
