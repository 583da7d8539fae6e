import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { describedAs, requestsTo, runSql, serverOver, sharedServer } from '../server-over.ts';

const shared = sharedServer();
const { ask } = shared;
const compare = (input: JsonObject) => ask('compare_turnover', { period: 'last_week', ...input });

describe.each(describedAs)('turnover of a shop over a %s description', (description) => {
  test('is its row of the split by shop, by name or id, one shop or several', async () => {
    const server = await serverOver('memory', { sandbox: shared().sandbox, description });
    const asked = { period: 'last_week', measures: ['turnover_wt'] };
    const all = await server.ask('compare_turnover', { ...asked, by: 'shop' });
    const rowsOf = (...ids: number[]) => all.rows.filter(({ id }) => ids.includes(Number(id)));
    for (const shop_id of ['Webshop', '1', ['webshop']]) {
      const { rows, context } = await server.ask('compare_turnover', { ...asked, shop_id });
      expect(rows).toEqual(rowsOf(1));
      expect(Object(context.definitions).shops).toBeUndefined();
    }
    const both = await server.ask('compare_turnover', { ...asked, shop_id: ['Webshop', '3'] });
    expect(both.rows).toEqual(rowsOf(1, 3));
    const { rows } = await server.ask('turnover_trend', { ...asked, shop_id: 'Webshop' });
    expect(rows).toHaveLength(7);
    expect(rows.every(({ id }) => id === 1)).toBe(true);
  });
});

describe('turnover of a shop', () => {
  test('says which shop its name is', async () => {
    const { context } = await compare({ shop_id: 'webshop' });
    expect(context.resolved).toEqual({ shop_id: { given: 'webshop', id: 1, name: 'Webshop' } });
  });

  test('counts the orders of that shop alone', async () => {
    let rows: readonly JsonObject[] = [];
    const counting = async () => {
      const asked = { against: 'none', measures: ['order_count'], shop_id: '3' };
      ({ rows } = await compare({ ...asked, period: '2026-11-19' }));
    };
    expect(await requestsTo(shared(), '/api/order', counting)).toBe(1);
    const orders = shared().sandbox.world.orders('2026-11-19', undefined, { shopIds: [3] });
    expect(rows).toMatchObject([{ measure: 'order_count', id: 3, current: orders.length }]);
  });

  test('turnover of a missing shop is refused by name, and reported by id', async () => {
    const unknown = await compare({ shop_id: 'Nergens' });
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('Webshop (1)') });
    const { rows, warnings } = await compare({ shop_id: '999' });
    expect(rows).toEqual([]);
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'unknown_id', noun: 'shop', id: 999 }),
    );
  });

  test('given as a location is told the whole call that answers', async () => {
    const report = { period: '2026-11-18', location_id: 'Webshop' };
    const { isError, text } = await ask('get_financial_report', report);
    const call = 'compare_turnover period: "2026-11-18" against: "none" shop_id: "1".';
    expect([isError, text]).toEqual([true, expect.stringContaining(call)]);
    const answer = await compare({ period: '2026-11-18', against: 'none', shop_id: '1' });
    expect(answer.rows.map(({ name }) => name)).toEqual(['Webshop', 'Webshop']);
  });
});

describe.each(describedAs)('a location of several shops over a %s description', (description) => {
  const named = { location_id: 'Utrecht Oost' };
  const several = {
    code: 'shop_or_location',
    given: 'Utrecht Oost',
    shops: [1, 7, 8].map((id) => expect.objectContaining({ id })),
    namesake: { id: 7, name: 'Utrecht Oost' },
  };
  const server = () => serverOver('memory', { sandbox: shared().sandbox, description });

  test('is told of wherever it is named, with a call that gives the shop alone', async () => {
    const { ask } = await server();
    const days = { period: '2026-11-18' };
    for (const [tool, input] of [
      ['get_daily_close', { date: '2026-11-18' }],
      ['get_financial_report', days],
      ['get_payment_report', days],
      ['get_product_sales', days],
      ['compare_turnover', { ...days, against: 'week_earlier' }],
      ['turnover_trend', { ...days, by: 'turnover_group' }],
    ] as const) {
      const { warnings } = await ask(tool, { ...input, ...named });
      const call = Object(warnings.find(({ code }) => code === several.code)).call;
      expect([tool, warnings]).toEqual([
        tool,
        expect.arrayContaining([expect.objectContaining(several)]),
      ]);
      const { rows } = await ask(call.tool, call.arguments);
      expect(rows.map(({ name }) => name)).toContain('Utrecht Oost');
      expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([7]));
    }
  });

  test('is told of once in a statement of many calls', async () => {
    const sql = `SELECT value FROM get_daily_close("date" := ['2026-11-17', '2026-11-18'], location_id := 'Utrecht Oost')`;
    const { warnings } = await runSql(await server(), sql);
    expect(warnings.filter(({ code }) => code === several.code)).toMatchObject([several]);
  });

  test.each([
    ['by its id', 'get_daily_close', { date: '2026-11-18', location_id: '3' }],
    ['split by shop', 'compare_turnover', { period: '2026-11-18', by: 'shop', ...named }],
    ['with one shop', 'get_daily_close', { date: '2026-11-18', location_id: 'Amsterdam Noord' }],
    ['for its stock', 'search_products', { limit: 1, ...named }],
  ])('is not told of %s', async (_, tool, input) => {
    const { warnings } = await (await server()).ask(tool, input);
    expect(warnings.filter(({ code }) => code === several.code)).toEqual([]);
  });
});

describe('a name of the other kind', () => {
  const taken = (idField: string, given: string, kind: string, ...shops: object[]) => [
    expect.objectContaining({ code: 'shop_or_location', idField, given, kind, shops }),
  ];
  const webshop = { id: 1, name: 'Webshop' };
  const restaurant = { id: 2, name: 'Restaurant IJzicht' };

  test.each(['compare_turnover', 'turnover_trend'])(
    'is taken by %s, which says so',
    async (tool) => {
      const asked = { period: '2026-11-18', against: 'none', measures: ['turnover_wt'] };
      const ofShop = await ask(tool, { ...asked, location_id: 'Webshop' });
      expect(ofShop.warnings).toEqual(taken('location_id', 'Webshop', 'shop', webshop));
      expect(ofShop.rows).toEqual((await ask(tool, { ...asked, shop_id: 'Webshop' })).rows);
      const ofLocation = await ask(tool, { ...asked, shop_id: 'Amsterdam Noord' });
      const shops = taken('shop_id', 'Amsterdam Noord', 'location', restaurant);
      expect(ofLocation.warnings).toEqual(shops);
      expect(ofLocation.rows).toEqual((await ask(tool, { ...asked, shop_id: '2' })).rows);
    },
  );

  test('is refused where figures are not of shops', async () => {
    const { isError, text } = await compare({ location_id: 'Webshop', by: 'tax_rate' });
    expect([isError, text]).toEqual([true, expect.stringContaining('shop_id: "1"')]);
  });
});

test('shop_id in a statement is refused by a table of locations with the table of shops', async () => {
  const sql = `FROM get_daily_close("date" := 'yesterday', shop_id := 7)`;
  const { isError, text } = await ask('query', { sql });
  expect([isError, text]).toEqual([
    true,
    expect.stringContaining('compare_turnover(period := ...'),
  ]);
});

test.each<[string, JsonObject]>([
  ['list_orders', { period: 'yesterday' }],
  ['get_daily_close', { date: 'yesterday' }],
  ['compare_turnover', { period: 'yesterday', measures: ['order_count', 'turnover_wt'] }],
  ['query', { sql: "SELECT count(*) AS n FROM list_orders(period := 'yesterday')" }],
])('%s has the same words whatever was known of internal orders', async (tool, input) => {
  const { ask, app } = await serverOver('memory', { sandbox: shared().sandbox });
  const said = async () => {
    const { context } = await ask(tool, input);
    return [context.left_open, context.summary, context.definitions];
  };
  const before = await said();
  await app.services.survey.behaviour('internal_orders');
  await app.services.survey.behaviour('product_sales_returns');
  expect(await said()).toEqual(before);
});

test('the orders behind a day that does not balance are told of, of several days the day', async () => {
  const { date } = shared().sandbox.world.unbalancedDay;
  const day = await ask('get_payment_report', { period: date });
  expect(day.text).toMatch(
    new RegExp(`# balance_check does not say which order .* list_orders of ${date} `),
  );
  const week = await ask('get_payment_report', { period: 'last_week' });
  expect(week.text).toContain('# balance_check of each day is shown by turnover_trend');
  const measures = ['balance_check'];
  const { rows } = await ask('turnover_trend', { period: 'last_week', measures });
  const unbalanced = rows.filter((row) => row['direct_paid.balance_check.difference_wt'] !== 0);
  expect(unbalanced.map(({ bucket }) => bucket)).toEqual([date]);
});
