import { beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { lastChange } from '../../../src/sandbox/world/trade/order.ts';
import { now, sandboxAt } from '../../server-over.ts';
import { type Caller, callAs, type Fields } from '../caller.ts';

let sandbox: Sandbox;
let owner: Caller;

beforeAll(async () => {
  sandbox = await sandboxAt();
  owner = await callAs(sandbox);
});

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

const idsOf = (rows: readonly Fields[]) => rows.map(({ id }) => id);

describe('the feed of orders', () => {
  test('delivers every change since a day at least once, by time and id', async () => {
    const { rows } = await follow('/api/order/delta?limit=50', '2026-11-17');
    const since = Date.parse('2026-11-17T00:00:00+01:00');
    const expected = sandbox.world
      .orders('2026-11-01', '2026-11-20', { isInternal: 'any' })
      .filter((order) => (lastChange(order, now)?.atMs ?? 0) >= since);
    expect(new Set(idsOf(rows))).toEqual(new Set(expected.map(({ id }) => id)));
    expect(rows.length).toBeGreaterThan(expected.length);
    const places = rows.map(({ date_updated, id }) => `${date_updated} ${id}`);
    expect(places).toEqual([...places].sort());
  });

  test('ends even when it is read one row at a time', async () => {
    const { rows } = await follow('/api/order/delta?limit=1', '2026-11-20T13:00:00');
    expect(new Set(idsOf(rows)).size).toBeGreaterThan(3);
  });
});
