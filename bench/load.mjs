// `npm run load`: 200 clients at once, each with 20 calls, against the built server over HTTP. Every answer is compared
// with the platform's own; memory is taken after garbage collection.
import { isDeepStrictEqual } from 'node:util';
import { ours } from './bundle.mjs';
import { openHttp } from './line-client.mjs';
import { quantile } from './measure.mjs';
import { openPlatform } from './open-platform.mjs';
import { openWatched } from './process-figures.mjs';

const clients = 200;
/** Each client asks sixteen questions of one call and two of two calls. */
const singles = 16;
const doubles = 2;
const calls = clients * (singles + 2 * doubles);
/** Largest change of memory, as a share. */
const maxDifference = 0.2;
/** Past days that no longer change, before the day without sales in the sandbox. */
const firstDay = 20;
const days = 14;

const platform = await openPlatform({});
const server = await openWatched(openHttp, ['--expose-gc', ours, 'http', '--port', '0'], {
  ...platform.settings,
  COMMERCE_LOG_LEVEL: 'warn',
});
try {
  const questions = await readQuestions(platform.account);
  const started = await server.figures();
  // The first round fills caches, kept results and compiled code, which are bounded.
  await round(questions);
  const before = await server.figures();
  const { times, wrong, tookMs } = await round(questions);
  const after = await server.figures();
  const { requests, refused } = await platform.stats();
  const growth = [after.liveMb / before.liveMb - 1, after.residentMb / before.residentMb - 1];
  const memory = (key) => [started, before, after].map((figures) => figures[key].toFixed(1));

  console.log(`calls: ${times.length} of ${calls} by ${clients} clients in ${shown(tookMs)}`);
  console.log(`not right: ${wrong.length}`);
  console.log(`requests to the platform, both rounds: ${requests}, ${refused} refused`);
  const shares = [0.5, 0.99, 1].map((share) => shown(quantile(times, share)));
  console.log(`a call took, p50 / p99 / at most: ${shares.join(' / ')}`);
  console.log(`memory in use, started / before / after: ${memory('liveMb').join(' / ')} MB`);
  console.log(`resident memory, the same: ${memory('residentMb').join(' / ')} MB`);
  console.log(
    `event loop held up, p99 / at most: ${shown(after.p99Ms)} / ${shown(after.longestMs)}`,
  );
  for (const reason of wrong.slice(0, 10)) console.log(`not right: ${reason}`);
  const isFine =
    wrong.length + refused === 0 &&
    times.length === calls &&
    growth.every((share) => Math.abs(share) <= maxDifference);
  console.log(isFine ? 'as it should be' : 'NOT as it should be');
  process.exitCode = isFine ? 0 : 1;
} finally {
  await server.close();
  await platform.close();
}

/** All clients at once, from their handshake to their last answer. */
async function round({ single, double }) {
  const times = [];
  const wrong = [];
  const startedMs = performance.now();
  const call = async (tool, input) => {
    const startedMs = performance.now();
    const { structuredContent } = await server.call(tool, input);
    times.push(performance.now() - startedMs);
    return structuredContent;
  };
  // Clients ask different questions at every step.
  const work = async (index) => {
    await server.initialize();
    for (let step = 0; step < singles + doubles; step++) {
      const isDouble = step % (singles / doubles + 1) === index % (singles / doubles + 1);
      const list = isDouble ? double : single;
      const { tool, isRight } = list[(index * 7 + step * 5) % list.length];
      const outcome = await isRight(call).catch((error) => error.message);
      if (outcome !== true) wrong.push(outcome || `${tool}: another answer than the platform's`);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => work(index)));
  return { times, wrong, tookMs: performance.now() - startedMs };
}

/** Questions with the answers of the platform, read past the server. */
async function readQuestions({ baseUrl, token }) {
  const ask = async (path, query = {}) => {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`${baseUrl}${path}?${new URLSearchParams(query)}`, { headers });
    if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
    return reply.json();
  };
  const shops = await ask('/api/shop');
  const single = [question('list_shops', {}, shops)];
  const double = [];
  for (let ago = firstDay; ago < firstDay + days; ago++) {
    const time = new Date(Date.now() - ago * 86_400_000);
    const date = time.toLocaleDateString('sv-SE', { timeZone: 'Europe/Amsterdam' });
    const day = { from: date, to: date };
    const orders = await ask('/api/order', { ...day, limit: 500 });
    const { id, shop_id } = orders.data[0];
    const page = { ...day, start: 5, limit: 10 };
    const atLocation = { ...day, location_id: shops.data[ago % shops.count].location_id };
    single.push(
      question('get_daily_close', { date }, await ask('/api/report/daily-close', { date })),
      question('get_payment_report', day, await ask('/api/report/payment', day)),
      question('get_financial_report', atLocation, await ask('/api/financial-report', atLocation)),
      question('list_orders', page, await ask('/api/order', page)),
      question('get_order', { order_id: id }, await ask(`/api/order/${id}`)),
      question('list_order_items', { order_id: id }, await ask(`/api/order/${id}/item`)),
    );
    double.push(summary(day, shop_id, orders));
  }
  return { single, double };
}

/** An answer that must equal that of the platform. */
function question(tool, input, expected) {
  return {
    tool,
    async isRight(call) {
      const { context: _, ...payload } = await call(tool, input);
      return isDeepStrictEqual(payload, expected);
    },
  };
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

function shown(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
