import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { formatMoment } from '../../src/sandbox/world/calendar.ts';
import { type Caller, callAs } from './caller.ts';

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

describe('an order touched by hand', () => {
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
