import { expect, test } from 'vitest';
import type { Message } from '../../../../src/core/message.ts';
import { modelReader } from '../../../../src/mcp/answers/catalogue/catalogue.ts';

const model = modelReader(() => true);
const month = { from: '2026-10-01', to: '2026-10-31' };
const day = { from: '2026-11-14', to: '2026-11-14' };
const thursdays = { code: 'like_days', days: 1, weekday: 'Thursday' } as const;
const four = { like: thursdays, counted: 4, of: 4 };
const three = { like: thursdays, counted: 3, of: 4 };
const unknown = { tool: 'turnover_trend', by: 'total', name: 'revenue.totl_sales' } as const;
const middle = { turnover: 5102.4, from_median: -12 };

/** A figure among earlier ones. */
function among(current: number, rank: number, count = 4): Message {
  const [median, low, high] = count === 4 ? [3.5, 2, 5] : [3, 2, 4];
  return {
    code: 'figure_among_earlier',
    measure: 'turnover_wt',
    earlier: count === 4 ? four : three,
    figure: { current, median, low, high, count, rank },
  };
}

/** The turnover of two periods in orders and value per order. */
function explained(byNumber: number, byValue: number, count: number, before: number): Message {
  const orders = { count, before, byNumber, byValue };
  return { code: 'explained', difference: byNumber + byValue, against: day, orders };
}

/** Each message with what is said of it to a model. */
test.each<[Message, string]>([
  [
    { code: 'shops_by_shop', by: 'turnover_group' },
    'shop_id gives turnover by: "shop", not by: "turnover_group": leave one of the two out.',
  ],
  [
    { code: 'order_count', internal: 'left_out', turnover: 'left_out' },
    'order_count: internal orders are left out; turnover leaves them out, too',
  ],
  [
    { code: 'balance_by_order', day: '2026-11-11' },
    'of each order: query joins list_orders of 2026-11-11 with list_order_items, lines of kind payment against total_wt; where these are costs, payments of get_order against it',
  ],
  [
    { code: 'more_there', argument: 'measures', values: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
    'Also there, by measures: a, b, c, d, e, f and 1 more in context.more; a part of a name is enough',
  ],
  [
    { code: 'explain_splits_total', by: 'shop' },
    'explain splits a total itself, so it goes without by: "shop".',
  ],
  [
    { code: 'explain_needs_reference' },
    'explain needs a reference: give against, such as "usual" or "week_earlier".',
  ],
  [
    { code: 'expected_needs_days', most: 31 },
    'expected goes with days, 31 at most: give bucket: "day" and a period such as "last_30_days".',
  ],
  [
    { code: 'expected_is_usual' },
    'expected tells what is usual already: leave against: "usual" out.',
  ],
  [
    { code: 'no_usual_of_period', days: { from: '2026-01-01', to: '2026-11-20' }, most: 31 },
    'against: "usual" takes a calendar month or quarter, whole or from its first day on, or at most 31 days; 2026-01-01 to 2026-11-20 has 324. Give such a period, or against: "year_earlier".',
  ],
  [
    { code: 'too_many_calls', calls: 1050, periods: 350, each: 3, most: 300 },
    'this takes up to 1,050 platform calls (350 periods, 3 for each), and 300 is the most (COMMERCE_QUERY_MAX_CALLS). Nothing of it was read. Ask for fewer days, a larger bucket, or one location.',
  ],
  [
    { code: 'unknown_measures', ...unknown, nearest: 'revenue.total_sales', measures: ['a', 'b'] },
    'turnover_trend: no measure is called "revenue.totl_sales". Did you mean revenue.total_sales? There are a, b.',
  ],
  [
    { code: 'unknown_measures', ...unknown, by: 'shop', name: 'margin', measures: ['a'] },
    'turnover_trend: no measure by shop is called "margin". There are a. The report splits some measures only: without by there are more.',
  ],
  [
    {
      code: 'no_turnover_by',
      tool: 'compare_turnover',
      by: 'payment_method',
      measures: ['payments.amount_wt'],
    },
    'compare_turnover: the report has no turnover by payment_method, only payments.amount_wt. Give by: "payment_method" without measures for that, or leave by out for turnover.',
  ],
  [{ code: 'turnover_internal', internal: 'left_out' }, 'turnover: internal orders are left out'],
  [
    { code: 'cut_by_period', buckets: [{ bucket: '2026-W43', days: 2, of: 7 }] },
    'Cut by the period, so not to be compared with whole ones: 2026-W43 is 2 of 7 days.',
  ],
  [
    {
      code: 'not_like_for_like',
      period: { ...day, given: 'yesterday' },
      others: [{ from: '2026-10-14', to: '2026-10-14' }],
    },
    'Not like for like: yesterday is Saturday against Wednesday.',
  ],
  [
    {
      code: 'not_like_for_like',
      period: { from: '2026-11-09', to: '2026-11-11', given: 'dates' },
      others: [{ from: '2026-11-06', to: '2026-11-08' }],
      buckets: { unlike: 2, of: 3 },
    },
    'Not like for like in 2 of 3 buckets, such as: dates is Monday to Wednesday against Friday to Sunday.',
  ],
  [
    {
      code: 'not_like_for_like',
      period: { ...month, given: 'this_month' },
      others: [
        { from: '2026-09-01', to: '2026-09-30' },
        { from: '2026-02-01', to: '2026-02-28' },
        { from: '2026-06-01', to: '2026-06-30' },
      ],
    },
    'Not like for like: this_month is 31 days against 30 in 2026-09-01 to 2026-09-30, 2026-06-01 to 2026-06-30; 28 in 2026-02-01 to 2026-02-28.',
  ],
  [
    { code: 'day_not_over', today: '2026-11-20', time: '14:05', isBesideWholeDays: true },
    'Today (2026-11-20) is not over: its figures run up to 14:05 Amsterdam time, against whole days.',
  ],
  [{ code: 'like_units', unit: 'month', upToDay: 23 }, 'months up to day 23'],
  [{ code: 'like_units', unit: 'quarter' }, 'quarters'],
  [{ code: 'like_days', days: 7, weekday: 'Monday' }, 'weeks'],
  [{ code: 'like_days', days: 14, weekday: 'Monday' }, 'fortnights'],
  [{ code: 'like_days', days: 7, weekday: 'Thursday' }, 'weeks from Thursday'],
  [{ code: 'like_days', days: 10, weekday: 'Friday' }, 'stretches of 10 days from Friday'],
  [
    { code: 'too_few_periods', few: 1, of: 1, earlier: { ...three, counted: 2 } },
    'Too few earlier periods to call anything usual: 2 of 4 Thursdays.',
  ],
  [
    { code: 'too_few_periods', few: 2, of: 8 },
    'Too few earlier periods to call anything usual: 2 of 8 buckets have fewer than 4.',
  ],
  [
    { code: 'median_of_earlier', ...four, days: { from: '2026-10-22', to: '2026-11-12' } },
    'is the median of 4 Thursdays, 2026-10-22 to 2026-11-12, low and high the lowest and the highest; rank counts from below, 1 is lower than all',
  ],
  [among(1, 1), 'turnover_wt 1.00; usual 3.50 (median of 4 Thursdays, 2.00 to 5.00): lowest of 5.'],
  [
    among(9, 5),
    'turnover_wt 9.00; usual 3.50 (median of 4 Thursdays, 2.00 to 5.00): highest of 5.',
  ],
  [
    among(3.5, 3),
    'turnover_wt 3.50; usual 3.50 (median of 4 Thursdays, 2.00 to 5.00): in the middle of 5.',
  ],
  [
    among(4.5, 4),
    'turnover_wt 4.50; usual 3.50 (median of 4 Thursdays, 2.00 to 5.00): 2nd highest of 5.',
  ],
  [
    among(1_234_567.5, 4, 3),
    'turnover_wt 1,234,567.50; 3 of 4 Thursdays are too few to call usual (2.00 to 4.00, median 3.00).',
  ],
  [
    {
      code: 'days_outside',
      judged: 11,
      isByDay: true,
      outside: [{ day: '2026-11-12', side: 'below' }],
    },
    '1 of 11 days outside low to high: 2026-11-12 below.',
  ],
  [
    {
      code: 'not_counted',
      excluded: [
        { ...day, reason: { code: 'no_trade' } },
        { ...month, reason: { code: 'before_first_day', firstDay: '2026-10-12' } },
      ],
    },
    'Not counted: 2026-11-14 (no trade); 2026-10-01 to 2026-10-31 (begins before the first day with orders, 2026-10-12).',
  ],
  [
    explained(-685.4, 81.18, 58, 67),
    '-604.22 against 2026-11-14: fewer orders (58 for 67) -685.40, higher value per order +81.18.',
  ],
  [
    explained(-172.73, -227.27, 10, 11),
    '-400.00 against 2026-11-14: 172.73 of it fewer orders (10 for 11), 227.27 lower value per order.',
  ],
  [
    {
      code: 'explained',
      difference: 0.5,
      against: day,
      middle,
      largest: { part: 'Centraal', difference: 500 },
    },
    '+0.50 against 2026-11-14, in the middle of these periods (5,102.40, -12.00 from the median): Centraal alone +500.00.',
  ],
  [
    { code: 'no_view_of_orders', why: 'no_orders' },
    'No view of orders and value per order: the reference has none.',
  ],
  [
    { code: 'no_view', split: 'turnover_group' },
    'No view by turnover group: the report has no turnover of a turnover group.',
  ],
  [
    { code: 'no_view_of_orders', why: 'no_toolset' },
    'No view of orders and value per order: counting orders needs the toolset orders.',
  ],
  [
    { code: 'not_explained', why: 'no_earlier_trade' },
    'Not explained: there is no earlier period with trade to hold it against.',
  ],
  [{ code: 'counted_orders' }, 'is the orders of list_orders without is_internal'],
  [
    { code: 'turnover_per_order', turnover: 'revenue.total_turnover_wt' },
    'is revenue.total_turnover_wt divided by order_count, to the cent',
  ],
  [{ code: 'percentage_points' }, 'is a percentage: its difference is in percentage points'],
  [
    { code: 'rows_of_subjects', rows: 6, total: 6, hasGaps: false },
    '6 of 6 of this key; those without turnover are rows of zero',
  ],
  [
    { code: 'rows_of_subjects', rows: 5, total: 6, hasGaps: true },
    '5 of 6 of this key; the report has none of the others',
  ],
])('a model is told of $code', (message, text) => {
  expect(model.say(message)).toBe(text);
});
