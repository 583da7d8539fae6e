// What is asked under load, each with the answer that the platform itself gives.
import { isDeepStrictEqual } from 'node:util';

/** Days that are over long enough for nothing about them to change, and before the sandbox's day without sales. */
const firstDay = 20;
const days = 14;

/**
 * Reads the expected answers from the platform, past the server that is measured.
 * @param {object} account of the platform: its addresses and a key
 * @returns questions of one call each, and questions of two; `isRight` asks through a client's `call`,
 *   which resolves to structured content, and says whether what came is what the platform holds
 */
export async function readQuestions(account) {
  const ask = await openAccount(account);
  const shops = await ask('/api/shop');
  const single = [question('list_shops', {}, shops)];
  const double = [];
  for (let ago = firstDay; ago < firstDay + days; ago++) {
    const date = amsterdamDay(ago);
    const day = { from: date, to: date };
    const orders = await ask('/api/order', { ...day, limit: 500 });
    const { id } = orders.data[0];
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
    double.push(summary(day, orders.data[0].shop_id, orders));
  }
  return { single, double };
}

/** An answer that passes on what the platform holds. */
function question(tool, input, expected) {
  return {
    tool,
    async isRight(call) {
      const { context, ...payload } = await call(tool, input);
      return context.source === 'sandbox' && isDeepStrictEqual(payload, expected);
    },
  };
}

/** All orders of a shop on a day, and then by SQL how many there are of each status and what they come to. */
function summary(day, shop_id, { data, total }) {
  if (data.length !== total) throw new Error(`${day.from} has more orders than one page`);
  const expected = totalsOf(data.filter((order) => order.shop_id === shop_id));
  return {
    tool: 'query',
    async isRight(call) {
      const { context } = await call('list_orders', { ...day, shop_id, all: true });
      const summed = await call('query', {
        sql: `SELECT status, count(*) AS orders, sum(total_wt) AS total FROM result('${context.result.id}') GROUP BY ALL`,
      });
      const groups = summed.data.map(({ status, orders, total }) => [
        status,
        { orders, cents: cents(total) },
      ]);
      return context.complete && isDeepStrictEqual(new Map(groups), expected);
    },
  };
}

function totalsOf(orders) {
  const totals = new Map();
  for (const { status, total_wt } of orders) {
    const sum = totals.get(status) ?? { orders: 0, cents: 0 };
    totals.set(status, { orders: sum.orders + 1, cents: sum.cents + cents(total_wt) });
  }
  return totals;
}

function cents(euros) {
  return Math.round(euros * 100);
}

/** A day in Amsterdam some days ago, `YYYY-MM-DD`. */
function amsterdamDay(ago) {
  const time = new Date(Date.now() - ago * 86_400_000);
  return time.toLocaleDateString('sv-SE', { timeZone: 'Europe/Amsterdam' });
}

async function openAccount({ baseUrl, authUrl, clientId, clientSecret }) {
  const reply = await fetch(`${authUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token } = await reply.json();
  return async (path, query = {}) => {
    const url = `${baseUrl}${path}?${new URLSearchParams(query)}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${access_token}` } });
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    return answer.json();
  };
}
