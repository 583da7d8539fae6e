import { expect, test } from 'vitest';
import { lastChange } from '../../src/sandbox/world/trade/order.ts';
import { now, sandboxAt } from '../server-over.ts';
import { callAs, type Fields } from './caller.ts';

test('the feed of orders delivers every change since a day at least once, by time and id', async () => {
  const sandbox = await sandboxAt();
  const owner = await callAs(sandbox);
  const rows: Fields[] = [];
  for (let from = 'since=2026-11-17', hasMore = true; hasMore; ) {
    const page = await owner.get(`/api/order/delta?limit=50&${from}`);
    rows.push(...page.rows);
    hasMore = page.body.has_more === true;
    from = `cursor=${page.body.next_cursor}`;
  }
  const since = Date.parse('2026-11-17T00:00:00+01:00');
  const expected = sandbox.world
    .orders('2026-11-01', '2026-11-20', { isInternal: 'any' })
    .filter((order) => (lastChange(order, now)?.atMs ?? 0) >= since);
  const ids = new Set(rows.map(({ id }) => id));
  expect(ids).toEqual(new Set(expected.map(({ id }) => id)));
  expect(rows.length).toBeGreaterThan(expected.length);
  const stamps = rows.map(({ date_updated, id }) => `${date_updated} ${id}`);
  expect(stamps).toEqual(stamps.toSorted());
});
