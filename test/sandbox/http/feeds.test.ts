import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { formatMoment } from '../../../src/sandbox/world/business/calendar.ts';
import { lastChange } from '../../../src/sandbox/world/trade/order.ts';
import { type Caller, callAs, type Fields } from '../caller.ts';

let sandbox: Sandbox;
let owner: Caller;
const clock = Date.parse('2026-11-20T15:00:00+01:00');
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => clock, quota: 10_000 });
  owner = await callAs(sandbox);
});
afterAll(() => sandbox.close());

/** Follows a change feed to its end. */
async function follow(path: string, since: string): Promise<{ rows: Fields[]; cursor: string }> {
  const rows: Fields[] = [];
  for (let from = `since=${since}`; ; ) {
    const page = await owner.get(`${path}&${from}`);
    rows.push(...page.rows);
    const cursor = String(page.body.next_cursor);
    if (page.body.has_more !== true) return { rows, cursor };
    from = `cursor=${cursor}`;
  }
}

describe('the feed of orders', () => {
  test('delivers every change since a day at least once, by time and id', async () => {
    const { rows } = await follow('/api/order/delta?limit=50', '2026-11-17');
    const since = Date.parse('2026-11-17T00:00:00+01:00');
    const expected = sandbox.world
      .orders('2026-11-01', '2026-11-20', { isInternal: 'any' })
      .filter((order) => (lastChange(order, clock)?.atMs ?? 0) >= since);
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)));
    expect(rows.length).toBeGreaterThan(expected.length);
    const places = rows.map(({ date_updated, id }) => `${date_updated} ${id}`);
    expect(places).toEqual([...places].sort());
  });

  test('ends even when it is read one row at a time, with its cursor unchanged', async () => {
    const { rows, cursor } = await follow('/api/order/delta?limit=1', '2026-11-20T14:00:00');
    expect(new Set(rows.map(({ id }) => id)).size).toBeGreaterThan(3);
    const { body } = await owner.get('/api/order/delta?since=2026-11-21');
    const again = await owner.get(`/api/order/delta?cursor=${body.next_cursor}`);
    expect(again.body).toEqual({ ...body, count: 0, data: [], has_more: false });
    expect(cursor).not.toBe('');
  });
});

test('the feed of products delivers a change in the very second of its cursor, and only that', async () => {
  sandbox.control.touchProduct(1001);
  const [path, second] = ['/api/product/delta?limit=13', formatMoment(clock).slice(0, 19)];
  const { rows, cursor } = await follow(path, second);
  expect(rows.map(({ id }) => id)).toEqual([1001]);
  sandbox.control.touchProduct(1002);
  const after = await owner.get(`/api/product/delta?cursor=${cursor}`);
  expect(after.rows.map(({ id }) => id)).toEqual([1002]);
  const all = await follow(path, '2026-01-01');
  expect(new Set(all.rows.map(({ id }) => id)).size).toBe(all.rows.length);
  expect(all.rows.length).toBe(sandbox.world.products.length);
});
