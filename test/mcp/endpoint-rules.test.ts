import { beforeAll, describe, expect, test } from 'vitest';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Order } from '../../src/sandbox/world/trade/order.ts';
import { callAs } from '../sandbox/caller.ts';
import { serverOver, type TestServer } from '../server-over.ts';

/** The rules of docs/platform.md as an assistant meets them, against the business's truth. */

let sandbox: Sandbox;
let connection: TestServer;
/** The seven days before today; its last one is yesterday. */
let week: { from: string; to: string };

beforeAll(async () => {
  connection = await serverOver('memory');
  ({ sandbox } = connection);
  const answer = await connection.call('get_payment_report', { period: 'last_7_days' });
  week = { from: String(answer.body.from), to: String(answer.body.to) };
});

async function rowsOf(tool: string, args: JsonObject, over = connection): Promise<JsonObject[]> {
  const answer = await over.call(tool, args);
  expect(answer.context.complete, answer.text).toBe(true);
  return answer.rows;
}

const idsOf = (rows: readonly { id?: unknown }[]) => rows.map(({ id }) => id);

/** Orders of the week; narrow enough to be shown whole. */
function ordersOfWeek(fits: (order: Order) => boolean): number[] {
  return sandbox.world
    .orders(week.from, week.to)
    .filter(fits)
    .map(({ id }) => id);
}

describe('the conventions', () => {
  test('days are Amsterdam days, both ends of a range included (docs/platform.md#days)', async () => {
    const { world } = sandbox;
    const days = { from: week.to, limit: 500 };
    expect(idsOf(await rowsOf('list_orders', days))).toEqual(idsOf(world.orders(week.to)));
    const both = await rowsOf('list_orders', { ...week, limit: 500, fields: ['date_created'] });
    const seen = both.map(({ date_created }) => String(date_created).slice(0, 10));
    expect([seen.at(-1), seen[0]]).toEqual([week.from, week.to]);
  });

  test('amounts pass as the platform gave them, with and without VAT (docs/platform.md#money)', async () => {
    const { context: _, ...given } = (
      await connection.call('get_financial_report', { ...week, location_id: 3 })
    ).body;
    const platform = await callAs(sandbox);
    const query = `from=${week.from}&to=${week.to}&location_id=3`;
    expect(given).toEqual((await platform.get(`/api/financial-report?${query}`)).body);
  });

  test('ids are numbers; an order_number is refused without a request (docs/platform.md#ids)', async () => {
    const [order] = sandbox.world.orders(week.to, undefined, { shopIds: [1] });
    const before = sandbox.stats.requests;
    const answer = await connection.call('get_order', { order_id: order?.number });
    expect(answer).toMatchObject({ isError: true });
    expect(sandbox.stats.requests).toBe(before);
  });

  test('the envelope of a list passes unchanged (docs/platform.md#lists)', async () => {
    const { body } = await connection.call('search_customers', { start: 3, limit: 2 });
    expect(body).toMatchObject({ count: 2, start: 3, limit: 2 });
    expect(body.total).toBe(sandbox.world.customers().length);
  });
});

describe('the endpoints', () => {
  test('a discount over 0 qualifies, or any but 0, or fully discounted (docs/platform.md#discounted-orders)', async () => {
    const period = { from: week.from, to: week.to };
    const discounted = await rowsOf('list_discount_orders', period);
    expect(idsOf(discounted)).toEqual(ordersOfWeek((order) => order.discountWtCents > 0));
    const corrected = await rowsOf('list_discount_orders', { ...period, include_negative: true });
    expect(idsOf(corrected)).toEqual(ordersOfWeek((order) => order.discountWtCents !== 0));
    const given = await rowsOf('list_discount_orders', { ...period, only_full: 'yes' });
    const isGiven = (order: Order) => order.discountWtCents > 0 && order.totalWtCents === 0;
    expect(idsOf(given)).toEqual(ordersOfWeek(isGiven));
  });

  test('a report of a location is that of its shops (docs/platform.md#reports-by-location)', async () => {
    const args = { ...week, location_id: 'Utrecht Oost' };
    const { body } = await connection.call('get_financial_report', args);
    const { sales, returns, differences } = sandbox.world.report(week.from, week.to, {
      locationId: 3,
    });
    const revenue = isRecord(body.revenue) ? body.revenue : {};
    expect(Math.round(Number(revenue.total_turnover_wt) * 100)).toBe(
      sales.wtCents - returns.wtCents - differences.wtCents,
    );
    expect(JSON.stringify(body)).not.toMatch(/"shop_id":[234]\b/);
  });

  // docs/platform.md#locations and docs/platform.md#locations-out-of-scope.
  test('a scoped caller sees its own locations alone', async () => {
    const manager = await serverOver('memory', { sandbox, role: 'manager' });
    const answer = await manager.call('list_locations');
    expect(answer.body).toMatchObject({ count: 1, total: 1, data: [{ id: 2 }] });
    expect(await manager.call('get_location', { location_id: 3 })).toMatchObject({ isError: true });
    const own = await manager.call('get_location', { location_id: 'utrecht centraal' });
    expect(own.body).toMatchObject({ id: 2 });
    await manager.close();
  });

  test('the filters of orders hold together (docs/platform.md#orders)', async () => {
    const filter = { ...week, shop_id: '1', is_paid: true, status: 'new,complete', all: true };
    const answer = await connection.call('list_orders', filter);
    const expected = sandbox.world.orders(week.from, week.to, {
      shopIds: [1],
      isPaid: true,
      statuses: ['new', 'complete'],
    });
    expect(answer.body.total).toBe(expected.length);
    expect(idsOf(answer.rows)).toEqual(idsOf(expected).slice(0, answer.rows.length));
  });

  test.each([
    [true, [true]],
    [false, [false]],
  ])('is_internal %s gives those alone (docs/platform.md#orders)', async (is_internal, seen) => {
    const args = { period: 'last_90_days', is_internal, fields: ['is_internal'] };
    const { rows } = await connection.call('list_orders', args);
    expect([...new Set(rows.map((row) => row.is_internal))]).toEqual(seen);
  });

  test('the order feed gives what changed, each order once (docs/platform.md#change-feeds)', async () => {
    const start = await connection.call('list_order_changes', { since: 'today', all: true });
    const cursor = start.body.next_cursor;
    const [touched] = sandbox.world.orders(week.from);
    if (touched === undefined) throw new Error('the business has no orders');
    sandbox.control.touchOrder(touched.id);
    const added = sandbox.control.addOrder();
    sandbox.control.touchOrder(added.id);
    const changes = await rowsOf('list_order_changes', { cursor, all: true });
    expect(idsOf(changes)).toEqual(expect.arrayContaining([touched.id, added.id]));
    expect(new Set(idsOf(changes)).size).toBe(changes.length);
  });

  test('the product feed goes on where a cursor left it (docs/platform.md#change-feeds)', async () => {
    const first = await connection.call('list_product_changes', { since: 'today', all: true });
    sandbox.control.touchProduct(1042);
    const cursor = first.body.next_cursor;
    const next = await connection.call('list_product_changes', { cursor });
    expect(idsOf(next.rows)).toEqual([1042]);
    const last = await connection.call('list_product_changes', {
      cursor: next.body.next_cursor,
    });
    expect(last.rows).toEqual([]);
    expect(last.body.next_cursor).toBe(next.body.next_cursor);
  });

  test('a missing order is an error, an order without lines is not (docs/platform.md#order-lines)', async () => {
    const [order] = sandbox.world.orders(week.to);
    const lines = await rowsOf('list_order_items', { order_id: order?.id });
    expect(lines).toHaveLength(order?.lines.length ?? 0);
    const missing = await connection.call('list_order_items', { order_id: 99_999_999 });
    expect(missing).toMatchObject({ isError: true, rows: [] });
  });

  test('an inner id is known again where a shop_product_id belongs (docs/platform.md#product-ids)', async () => {
    await connection.call('search_products', { limit: 200 });
    const twoIds = sandbox.world.products.find(({ id, shopProductId }) => id !== shopProductId);
    const asked = await connection.call('get_product', { shop_product_id: twoIds?.id });
    expect(asked.text).toContain(`ask get_product for shop_product_id ${twoIds?.shopProductId}`);
    const prices = { product_ids: twoIds?.shopProductId };
    const priced = await connection.call('list_product_prices', prices);
    expect(priced.text).toContain(`ask for ${twoIds?.id}`);
  });

  test('stock with a location is the stock there (docs/platform.md#stock-by-location)', async () => {
    const args = { q: 'Notitieboek', location_id: 'Utrecht Centraal' };
    const level = sandbox.world.stockLevels();
    for (const { id, stock } of await rowsOf('search_products', args)) {
      const product = sandbox.world.products.find((it) => it.id === id);
      expect(stock).toBe(product && level(product, 2));
    }
  });

  test('sale prices are of type 1 and carry a tax rate (docs/platform.md#prices)', async () => {
    const rows = await rowsOf('list_product_prices', { product_ids: '1001, 1002' });
    expect(new Set(rows.map(({ product_id }) => product_id))).toEqual(new Set([1001, 1002]));
    for (const { product_price_type_id: type, tax_rate_id: rate } of rows)
      expect(rate !== undefined).toBe(type === 1);
  });

  test('naming one location opens a report to a wider scope (docs/platform.md#report-scope)', async () => {
    const regional = await serverOver('memory', { sandbox, role: 'regional' });
    const args = { date: 'yesterday', location_id: 'Utrecht Oost' };
    const answer = await regional.call('get_daily_close', args);
    expect(answer.body).toMatchObject({ location_id: 3 });
    await regional.close();
  });
});
