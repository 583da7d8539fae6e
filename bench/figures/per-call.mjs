// Compares calls with those of a generic bridge, which answers with nothing but the JSON: time and CPU of calls one at a
// time, and calls a second of many in flight.
import { bridgeTool, installBridge } from '../bridge.mjs';
import { bare, daysBefore, ours } from '../bundle.mjs';
import { openHttp, openStdio } from '../line-client.mjs';
import { alternate, compare, part, quantile } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { cpuTimeOf } from '../process-figures.mjs';
import { stagesOf } from '../stages.mjs';

const rounds = 5;
/** Both sides are compiled while they run: the first calls are several times slower than later ones. */
const warmUpCalls = 2000;
const warmUpCallsOfEach = 400;
const callsInTurn = 200;
const callsAtOnce = 400;
const inFlight = 64;

/** Bounds by question, as shares of the bridge: its time and CPU one at a time, its calls a second in flight. */
const aims = {
  'daily close': { atMost: 1.1 },
  'one order': { atMost: 1.2, atLeast: 0.6 },
  '50 rows': { atMost: 1.6, atLeast: 0.6 },
  'report of a day': { atMost: 1.6 },
  'report of some days': { atLeast: 0.6 },
};

/** Over stdio beside the bridge. @param cli the built server */
export async function perCall(cli = ours) {
  const bridge = await installBridge();
  if (!bridge) console.error('The package registry cannot be reached: without the bridge.');
  if (!bridge) return [];
  const phrase = ({ path, query }) => [bridgeTool(path), query];
  try {
    return await measurePair(openStdio, [cli, 'stdio'], { ...bridge, phrase }, async (pair) => {
      const figures = [];
      for (const [name, { atMost, atLeast }] of Object.entries(aims)) {
        const question = pair.questions[name];
        if (atMost !== undefined) {
          const single = await oneAtATime(name, pair, question, { atMost });
          const ask = (each) => inTurn(1500, each);
          figures.push(...(await withStages(single, cli, pair, ask, question)));
        }
        if (atLeast !== undefined) {
          const title = `${name}, ${inFlight} in flight`;
          const many = [await manyAtOnce(title, pair, question, { atLeast })];
          const ask = (each) => atOnce(1500, each);
          figures.push(...(await withStages(many, cli, pair, ask, question)));
        }
      }
      return figures;
    });
  } finally {
    await bridge.remove();
  }
}

/** One order over HTTP beside the bare server. */
export function overHttp(cli = ours) {
  const phrase = ({ path, query: { id, ...query } }) => {
    const search = new URLSearchParams(query).toString();
    return ['get', { path: path.replace('{id}', id) + (search && `?${search}`) }];
  };
  const peer = { args: () => [bare, 'http'], phrase };
  return measurePair(openHttp, [cli, 'http', '--port', '0'], peer, async (pair) => {
    const question = pair.questions['one order'];
    return [
      ...(await oneAtATime('one order over HTTP; bare server', pair, question)),
      await manyAtOnce(`one order over HTTP, ${inFlight} in flight; bare server`, pair, question),
    ];
  });
}

/** Opens both servers before a platform that costs next to nothing, and warms them up. */
async function measurePair(open, args, peer, work) {
  const platform = await openPlatform();
  const settings = { ...platform.settings, COMMERCE_LOG_LEVEL: 'warn', NO_PROXY: '127.0.0.1' };
  const start = async (command, phrase = ({ tool, input }) => [tool, input]) => {
    const server = await open(command, settings);
    await server.initialize();
    return { ...server, ask: (question) => server.call(...phrase(question)) };
  };
  const own = await start(args);
  const base = await start(peer.args(settings), peer.phrase);
  try {
    const pair = { own, base, platform, start, questions: await readQuestions(own) };
    for (const server of [own, base])
      await inTurn(warmUpCalls, (index) => server.ask(pair.questions['one order'](index)));
    return await work(pair);
  } finally {
    await Promise.all([own.close(), base.close()]);
    await platform.close();
  }
}

/** The same questions to both: a tool with its arguments, and the request that it comes down to. */
async function readQuestions(server) {
  const list = { period: 'last_week', limit: 400, fields: ['id'] };
  const { data, context } = (await server.call('list_orders', list)).structuredContent;
  const { from, to } = context.period;
  const today = new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Amsterdam' });
  const asking = (tool, input, path, query) => ({ tool, input, path, query });
  const report = (from) => {
    const days = { from, to: today };
    return asking('get_financial_report', days, '/api/financial-report', days);
  };
  return {
    // Today is not over: asked for each time.
    'daily close': () =>
      asking('get_daily_close', { date: 'today' }, '/api/report/daily-close', { date: today }),
    // Another one each time, as below: nothing is shared between calls under way.
    'one order': (index) => {
      const { id } = data[index % data.length];
      return asking('get_order', { order_id: id }, '/api/order/{id}', { id });
    },
    '50 rows': (index) => {
      const page = { limit: 50, start: index % 100 };
      const query = { from, to, ...page };
      return asking('list_orders', { period: 'last_week', ...page }, '/api/order', query);
    },
    'report of a day': () => report(today),
    'report of some days': (index) => report(daysBefore(index % 100)),
  };
}

async function oneAtATime(name, pair, question, aim) {
  const measure = async (server) => {
    const before = await cpuTimeOf(server.pid);
    const times = await inTurn(callsInTurn, (index) => server.ask(question(index)));
    const cpuMs = ((await cpuTimeOf(server.pid)) - before) / callsInTurn;
    return { wallMs: quantile(times, 0.5), cpuMs };
  };
  const samples = await samplesOf(pair, question, callsInTurn, measure);
  const cpu = part(samples, ({ cpuMs }) => cpuMs);
  const wall = part(samples, ({ wallMs }) => wallMs);
  return [
    compare(`${name}, p50`, 'ms', wall, aim),
    ...(cpu.ours.every(Number.isFinite) ? [compare(`${name}, CPU`, 'ms', cpu, aim)] : []),
  ];
}

async function manyAtOnce(name, pair, question, aim) {
  const rate = (server) => atOnce(callsAtOnce, (index) => server.ask(question(index)));
  return compare(name, 'calls/s', await samplesOf(pair, question, callsAtOnce, rate), aim);
}

/** Samples of both servers, each of so many calls that reached the platform: a cached answer is no baseline. */
async function samplesOf({ own, base, platform }, question, calls, measure) {
  for (const server of [own, base])
    await inTurn(warmUpCallsOfEach, (index) => server.ask(question(index)));
  const reaching = async (server) => {
    const before = (await platform.stats()).requests;
    const result = await measure(server);
    const reached = (await platform.stats()).requests - before;
    if (reached < calls) throw new Error(`only ${reached} of ${calls} calls got there`);
    return result;
  };
  return alternate(rounds, { ours: () => reaching(own), baseline: () => reaching(base) });
}

/** Figures, those that miss their aim with the parts of the program that take the time. */
async function withStages(figures, cli, { start }, askMany, question) {
  if (!figures.some(({ reached }) => reached === false)) return figures;
  const stages = await stagesOf(async (flags) => {
    const server = await start([...flags, cli, 'stdio']);
    await askMany((index) => server.ask(question(index)));
    await server.close();
  });
  return figures.map((figure) => (figure.reached === false ? { ...figure, stages } : figure));
}

/** Milliseconds of each of so many calls, one after the other: `ask(index)` is another one for each index. */
async function inTurn(calls, ask) {
  const times = [];
  for (let index = 0; index < calls; index++) {
    const startedMs = performance.now();
    await ask(index);
    times.push(performance.now() - startedMs);
  }
  return times;
}

/** Calls in a second, with `inFlight` of them at any time. */
async function atOnce(calls, ask) {
  const startedMs = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < calls) await ask(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return (1000 * calls) / (performance.now() - startedMs);
}
