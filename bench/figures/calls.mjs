// The cost of a call beside the SDK alone: one after the other and many at once, over stdio and over HTTP.
import { atOnce, inTurn, reaching } from '../asking.mjs';
import { bare, ours } from '../bundle.mjs';
import { openHttp, openStdio } from '../line-client.mjs';
import { alternate, compare, part, quantile } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { cpuTimeOf } from '../process-figures.mjs';

/** Both sides are compiled while they run: the first calls are several times slower than later ones. */
const warmUpCalls = 2000;
const warmUpCallsOfEach = 400;
const callsInTurn = 200;
const transports = {
  stdio: { open: openStdio, ours: [ours, 'stdio'], bare: [bare, 'stdio'] },
  HTTP: { open: openHttp, ours: [ours, 'http', '--port', '0'], bare: [bare, 'http'] },
};

/**
 * Time of a call by transport, before a platform that costs next to nothing, where every microsecond of ours shows,
 * and before the sandbox, which works for its answers.
 */
export async function calls() {
  const figures = [];
  for (const [name, options] of [
    ['free platform', { remember: true }],
    ['sandbox', {}],
  ])
    for (const transport of Object.keys(transports))
      await withPair(transport, options, async (pair) => {
        const where = `${transport}, ${name}`;
        for (const key of ['cached shops', 'daily close', 'one order']) {
          const times = await samplesInTurn(pair, pair.questions[key], 8);
          const at = (share) => part(times, ({ times }) => quantile(times, share));
          figures.push(
            compare(`${key}, ${where}, p50`, 'ms', at(0.5), { atMost: 1.15 }),
            compare(`${key}, ${where}, p99`, 'ms', at(0.99), { atMost: 1.5 }),
          );
        }
        for (const inFlight of [16, 64]) {
          const rates = await ratesAtOnce(pair, pair.questions['one order'], 8, inFlight, 2000);
          const name = `${inFlight} in flight, ${where}`;
          figures.push(compare(name, 'calls/s', rates, { atLeast: 0.85 }));
        }
      });
  return figures;
}

/** Time and CPU time of a call over stdio, and how many get done with 64 under way. */
export async function perCall() {
  const figures = [];
  await withPair('stdio', { remember: true }, async (pair) => {
    for (const [key, goal] of [
      ['daily close', { atMost: 1.5 }],
      ['one order', { atMost: 1.5 }],
      ['50 rows', {}],
    ]) {
      const samples = await samplesInTurn(pair, pair.questions[key], 5);
      const times = part(samples, ({ times }) => quantile(times, 0.5));
      const cpu = part(samples, ({ cpuMs }) => cpuMs);
      figures.push(compare(`${key}, p50`, 'ms', times, goal));
      if (cpu.ours.every(Number.isFinite)) figures.push(compare(`${key}, CPU`, 'ms', cpu, goal));
    }
    for (const [key, goal] of [
      ['financial report', { atLeast: 0.6 }],
      ['50 rows', {}],
    ]) {
      const rates = await ratesAtOnce(pair, pair.questions[key], 5, 64, 400);
      figures.push(compare(`${key}, 64 in flight`, 'calls/s', rates, goal));
    }
  });
  return figures;
}

/** Both servers before one platform, warm. */
async function withPair(transport, options, work) {
  const platform = await openPlatform(options);
  const { open, ...commands } = transports[transport];
  const start = async (args, phrase) => {
    const server = await open(args, { ...platform.settings, COMMERCE_LOG_LEVEL: 'warn' });
    await server.initialize();
    return { ...server, ask: (question) => server.call(...phrase(question)) };
  };
  const own = await start(commands.ours, ({ tool, input }) => [tool, input]);
  const base = await start(commands.bare, ({ path }) => ['get', { path }]);
  try {
    const pair = { own, base, platform, questions: await readQuestions(own) };
    await warmUp(pair, pair.questions['one order'], warmUpCalls);
    await work(pair);
  } finally {
    await Promise.all([own.close(), base.close()]);
    await platform.close();
  }
}

/** The same questions to both: a tool with its arguments, and the request that it comes down to. */
async function readQuestions(server) {
  const input = { period: 'last_week', limit: 400, fields: ['id'] };
  const { data, context } = (await server.call('list_orders', input)).structuredContent;
  const { from, to } = context.period;
  const today = new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Amsterdam' });
  const asking = (tool, input, path, query = {}) => {
    const search = new URLSearchParams(query).toString();
    return { tool, input, path: path + (search && `?${search}`) };
  };
  return {
    'cached shops': () => asking('list_shops', {}, '/api/shop'),
    // Today is not over: asked for each time.
    'daily close': () =>
      asking('get_daily_close', { date: 'today' }, '/api/report/daily-close', { date: today }),
    // Another one each time, as below: nothing is shared between calls under way.
    'one order': (index) => {
      const { id } = data[index % data.length];
      return asking('get_order', { order_id: id }, `/api/order/${id}`);
    },
    '50 rows': (index) => {
      const page = { limit: 50, start: index % 100 };
      return asking('list_orders', { period: 'last_week', ...page }, '/api/order', {
        ...{ from, to },
        ...page,
      });
    },
    'financial report': (index) => {
      const from = new Date(Date.parse(today) - (index % 100) * 86_400_000);
      const days = { from: from.toISOString().slice(0, 10), to: today };
      return asking('get_financial_report', days, '/api/financial-report', days);
    },
  };
}

/** The times of calls one after the other, and the mean of the server's CPU time. */
async function samplesInTurn(pair, question, rounds) {
  await warmUp(pair, question, warmUpCallsOfEach);
  const measure = async (server) => {
    const before = await cpuTimeOf(server.pid);
    const times = await inTurn(callsInTurn, (index) => server.ask(question(index)));
    return { times, cpuMs: ((await cpuTimeOf(server.pid)) - before) / callsInTurn };
  };
  return alternate(rounds, {
    ours: () => measure(pair.own),
    baseline: () => reaching(pair.platform, callsInTurn, () => measure(pair.base)),
  });
}

async function ratesAtOnce(pair, question, rounds, inFlight, calls) {
  await warmUp(pair, question, warmUpCallsOfEach);
  const rate = (server) => atOnce(calls, inFlight, (index) => server.ask(question(index)));
  return alternate(rounds, {
    ours: () => rate(pair.own),
    baseline: () => reaching(pair.platform, calls, () => rate(pair.base)),
  });
}

async function warmUp({ own, base }, question, calls) {
  for (const server of [own, base]) await inTurn(calls, (index) => server.ask(question(index)));
}
