import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { formatMoment } from '../../src/sandbox/world/business/calendar.ts';
import { type Caller, callAs } from './caller.ts';
import { sumOf } from './world/truth.ts';

let sandbox: Sandbox;
let owner: Caller;
let clock = Date.parse('2026-11-20T15:00:00.700+01:00');
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => clock, quota: 10_000, tokenLifetimeSeconds: 1e6 });
  owner = await callAs(sandbox);
});
afterAll(() => sandbox.close());

describe('an order added by hand', () => {
  test('on a day that was read before counts in its list, its sums and its stock', async () => {
    const totalOf = async (path: string) => Number((await owner.get(path)).body.total);
    const listed = await totalOf('/api/order?from=2026-11-17');
    const filtered = await totalOf('/api/order?from=2026-11-17&shop_id=3');
    const counted = sandbox.world.report('2026-11-17').orderCount;
    const added = [1, 2, 3].map(() =>
      sandbox.control.addOrder({ shopId: 3, placedMs: Date.parse('2026-11-17T12:00:00+01:00') }),
    );
    const seen = added.filter(({ isInternal }) => !isInternal).length;
    expect(seen).toBeGreaterThan(0);
    expect(await totalOf('/api/order?from=2026-11-17')).toBe(listed + seen);
    expect(await totalOf('/api/order?from=2026-11-17&shop_id=3')).toBe(filtered + seen);
    expect(sandbox.world.report('2026-11-17').orderCount).toBe(counted + seen);
    expect(new Set(added.map(({ id }) => id)).size).toBe(3);
  });
});

describe('an order placed between two pages', () => {
  test('shifts the list by one row', async () => {
    const path = '/api/order?from=2026-11-20&to=2026-11-20&is_internal=0&limit=5';
    const before = await owner.get(path);
    const added = sandbox.control.addOrder({ shopId: 1 });
    const after = await owner.get(path);
    expect(after.rows[0]?.id).toBe(added.id);
    expect(after.body.total).toBe(Number(before.body.total) + 1);
    expect(after.rows.slice(1)).toEqual(before.rows.slice(0, 4));
    expect((await owner.get(`/api/order/${added.id}`)).status).toBe(200);
  });
});

describe('an order touched by hand', () => {
  test('comes after the cursor of a feed that was read before', async () => {
    const before = await owner.get('/api/order/delta?since=2026-11-20T14:50:00&limit=250');
    clock += 10_000;
    const [order] = sandbox.world.orders('2026-02-05');
    sandbox.control.touchOrder(order?.id ?? 0);
    const after = await owner.get(`/api/order/delta?cursor=${before.body.next_cursor}`);
    expect(before.rows.map(({ id }) => id)).not.toContain(order?.id);
    expect(after.rows.at(-1)).toMatchObject({ id: order?.id, date_updated: formatMoment(clock) });
  });

  test('moves in the change feed each time, and is there once', async () => {
    const [order] = sandbox.world.orders('2026-02-03');
    const changedAt = async () => {
      const { rows } = await owner.get('/api/order/delta?since=2026-11-20T15:00:00&limit=250');
      return rows.filter(({ id }) => id === order?.id).map(({ date_updated }) => date_updated);
    };
    expect(await changedAt()).toEqual([]);
    sandbox.control.touchOrder(order?.id ?? 0);
    expect(await changedAt()).toEqual([formatMoment(clock)]);
    clock += 60_000;
    sandbox.control.touchOrder(order?.id ?? 0);
    expect(await changedAt()).toEqual([formatMoment(clock)]);
  });

  test('keeps its status and its amounts', async () => {
    const [order] = sandbox.world.orders('2026-02-04');
    const before = await owner.get(`/api/order/${order?.id}`);
    sandbox.control.touchOrder(order?.id ?? 0);
    const { body } = await owner.get(`/api/order/${order?.id}`);
    expect(body).toEqual({ ...before.body, date_updated: formatMoment(clock) });
  });

  test('has to exist', () => {
    expect(() => sandbox.control.touchOrder(1)).toThrow(RangeError);
  });
});

describe('orders changed by hand', () => {
  test('have a line more, a later stamp, and sums that still add up', async () => {
    const before = sandbox.world.orders('2026-11-12');
    clock += 10_000;
    sandbox.control.changeOrders(before.map(({ id }) => id));
    const after = sandbox.world.orders('2026-11-12');
    const isGrown = after.map(
      (order, index) => order.lines.length > (before[index]?.lines.length ?? 0),
    );
    expect(isGrown.filter(Boolean).length).toBeGreaterThan(before.length * 0.9);
    const tally = sandbox.world.report('2026-11-12');
    expect(tally.paymentCents()).toBe(tally.directPaidCents());
    for (const order of after) {
      expect(order.totalWtCents).toBe(sumOf(order.lines, (line) => line.totalWtCents));
    }
    const { rows } = await owner.get('/api/order?from=2026-11-12&limit=500');
    expect(new Set(rows.map(({ date_updated }) => date_updated))).toEqual(
      new Set([formatMoment(clock)]),
    );
    const [first] = after;
    const { rows: lines } = await owner.get(`/api/order/${first?.id}/item`);
    expect(lines.length).toBe(first?.lines.length);
  });
});
