// `npm run load`: 200 clients at once, each with 20 calls, against the built server over HTTP. Every answer is compared
// with the platform's own; memory is taken after garbage collection.
import { isDeepStrictEqual } from 'node:util';
import { ours } from './bundle.mjs';
import { openHttp } from './line-client.mjs';
import { quantile } from './measure.mjs';
import { openPlatform } from './open-platform.mjs';
import { openWatched } from './process-figures.mjs';

const clients = 200;
/** Questions of each client; one in nine takes two calls. */
const steps = 18;
/** Largest change of memory, as a share. */
const maxDifference = 0.2;
/** Past days that no longer change, before the day without sales in the sandbox. */
const days = Array.from({ length: 14 }, (_, index) => {
  const time = new Date(Date.now() - (20 + index) * 86_400_000);
  return time.toLocaleDateString('sv-SE', { timeZone: 'Europe/Amsterdam' });
});

const platform = await openPlatform({});
const server = await openWatched(openHttp, ['--expose-gc', ours, 'http', '--port', '0'], {
  ...platform.settings,
  COMMERCE_LOG_LEVEL: 'warn',
});
try {
  const questions = await readQuestions(platform.account);
  // The first round fills caches, kept results and compiled code, which are bounded.
  await round(questions);
  const before = await server.figures();
  const { times, wrong } = await round(questions);
  const after = await server.figures();
  const { requests, refused } = await platform.stats();
  const growth = ['liveMb', 'residentMb'].map((key) => after[key] / before[key] - 1);
  const [middle, high, longest] = [0.5, 0.99, 1].map((share) => Math.round(quantile(times, share)));
  console.log(
    `${times.length} calls of ${clients} clients: ${middle} ms, p99 ${high}, at most ${longest}`,
  );
  console.log(`requests to the platform, both rounds: ${requests}, ${refused} refused`);
  console.log(
    `event loop held up, p99 ${Math.round(after.p99Ms)} ms, at most ${Math.round(after.longestMs)}`,
  );
  console.log(
    `memory in use ${after.liveMb.toFixed(1)} MB, resident ${after.residentMb.toFixed(1)} MB`,
  );
  console.log(
    `grew by ${growth.map((share) => `${Math.round(100 * share)}%`).join(' and ')} in the second round`,
  );
  for (const reason of wrong.slice(0, 10)) console.log(`not right: ${reason}`);
  const isFine =
    wrong.length + refused === 0 && growth.every((share) => Math.abs(share) <= maxDifference);
  console.log(isFine ? 'as it should be' : `NOT as it should be: ${wrong.length} not right`);
  process.exitCode = isFine ? 0 : 1;
} finally {
  await server.close();
  await platform.close();
}

/** All clients at once, from their handshake to their last answer; they ask different questions at every step. */
async function round({ single, double }) {
  const times = [];
  const wrong = [];
  const call = async (tool, input) => {
    const startedMs = performance.now();
    const { structuredContent } = await server.call(tool, input);
    times.push(performance.now() - startedMs);
    return structuredContent;
  };
  const work = async (index) => {
    await server.initialize();
    for (let step = 0; step < steps; step++) {
      const list = step % 9 === index % 9 ? double : single;
      const { tool, isRight } = list[(index * 7 + step * 5) % list.length];
      const outcome = await isRight(call).catch((error) => error.message);
      if (outcome !== true) wrong.push(outcome || `${tool}: another answer than the platform's`);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => work(index)));
  return { times, wrong };
}

/** Questions with the answers of the platform, read past the server. */
async function readQuestions({ baseUrl, token }) {
  const ask = async (path, query = {}) => {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`${baseUrl}${path}?${new URLSearchParams(query)}`, { headers });
    if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
    return reply.json();
  };
  /** An answer that must equal that of the platform. */
  const question = async (tool, input, path, query = input) => {
    const expected = await ask(path, query);
    const isRight = async (call) => {
      const { context: _, ...payload } = await call(tool, input);
      return isDeepStrictEqual(payload, expected);
    };
    return { tool, isRight };
  };
  const shops = await ask('/api/shop');
  const single = [await question('list_shops', {}, '/api/shop')];
  const double = [];
  for (const [index, date] of days.entries()) {
    const day = { from: date, to: date };
    const orders = await ask('/api/order', { ...day, limit: 500 });
    const { id, shop_id } = orders.data[0];
    const { location_id } = shops.data[index % shops.count];
    const path = `/api/order/${id}`;
    single.push(
      await question('get_daily_close', { date }, '/api/report/daily-close'),
      await question('get_payment_report', day, '/api/report/payment'),
      await question('get_financial_report', { ...day, location_id }, '/api/financial-report'),
      await question('list_orders', { ...day, start: 5, limit: 10 }, '/api/order'),
      await question('get_order', { order_id: id }, path, {}),
      await question('list_order_items', { order_id: id }, `${path}/item`, {}),
    );
    double.push(summary(day, shop_id, orders));
  }
  return { single, double };
}

/** All orders of a shop on a day, and their sum by SQL. */
function summary(day, shop_id, { data, total }) {
  if (data.length !== total) throw new Error(`${day.from} has more orders than one page`);
  const orders = data.filter((order) => order.shop_id === shop_id);
  const expected = orders.reduce((sum, order) => sum + Math.round(order.total_wt * 100), 0);
  return {
    tool: 'query',
    async isRight(call) {
      const { context } = await call('list_orders', { ...day, shop_id, all: true });
      const sql = `SELECT count(*) AS orders, sum(total_wt) AS total FROM result('${context.result.id}')`;
      const [row] = (await call('query', { sql })).data;
      return row.orders === orders.length && Math.round(row.total * 100) === expected;
    },
  };
}
