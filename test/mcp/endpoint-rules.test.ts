/** The rules of docs/platform.md as an assistant meets them, against the business's truth. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { Order } from '../../src/sandbox/world/trade/order.ts';
import { callAs } from '../sandbox/caller.ts';
import { ordersAt, turnover } from '../sandbox/world/truth.ts';
import { serverOver, sharedServer } from '../server-over.ts';
import { part } from './questions.ts';

const shared = sharedServer();
const { ask } = shared;
const [from, to] = ['2026-11-13', '2026-11-19'] as const;
const week = { from, to };
const business = () => shared().sandbox.world;

async function rowsOf(tool: string, args: JsonObject): Promise<JsonObject[]> {
  const answer = await ask(tool, args);
  expect(answer.context.complete, answer.text).toBe(true);
  return answer.rows;
}

const idsOf = (rows: readonly { id?: unknown }[]) => rows.map(({ id }) => id);

/** Orders of the week; narrow enough to be shown whole. */
const ordersOfWeek = (fits: (order: Order) => boolean) =>
  idsOf(business().orders(from, to).filter(fits));

describe('the conventions', () => {
  test('days are Amsterdam days, both ends of a range included (docs/platform.md#days)', async () => {
    const days = { from: to, limit: 500 };
    expect(idsOf(await rowsOf('list_orders', days))).toEqual(idsOf(business().orders(to)));
    const both = await rowsOf('list_orders', { ...week, limit: 500, fields: ['date_created'] });
    const seen = both.map(({ date_created }) => String(date_created).slice(0, 10));
    expect([seen.at(-1), seen[0]]).toEqual([from, to]);
  });

  test('amounts pass as the platform gave them, with and without VAT (docs/platform.md#money)', async () => {
    const { body } = await ask('get_financial_report', { ...week, location_id: 3 });
    const platform = await callAs(shared().sandbox);
    const query = `from=${from}&to=${to}&location_id=3`;
    const given = (await platform.get(`/api/financial-report?${query}`)).body;
    expect(body).toEqual({ ...given, context: body.context });
  });

  test('the envelope of a list passes unchanged (docs/platform.md#lists)', async () => {
    const { body } = await ask('search_customers', { start: 3, limit: 2 });
    const total = business().customers().length;
    expect(body).toMatchObject({ count: 2, start: 3, limit: 2, total });
  });
});

describe('the endpoints', () => {
  test('a discount over 0 qualifies, or any but 0, or fully discounted (docs/platform.md#discounted-orders)', async () => {
    const discounted = await rowsOf('list_discount_orders', week);
    expect(idsOf(discounted)).toEqual(ordersOfWeek((order) => order.discountWtCents > 0));
    const corrected = await rowsOf('list_discount_orders', { ...week, include_negative: true });
    expect(idsOf(corrected)).toEqual(ordersOfWeek((order) => order.discountWtCents !== 0));
    const given = await rowsOf('list_discount_orders', { ...week, only_full: 'yes' });
    const isGiven = (order: Order) => order.discountWtCents > 0 && order.totalWtCents === 0;
    expect(idsOf(given)).toEqual(ordersOfWeek(isGiven));
  });

  test('a report of a location is that of its shops (docs/platform.md#reports-by-location)', async () => {
    const { body } = await ask('get_financial_report', { ...week, location_id: 'Utrecht Oost' });
    const own = turnover(ordersAt(business(), 3, from, to)).wt;
    expect(part(body, 'revenue').total_turnover_wt).toBe(own);
    expect(JSON.stringify(body)).not.toMatch(/"shop_id":[234]\b/);
  });

  // docs/platform.md#locations and docs/platform.md#locations-out-of-scope.
  test('a scoped caller sees its own locations alone', async () => {
    const manager = await serverOver('memory', { sandbox: shared().sandbox, role: 'manager' });
    const answer = await manager.ask('list_locations');
    expect(answer.body).toMatchObject({ count: 1, total: 1, data: [{ id: 2 }] });
    const own = await manager.ask('get_location', { location_id: 'utrecht centraal' });
    expect(own.body).toMatchObject({ id: 2 });
  });

  test('the filters of orders hold together (docs/platform.md#orders)', async () => {
    const filter = { ...week, shop_id: '1', is_paid: true, status: 'new,complete', all: true };
    const answer = await ask('list_orders', filter);
    const statuses = ['new', 'complete'];
    const expected = business().orders(from, to, { shopIds: [1], isPaid: true, statuses });
    expect(answer.body.total).toBe(expected.length);
    expect(idsOf(answer.rows)).toEqual(idsOf(expected).slice(0, answer.rows.length));
  });

  test('the order feed gives what changed, each order once (docs/platform.md#change-feeds)', async () => {
    const { control } = shared().sandbox;
    const start = await ask('list_order_changes', { since: 'today', all: true });
    const touched = business().orders(from)[0]?.id ?? 0;
    control.touchOrder(touched);
    const added = control.addOrder().id;
    control.touchOrder(added);
    const feed = { cursor: start.body.next_cursor, all: true };
    const changes = idsOf(await rowsOf('list_order_changes', feed));
    expect(changes).toEqual(expect.arrayContaining([touched, added]));
    expect(new Set(changes).size).toBe(changes.length);
  });

  test('the product feed goes on where a cursor left it', async () => {
    const first = await ask('list_product_changes', { since: 'today', all: true });
    shared().sandbox.control.touchProduct(1042);
    const next = await ask('list_product_changes', { cursor: first.body.next_cursor });
    expect(idsOf(next.rows)).toEqual([1042]);
    const last = await ask('list_product_changes', { cursor: next.body.next_cursor });
    expect([last.rows, last.body.next_cursor]).toEqual([[], next.body.next_cursor]);
  });

  test('a shop_product_id is known again where an inner id belongs (docs/platform.md#product-ids)', async () => {
    await ask('search_products', { limit: 200 });
    const twoIds = business().products.find(({ id, shopProductId }) => id !== shopProductId);
    const prices = { product_ids: twoIds?.shopProductId };
    expect((await ask('list_product_prices', prices)).text).toContain(`ask for ${twoIds?.id}`);
  });

  test('sale prices are of type 1 and carry a tax rate (docs/platform.md#prices)', async () => {
    const rows = await rowsOf('list_product_prices', { product_ids: '1001, 1002' });
    expect(new Set(rows.map(({ product_id }) => product_id))).toEqual(new Set([1001, 1002]));
    for (const { product_price_type_id: type, tax_rate_id: rate } of rows)
      expect(rate !== undefined).toBe(type === 1);
  });
});
