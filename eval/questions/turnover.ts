import type { Order } from '../../src/sandbox/world/trade/order.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import { perKey, revenueLines, sumOf } from '../../test/sandbox/world/truth.ts';
import { day, figure, name, oneOf, rounded } from '../judge/facts.ts';
import {
  daysOf,
  eachDay,
  euros,
  largest,
  type Question,
  sameWeekdays,
  weekOf,
} from './question.ts';

/** Turnover of some orders in euros. */
function turnoverOf(orders: readonly Order[]): { wt: number; ex: number } {
  const lines = revenueLines(orders);
  return {
    wt: euros(sumOf(lines, 'totalWtCents')),
    ex: euros(sumOf(lines, 'totalExCents')),
  };
}

/** The shops of each location. */
function shopsOf(world: World, locationId: number): number[] {
  return world.shops.filter((shop) => shop.locationId === locationId).map(({ id }) => id);
}

/** Turnover incl. VAT in cents of those of some days that had any. */
function centsOfOpenDays(world: World, days: readonly string[]): number[] {
  const cents = days.map((date) => sumOf(revenueLines(world.orders(date)), 'totalWtCents'));
  return cents.filter((it) => it !== 0);
}

/** The whole cent at, or nearest to, the middle. */
function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return Math.round(((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half)] ?? 0)) / 2);
}

const totalOf = ({ totalWtCents }: Order) => totalWtCents;
const weekdays = [
  ['Monday', 'maandag'],
  ['Tuesday', 'dinsdag'],
  ['Wednesday', 'woensdag'],
  ['Thursday', 'donderdag'],
  ['Friday', 'vrijdag'],
  ['Saturday', 'zaterdag'],
  ['Sunday', 'zondag'],
] as const;

export const turnoverQuestions: readonly Question[] = [
  {
    id: 'day-per-shop',
    ask: (world) =>
      `What was the turnover of each shop on ${daysOf(world).saturday}, including and excluding VAT?`,
    truth: (world) =>
      world.shops.map(({ id, name }) => {
        const { saturday } = daysOf(world);
        const { wt, ex } = turnoverOf(world.orders(saturday, saturday, { shopIds: [id] }));
        return [name, wt, ex];
      }),
    sql: (world) => `
      SELECT s.name, max(value) FILTER (measure = 'turnover_wt') AS wt,
        max(value) FILTER (measure = 'turnover') AS ex
      FROM get_financial_report(period := '${daysOf(world).saturday}') f
      JOIN shops s ON s.id = f.shop_id WHERE split = 'shop' GROUP BY s.name`,
  },
  {
    id: 'week-per-group',
    ask: 'How did last week’s turnover including VAT compare with the week before, per turnover group? Give both weeks and the difference.',
    truth(world) {
      const { lastWeek, weekBefore } = daysOf(world);
      const [now, then] = [lastWeek, weekBefore].map((days) =>
        perKey(revenueLines(world.orders(...days)), 'productGroupId', 'totalWtCents'),
      );
      return world.turnoverGroups.flatMap(({ id, name }) => {
        const [current = 0, reference = 0] = [now?.get(id), then?.get(id)];
        if (current === 0 && reference === 0) return [];
        return [[name, euros(current), euros(reference), euros(current - reference)]];
      });
    },
    sql: `SELECT name, current, reference, difference
      FROM compare_turnover(period := 'last_week', by := 'turnover_group')
      WHERE measure LIKE '%turnover_wt'`,
  },
  {
    id: 'vat-per-rate',
    ask: 'How much VAT was there last month at each VAT rate, on what was paid directly and on what is not paid yet?',
    truth(world) {
      const { lastMonth } = daysOf(world);
      const [paid, unpaid] = [true, false].map((isPaid) =>
        perKey(
          revenueLines(world.orders(...lastMonth, { isPaid })),
          'taxRateId',
          ({ totalWtCents, totalExCents }) => totalWtCents - totalExCents,
        ),
      );
      return world.taxRates.flatMap(({ id, percentage }) => {
        const [direct = 0, later = 0] = [paid?.get(id), unpaid?.get(id)];
        return direct === 0 && later === 0 ? [] : [[percentage, euros(direct), euros(later)]];
      });
    },
    sql: `SELECT t.percentage, max(value) FILTER (path LIKE 'direct_paid%') AS paid,
        max(value) FILTER (path LIKE 'not_paid_now%') AS unpaid
      FROM get_financial_report(period := 'last_month') f JOIN tax_rates t ON t.id = f.tax_rate_id
      WHERE measure = 'vat' GROUP BY t.percentage HAVING sum(value) <> 0`,
  },
  {
    id: 'saturday-last-year',
    ask: (world) =>
      `What was the turnover including VAT of Saturday ${daysOf(world).saturday}, and of the same Saturday of last year, 52 weeks before? By how many percent did it change?`,
    truth(world) {
      const { saturday, saturdayLastYear } = daysOf(world);
      const [now, then] = [saturday, saturdayLastYear].map(
        (date) => turnoverOf(world.orders(date)).wt,
      );
      return [[now ?? 0, then ?? 0, rounded((100 * ((now ?? 0) - (then ?? 0))) / (then ?? 0), 1)]];
    },
    sql: (world) => `SELECT current, reference, percent
      FROM compare_turnover(period := '${daysOf(world).saturday}', against := 'year_earlier_same_weekdays')
      WHERE measure = 'revenue.total_turnover_wt'`,
  },
  {
    id: 'month-per-location',
    ask: 'What was last month’s turnover excluding VAT at each location?',
    truth: (world) =>
      world.locations.map(({ id, name }) => [
        name,
        turnoverOf(world.orders(...daysOf(world).lastMonth, { shopIds: shopsOf(world, id) })).ex,
      ]),
    sql: `SELECT name, current FROM compare_turnover(period := 'last_month', by := 'location', against := 'none')
      WHERE measure = 'revenue.total_turnover'`,
  },
  {
    id: 'days-of-a-week',
    ask: (world) => {
      const [from, to] = weekOf(world.closedDay);
      return `Give the turnover including VAT of each day from ${from} to ${to}, in euros, days without any included.`;
    },
    truth: (world) =>
      eachDay(weekOf(world.closedDay)).map((date) => [
        day(date),
        turnoverOf(world.orders(date)).wt,
      ]),
    sql: (world) => `SELECT bucket, revenue.total_turnover_wt
      FROM turnover_trend(period := '${weekOf(world.closedDay).join('..')}')`,
  },
  {
    id: 'report-and-orders',
    ask: 'Do the orders of last week add up to what the financial report says is paid directly and not paid yet together? Give both totals, including VAT.',
    truth(world) {
      const total = euros(sumOf(world.orders(...daysOf(world).lastWeek), totalOf));
      return [[total]];
    },
    sql: `SELECT sum(total_wt) AS ordered FROM list_orders(period := 'last_week')`,
  },
  {
    id: 'unbalanced-day',
    ask: 'On which single day of the last 20 days do the payments not balance, and by how much?',
    truth: ({ unbalancedDay: { date, differenceCents } }) => [[day(date), euros(differenceCents)]],
    sql: `SELECT "date", value
      FROM get_daily_close("date" := (
        SELECT bucket FROM turnover_trend(period := 'last_20_days')))
      WHERE path = 'balance_check' AND measure = 'difference_wt' AND value <> 0`,
  },
  {
    id: 'weekdays',
    ask: 'Over the last four whole weeks: what turnover including VAT did the Mondays bring together, the Tuesdays, and so on?',
    truth(world) {
      const days = eachDay(daysOf(world).lastFourWeeks);
      return weekdays.map((words, index) => {
        const own = days.filter((_, at) => at % 7 === index);
        const cents = sumOf(own, (date) => Math.round(100 * turnoverOf(world.orders(date)).wt));
        return [oneOf(...words.map(name)), euros(cents)];
      });
    },
    sql: `SELECT dayname(bucket) AS weekday, sum(revenue.total_turnover_wt) AS turnover
      FROM turnover_trend(period := 'last_4_weeks', bucket := 'day') GROUP BY weekday`,
  },
  {
    id: 'best-day-per-shop',
    ask: 'Which day of last month was the best of each shop, by the total of its orders including VAT, and what was that total?',
    truth(world) {
      const days = eachDay(daysOf(world).lastMonth);
      return world.shops.flatMap((shop) => {
        const totals = days.map((date) => ({
          date,
          cents: sumOf(world.orders(date, date, { shopIds: [shop.id] }), totalOf),
        }));
        return largest(totals, 1, ({ cents }) => cents).map(({ date, cents }) => [
          shop.name,
          day(date),
          euros(cents),
        ]);
      });
    },
    sql: `SELECT s.name, CAST(o.date_created AS DATE) AS day, sum(o.total_wt) AS total
      FROM list_orders(period := 'last_month') o JOIN shops s ON s.id = o.shop_id
      GROUP BY s.name, day
      QUALIFY row_number() OVER (PARTITION BY s.name ORDER BY total DESC) = 1`,
  },
  {
    id: 'growth-per-location',
    ask: 'What was the turnover including VAT of each location last week, and the week before?',
    truth: (world) =>
      world.locations.map(({ id, name }) => {
        const { lastWeek, weekBefore } = daysOf(world);
        const [now = 0, then = 0] = [lastWeek, weekBefore].map(
          (days) => turnoverOf(world.orders(...days, { shopIds: shopsOf(world, id) })).wt,
        );
        return [name, now, then];
      }),
    sql: `SELECT l.name, sum(c.current) AS this_week, sum(c.reference) AS week_before
      FROM compare_turnover(period := 'last_week', by := 'shop') c
      JOIN shops s ON s.id = c.id JOIN locations l ON l.id = s.location_id
      WHERE c.measure LIKE '%turnover_wt' GROUP BY l.name`,
  },
  {
    id: 'largest-group-per-shop',
    ask: 'Which turnover group brought each shop the most last month, and how much, including VAT?',
    truth: (world) =>
      world.shops.flatMap((shop) => {
        const lines = revenueLines(
          world.orders(...daysOf(world).lastMonth, { shopIds: [shop.id] }),
        );
        const groups = perKey(lines, 'productGroupId', 'totalWtCents');
        return largest([...groups], 1, ([, cents]) => cents).map(([id, cents]) => [
          shop.name,
          world.turnoverGroups.find((group) => group.id === id)?.name ?? '',
          euros(cents),
        ]);
      }),
    sql: `SELECT s.name AS shop, g.name AS turnover_group, f.value AS turnover
      FROM get_financial_report(period := 'last_month') f
      JOIN shops s ON s.id = f.shop_id JOIN turnover_groups g ON g.id = f.product_group_id
      WHERE f.split = 'shop, turnover_group' AND f.measure = 'turnover_wt'
      QUALIFY row_number() OVER (PARTITION BY s.id ORDER BY f.value DESC) = 1`,
  },
  {
    id: 'location-of-a-shop',
    ask: (world) =>
      `What was the turnover including VAT of ${daysOf(world).saturday} at the location that the shop Webshop belongs to, all its shops together?`,
    truth(world) {
      const { saturday } = daysOf(world);
      const home = world.shops.find((shop) => shop.name === 'Webshop')?.locationId ?? 0;
      const orders = world.orders(saturday, saturday, { shopIds: shopsOf(world, home) });
      return [[figure(turnoverOf(orders).wt)]];
    },
    sql: (world) => `SELECT value FROM get_daily_close("date" := '${daysOf(world).saturday}',
        location_id := (SELECT location_id FROM shops WHERE name = 'Webshop'))
      WHERE path = '' AND measure = 'turnover_wt'`,
  },
  {
    id: 'usual-saturday',
    ask: (world) =>
      `Is the turnover including VAT of Saturday ${daysOf(world).saturday} usual? Give it, with the median, the lowest and the highest of the eight Saturdays before.`,
    truth(world) {
      const { saturday } = daysOf(world);
      const [now = 0] = centsOfOpenDays(world, [saturday]);
      const before = centsOfOpenDays(world, sameWeekdays(saturday, 8));
      const ends = [Math.min(...before), Math.max(...before)];
      return [[now, medianOf(before), ...ends].map(euros)];
    },
    sql: (world) => `SELECT current, reference, low, high
      FROM compare_turnover(period := '${daysOf(world).saturday}', against := 'usual')
      WHERE measure = 'revenue.total_turnover_wt'`,
  },
  {
    id: 'orders-or-value',
    ask: (world) =>
      `By how much did the turnover including VAT of Saturday ${daysOf(world).saturday} differ from the Saturday a week before? How much of that comes from the number of orders, at the average value that an order had a week before, and how much from another value per order?`,
    truth(world) {
      const { saturday } = daysOf(world);
      const [weekBefore = ''] = sameWeekdays(saturday, 1);
      const [now = 0, then = 0] = [saturday, weekBefore].flatMap((it) =>
        centsOfOpenDays(world, [it]),
      );
      const [orders = 0, ordersThen = 0] = [saturday, weekBefore].map(
        (it) => world.orders(it).length,
      );
      const byOrders = Math.round(((orders - ordersThen) * then) / ordersThen);
      return [[now - then, byOrders, now - then - byOrders].map(euros)];
    },
    sql: (world) => `WITH compared AS (
        SELECT max(difference) FILTER (measure = 'revenue.total_turnover_wt') AS differs,
          max(reference) FILTER (measure = 'revenue.total_turnover_wt') AS turnover,
          max(difference) FILTER (measure = 'order_count') AS orders,
          max(reference) FILTER (measure = 'order_count') AS orders_then
        FROM compare_turnover(period := '${daysOf(world).saturday}', against := 'week_earlier',
          measures := ['revenue.total_turnover_wt', 'order_count']))
      SELECT differs, round(orders * turnover / orders_then, 2) AS by_orders,
        differs - round(orders * turnover / orders_then, 2) AS by_value FROM compared`,
  },
  {
    id: 'usual-week',
    ask: 'What turnover including VAT did each day of last week bring, and what is usual for that weekday: the median of the eight weeks before, days without any turnover left out?',
    truth(world) {
      const { lastWeek } = daysOf(world);
      return eachDay(lastWeek).map((date) => [
        day(date),
        turnoverOf(world.orders(date)).wt,
        euros(medianOf(centsOfOpenDays(world, sameWeekdays(date, 8)))),
      ]);
    },
    sql: `SELECT bucket, revenue.total_turnover_wt, reference.revenue.total_turnover_wt AS usual
      FROM turnover_trend(period := 'last_week', against := 'usual')`,
  },
];
