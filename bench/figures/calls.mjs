// What a call costs: one after the other, and many at once, over stdio and over HTTP.
import { atOnce, inTurn, reaching } from '../asking.mjs';
import { openHttp, openStdio } from '../line-client.mjs';
import { alternate, compare, quantile } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { bare, ours } from '../servers.mjs';

const rounds = 8;
/** Both sides are compiled while they run: the first calls are several times slower than later ones. */
const warmUpCalls = 2000;
const callsInSequence = 200;
const callsAtOnce = 2000;
const transports = {
  stdio: { open: openStdio, ours: [ours, 'stdio'], bare: [bare, 'stdio'] },
  HTTP: { open: openHttp, ours: [ours, 'http', '--port', '0'], bare: [bare, 'http'] },
};

/**
 * Against a platform that costs next to nothing, where every microsecond of ours shows, and against
 * the sandbox, which works for its answers as a platform does.
 */
const platforms = [
  { name: 'free platform', options: { remember: true } },
  { name: 'sandbox', options: {} },
];

export async function calls() {
  const figures = [];
  for (const { name, options } of platforms) {
    const platform = await openPlatform(options);
    for (const transport of Object.keys(transports))
      figures.push(...(await through(transport, platform, name)));
    await platform.close();
  }
  return figures;
}

async function through(transport, platform, platformName) {
  const { open, ours: command, bare: baseCommand } = transports[transport];
  const settings = { ...platform.settings, COMMERCE_LOG_LEVEL: 'warn' };
  const server = await open(command, settings);
  const base = await open(baseCommand, settings);
  try {
    await server.initialize();
    await base.initialize();
    const orders = await newestOrders(server);
    const asked = questions(orders);
    await inTurn(warmUpCalls, (index) => askOurs(server, asked['one order'](index)));
    await inTurn(warmUpCalls, (index) => askBare(base, asked['one order'](index)));
    const figures = [];
    const where = `${transport}, ${platformName}`;
    for (const [name, question] of Object.entries(asked))
      figures.push(...(await inSequence(`${name}, ${where}`, server, base, question, platform)));
    for (const inFlight of [16, 64]) {
      const name = `${inFlight} in flight, ${where}`;
      figures.push(await many(name, server, base, asked['one order'], platform, inFlight));
    }
    return figures;
  } finally {
    await server.close();
    await base.close();
  }
}

/** The same question to both: a tool and its arguments, and the request that it comes down to. */
function questions(orders) {
  const today = new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Amsterdam' });
  return {
    'cached shops': () => ['list_shops', {}, '/api/shop'],
    // Of today, which is not over: asked for each time.
    'daily close': () => [
      'get_daily_close',
      { date: 'today' },
      `/api/report/daily-close?date=${today}`,
    ],
    // Another one each time: nothing is shared between calls under way.
    'one order': (index) => {
      const id = orders[index % orders.length];
      return ['get_order', { order_id: id }, `/api/order/${id}`];
    },
  };
}

async function newestOrders(server) {
  const answer = await server.call('list_orders', {
    period: 'last_week',
    limit: 400,
    fields: ['id'],
  });
  return answer.structuredContent.data.map(({ id }) => id);
}

async function inSequence(name, server, base, question, platform) {
  const times = await alternate(rounds, {
    ours: () => inTurn(callsInSequence, (index) => askOurs(server, question(index))),
    baseline: () =>
      reaching(platform, callsInSequence, () =>
        inTurn(callsInSequence, (index) => askBare(base, question(index))),
      ),
  });
  const at = (share) => ({
    ours: times.ours.map((run) => quantile(run, share)),
    baseline: times.baseline.map((run) => quantile(run, share)),
  });
  return [
    compare(`${name}, p50`, 'ms', at(0.5), { atMost: 1.15 }),
    compare(`${name}, p99`, 'ms', at(0.99), { atMost: 1.5 }),
  ];
}

async function many(name, server, base, question, platform, inFlight) {
  const rates = await alternate(rounds, {
    ours: () => atOnce(callsAtOnce, inFlight, (index) => askOurs(server, question(index))),
    baseline: () =>
      reaching(platform, callsAtOnce, () =>
        atOnce(callsAtOnce, inFlight, (index) => askBare(base, question(index))),
      ),
  });
  return compare(name, 'calls/s', rates, { atLeast: 0.85 });
}

const askOurs = (server, [tool, input]) => server.call(tool, input);
const askBare = (base, [, , path]) => base.call('get', { path });
