import { WALK_IN_ID } from '../../src/sandbox/world/business/customers.ts';
import type { Order } from '../../src/sandbox/world/trade/order.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import { perKey, sumOf } from '../../test/sandbox/world/truth.ts';
import { dayOf, daysOf, euros, grouped, largest, type Question } from './question.ts';

const totalOf = ({ totalWtCents }: Order) => totalWtCents;

/** Customers with what they spent, in cents; the walk-in customer is left out. */
function spent(orders: readonly Order[]): [id: number, cents: number][] {
  const named = orders.filter(({ relationId }) => relationId !== WALK_IN_ID);
  return [...perKey(named, 'relationId', totalOf)];
}

/** The months in which each customer ordered, ascending. */
function monthsPerCustomer(world: World): string[][] {
  const orders = world.orders(...daysOf(world).lastThreeMonths);
  return [...grouped(orders, ({ relationId }) => relationId).values()].map((own) =>
    [...new Set(own.map(({ placedMs }) => dayOf(placedMs).slice(0, 7)))].sort(),
  );
}

export const customerQuestions: readonly Question[] = [
  {
    id: 'how-many-customers',
    ask: 'How many different customers ordered last quarter (the walk-in customer counts as one), and how many orders were there?',
    truth(world) {
      const orders = world.orders(...daysOf(world).lastQuarter);
      return [[new Set(orders.map(({ relationId }) => relationId)).size, orders.length]];
    },
    sql: `SELECT count(DISTINCT relation_data_id) AS customers, count(*) AS orders
      FROM list_orders(period := 'last_quarter')`,
  },
  {
    id: 'best-customers',
    ask: 'Who were the five best customers of last month by the total of their orders including VAT, the walk-in customer left out, and what did each spend?',
    truth: (world) =>
      largest(spent(world.orders(...daysOf(world).lastMonth)), 5, ([, cents]) => cents).map(
        ([id, cents]) => [world.customer(id)?.name ?? '', euros(cents)],
      ),
    sql: `SELECT customer_name, sum(total_wt) AS total FROM list_orders(period := 'last_month')
      WHERE relation_data_id <> ${WALK_IN_ID} GROUP BY relation_data_id, customer_name
      ORDER BY total DESC LIMIT 5`,
  },
  {
    id: 'best-customer-per-shop',
    ask: 'Who was the best customer of each shop last month, the walk-in customer left out, and what did that customer spend there including VAT?',
    truth: (world) =>
      world.shops.flatMap((shop) => {
        const orders = world.orders(...daysOf(world).lastMonth, { shopIds: [shop.id] });
        return largest(spent(orders), 1, ([, cents]) => cents).map(([id, cents]) => [
          shop.name,
          world.customer(id)?.name ?? '',
          euros(cents),
        ]);
      }),
    sql: `SELECT s.name, customer_name, sum(total_wt) AS spent
      FROM list_orders(period := 'last_month') o JOIN shops s ON s.id = o.shop_id
      WHERE relation_data_id <> ${WALK_IN_ID} GROUP BY s.name, relation_data_id, customer_name
      QUALIFY row_number() OVER (PARTITION BY s.name ORDER BY spent DESC) = 1`,
  },
  {
    id: 'stayed-away',
    ask: (world) => {
      const [from, to] = daysOf(world).monthBefore;
      return `Which customers who live in Haarlem ordered between ${from} and ${to} and have not ordered since, up to and including yesterday? Give their e-mail addresses.`;
    },
    truth(world) {
      const { monthBefore, lastMonth, yesterday } = daysOf(world);
      const since = new Set(
        world.orders(lastMonth[0], yesterday).map(({ relationId }) => relationId),
      );
      const then = new Set(world.orders(...monthBefore).map(({ relationId }) => relationId));
      return [...then]
        .filter((id) => !since.has(id))
        .flatMap((id) => world.customer(id) ?? [])
        .filter(({ address }) => address.city === 'Haarlem')
        .map(({ email }) => [email]);
    },
    sql: (world) => {
      const { monthBefore, lastMonth, yesterday } = daysOf(world);
      return `WITH gone AS (
          SELECT relation_data_id FROM list_orders(period := '${monthBefore.join('..')}')
          EXCEPT
          SELECT relation_data_id FROM list_orders(period := '${lastMonth[0]}..${yesterday}'))
        SELECT c.email FROM get_customer(customer_id := (SELECT relation_data_id FROM gone)) c
        WHERE c.address.city = 'Haarlem'`;
    },
  },
  {
    id: 'came-back',
    ask: 'Take the customers who ordered in the first of the last three whole months. How many are they, and how many of them ordered again in the second of these months, and how many in the third?',
    truth(world) {
      const [first = ''] = daysOf(world).lastThreeMonths;
      const second = daysOf(world).monthBefore[0].slice(0, 7);
      const third = daysOf(world).lastMonth[0].slice(0, 7);
      const cohort = monthsPerCustomer(world).filter(([month]) => month === first.slice(0, 7));
      const back = (month: string) => cohort.filter((months) => months.includes(month)).length;
      return [[cohort.length, back(second), back(third)]];
    },
    sql: `WITH o AS (
        SELECT DISTINCT relation_data_id AS customer,
          date_trunc('month', CAST(date_created AS DATE)) AS month
        FROM list_orders(period := 'last_3_months')),
      firsts AS (SELECT customer FROM o WHERE month = (SELECT min(month) FROM o))
      SELECT month, count(*) AS customers FROM o SEMI JOIN firsts USING (customer) GROUP BY month`,
  },
  {
    id: 'longest-pause',
    ask: 'Look at the days on which each customer ordered last quarter, the walk-in customer as one: how many pauses between two such days were there, and how many days is the longest?',
    truth(world) {
      const orders = world.orders(...daysOf(world).lastQuarter);
      const pauses = [...grouped(orders, ({ relationId }) => relationId).values()].flatMap(
        (own) => {
          const days = [...new Set(own.map(({ placedMs }) => Date.parse(dayOf(placedMs))))];
          days.sort((a, b) => a - b);
          return days.slice(1).map((it, index) => (it - (days[index] ?? 0)) / 86_400_000);
        },
      );
      return [[pauses.length, Math.max(...pauses)]];
    },
    sql: `WITH days AS (
        SELECT DISTINCT relation_data_id AS customer, CAST(date_created AS DATE) AS day
        FROM list_orders(period := 'last_quarter')),
      gaps AS (
        SELECT day - lag(day) OVER (PARTITION BY customer ORDER BY day) AS gap FROM days)
      SELECT count(gap) AS pauses, max(gap) AS longest FROM gaps`,
  },
  {
    id: 'segments',
    ask: 'How many orders did the customers of each segment place last month, and what did they spend including VAT?',
    truth(world) {
      const orders = world.orders(...daysOf(world).lastMonth);
      return world.segments.flatMap(({ id, name }) => {
        const own = orders.filter(({ segmentId }) => segmentId === id);
        return own.length === 0 ? [] : [[name, own.length, euros(sumOf(own, totalOf))]];
      });
    },
    sql: `SELECT s.name, count(*) AS orders, sum(o.total_wt) AS spent
      FROM list_orders(period := 'last_month') o JOIN customer_segments s ON s.id = o.segment_id
      GROUP BY s.name`,
  },
  {
    id: 'both-channels',
    ask: 'How many customers who belong to a segment ordered last month both in a webshop and in a shop with a till? And how many who belong to a segment ordered at all?',
    truth(world) {
      const trades = new Map(world.shops.map(({ id, trade }) => [id, trade]));
      const isWeb = ({ shopId }: Order) => trades.get(shopId) === 'web';
      const known = world
        .orders(...daysOf(world).lastMonth)
        .filter(({ segmentId }) => segmentId !== null);
      const customers = [...grouped(known, ({ relationId }) => relationId).values()];
      const both = customers.filter((own) => own.some(isWeb) && !own.every(isWeb));
      return [[both.length, customers.length]];
    },
    sql: `WITH o AS (
        SELECT relation_data_id AS customer, bool_or(s.type = 'webshop') AND bool_or(s.type = 'pos') AS either_way
        FROM list_orders(period := 'last_month') o JOIN shops s ON s.id = o.shop_id
        WHERE o.segment_id IS NOT NULL GROUP BY customer)
      SELECT count(*) FILTER (either_way) AS in_both, count(*) AS customers FROM o`,
  },
];
