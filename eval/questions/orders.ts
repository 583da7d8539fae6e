import { isRevenue, type Order, statusAt } from '../../src/sandbox/world/trade/order.ts';
import { perKey, sumOf } from '../../test/sandbox/world/truth.ts';
import { figure, name, oneOf, rounded } from '../judge/facts.ts';
import { daysOf, euros, grouped, type Question } from './question.ts';

const totalOf = ({ totalWtCents }: Order) => totalWtCents;

export const orderQuestions: readonly Question[] = [
  {
    id: 'paid-with',
    ask: ({ unbalancedDay: { date } }) =>
      `How was ${date} paid, per payment method? Do the payments balance, and if not, by how much?`,
    truth(world) {
      const { date, differenceCents } = world.unbalancedDay;
      const paid = perKey(
        world.orders(date).flatMap(({ payments }) => payments),
        'methodId',
        'amountCents',
      );
      const methods = world.paymentMethods.filter(({ id }) => paid.has(id));
      return [
        ...methods.map(({ id, name }) => [name, euros(paid.get(id) ?? 0)]),
        [euros(differenceCents)],
      ];
    },
    sql: ({ unbalancedDay: { date } }) => `
      SELECT m.name, value FROM get_payment_report(period := '${date}') r
      JOIN payment_methods m USING (provider_method_type_id) WHERE split = 'payment_method'
      UNION ALL SELECT 'difference', value FROM get_payment_report(period := '${date}')
      WHERE measure = 'difference_wt'`,
  },
  {
    id: 'payment-shares',
    ask: 'What was received by each payment method last week, and what share of all payments is that in percent?',
    truth(world) {
      const paid = perKey(
        world.orders(...daysOf(world).lastWeek).flatMap(({ payments }) => payments),
        'methodId',
        'amountCents',
      );
      const all = sumOf([...paid.values()], (cents) => cents);
      return world.paymentMethods.flatMap(({ id, name }) => {
        const cents = paid.get(id);
        return cents === undefined ? [] : [[name, euros(cents), rounded((100 * cents) / all, 1)]];
      });
    },
    sql: `SELECT m.name, r.value AS received,
        round(100 * r.value / sum(r.value) OVER (), 2) AS percent
      FROM get_payment_report(period := 'last_week') r
      JOIN payment_methods m USING (provider_method_type_id) WHERE r.split = 'payment_method'`,
  },
  {
    id: 'unpaid',
    ask: 'How many orders of last month are not paid yet, and what is their total including VAT?',
    truth(world) {
      const unpaid = world.orders(...daysOf(world).lastMonth, { isPaid: false });
      return [[unpaid.length, euros(sumOf(unpaid, totalOf))]];
    },
    sql: `SELECT count(*) AS orders, sum(total_wt) AS total
      FROM list_orders(period := 'last_month', is_paid := false)`,
  },
  {
    id: 'unpaid-statuses',
    ask: 'Of last month’s orders that are not paid yet: how many are in each status, and what percentage is that?',
    truth(world) {
      const unpaid = world.orders(...daysOf(world).lastMonth, { isPaid: false });
      const statuses = grouped(unpaid, (order) => statusAt(order, world.now()));
      return [...statuses].map(([status, { length }]) => [
        status,
        length,
        rounded((100 * length) / unpaid.length, 1),
      ]);
    },
    sql: `SELECT status, count(*) AS orders, round(100 * count(*) / sum(count(*)) OVER (), 2) AS percent
      FROM list_orders(period := 'last_month', is_paid := false) GROUP BY status`,
  },
  {
    id: 'average-per-shop',
    ask: 'What was the average order value including VAT at each shop last quarter, and over how many orders?',
    truth: (world) =>
      world.shops.map(({ id, name }) => {
        const own = world.orders(...daysOf(world).lastQuarter, { shopIds: [id] });
        return [name, rounded(sumOf(own, totalOf) / 100 / own.length, 2), own.length];
      }),
    sql: `SELECT s.name, round(avg(total_wt), 2) AS average, count(*) AS orders
      FROM list_orders(period := 'last_quarter') o JOIN shops s ON s.id = o.shop_id GROUP BY s.name`,
  },
  {
    id: 'median-per-shop',
    ask: 'What are the median and the ninth decile of the order totals including VAT at each shop last month? Take totals that occur, the lower one where two qualify.',
    truth: (world) =>
      world.shops.map(({ id, name }) => {
        const cents = world
          .orders(...daysOf(world).lastMonth, { shopIds: [id] })
          .map(totalOf)
          .sort((a, b) => a - b);
        const at = (share: number) => euros(cents[Math.ceil(cents.length * share) - 1] ?? 0);
        return [name, at(0.5), at(0.9)];
      }),
    sql: `SELECT s.name, quantile_disc(total_wt, 0.5) AS middle, quantile_disc(total_wt, 0.9) AS high
      FROM list_orders(period := 'last_month') o JOIN shops s ON s.id = o.shop_id GROUP BY s.name`,
  },
  {
    id: 'given-away',
    ask: 'How many orders of last month were given away entirely, discounted to nothing, and how much discount was that together?',
    truth(world) {
      const given = world
        .orders(...daysOf(world).lastMonth)
        .filter((order) => order.totalWtCents === 0 && order.discountWtCents > 0);
      return [[given.length, euros(sumOf(given, 'discountWtCents'))]];
    },
    sql: `SELECT count(*) AS orders, sum(discount_value_wt) AS discount
      FROM list_discount_orders(period := 'last_month', only_full := true)`,
  },
  {
    id: 'discount-per-shop',
    ask: 'How much discount did each shop give last month, including VAT?',
    truth(world) {
      const discounts = perKey(
        world.orders(...daysOf(world).lastMonth).filter((order) => order.discountWtCents > 0),
        'shopId',
        'discountWtCents',
      );
      return world.shops.flatMap(({ id, name }) =>
        discounts.has(id) ? [[name, euros(discounts.get(id) ?? 0)]] : [],
      );
    },
    sql: `SELECT s.name, sum(discount_value_wt) AS discount
      FROM list_discount_orders(period := 'last_month') o JOIN shops s ON s.id = o.shop_id
      GROUP BY s.name`,
  },
  {
    id: 'kinds-of-lines',
    ask: (world) =>
      `How many order lines of each kind (product, shipping, discount, ...) were there on ${daysOf(world).saturday}, and what did each kind bring together, including VAT?`,
    truth(world) {
      const lines = world.orders(daysOf(world).saturday).flatMap((order) => order.lines);
      return [...grouped(lines, ({ kind }) => kind)].map(([kind, own]) => [
        oneOf(name(kind), name(kind.replaceAll('_', ' '))),
        own.length,
        euros(sumOf(own, 'totalWtCents')),
      ]);
    },
    sql: (world) => `SELECT kind, count(*) AS lines, sum(total_wt) AS total
      FROM list_order_items(order_id := (
        SELECT id FROM list_orders(period := '${daysOf(world).saturday}'))) GROUP BY kind`,
  },
  {
    id: 'baskets',
    ask: (world) =>
      `How many orders, and how many order lines of any kind, did each shop have on ${daysOf(world).saturday}?`,
    truth: (world) =>
      world.shops.flatMap(({ id, name }) => {
        const { saturday } = daysOf(world);
        const own = world.orders(saturday, saturday, { shopIds: [id] });
        return own.length === 0
          ? []
          : [[name, own.length, sumOf(own, ({ lines }) => lines.length)]];
      }),
    sql: (world) => `SELECT s.name, count(DISTINCT o.id) AS orders, count(i.id) AS lines
      FROM list_orders(period := '${daysOf(world).saturday}') o,
        list_order_items(order_id := o.id) i, shops s
      WHERE s.id = o.shop_id GROUP BY s.name`,
  },
  {
    id: 'no-product',
    ask: 'Which orders of last week have no product line at all? Give their order numbers.',
    truth: (world) =>
      world
        .orders(...daysOf(world).lastWeek)
        .filter(({ lines }) => !lines.some((it) => isRevenue(it) && it.productId !== null))
        .map(({ id, number }) => [oneOf(name(String(number)), figure(id))]),
    sql: `WITH o AS (FROM list_orders(period := 'last_week')),
        i AS (FROM list_order_items(order_id := (SELECT id FROM o)))
      SELECT o.order_number FROM o ANTI JOIN (FROM i WHERE kind = 'product') p ON p.order_id = o.id`,
  },
];
