import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { formatMoment } from '../../../src/sandbox/world/business/calendar.ts';
import { type Caller, callAs, type Fields } from '../caller.ts';

let sandbox: Sandbox;
let owner: Caller;
const clock = Date.parse('2026-11-20T15:00:00+01:00');
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => clock, quota: 10_000, tokenLifetimeSeconds: 1e6 });
  owner = await callAs(sandbox);
});
afterAll(() => sandbox.close());

const idsOf = (rows: readonly Fields[]) => rows.map(({ id }) => id);

/** Follows a list by the drain rule of section 2. */
async function drain(path: string, limit: number): Promise<Fields[]> {
  const rows: Fields[] = [];
  for (let start = 0, total = 1; start < total; ) {
    const page = await owner.get(`${path}&start=${start}&limit=${limit}`);
    rows.push(...page.rows);
    start += Number(page.body.count);
    total = Number(page.body.total);
  }
  return rows;
}

/** Follows a change feed to its end. */
async function follow(path: string, first: string): Promise<{ rows: Fields[]; cursor: string }> {
  const rows: Fields[] = [];
  let page = await owner.get(`${path}&${first}`);
  rows.push(...page.rows);
  while (page.body.has_more === true) {
    page = await owner.get(`${path}&cursor=${page.body.next_cursor}`);
    rows.push(...page.rows);
  }
  return { rows, cursor: String(page.body.next_cursor) };
}

describe('GET /api/order (section 4, rule 5)', () => {
  test('lists newest first and pages without gap or overlap', async () => {
    const expected = sandbox.world.orders('2026-11-10', '2026-11-20').map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(300);
    expect(idsOf(await drain('/api/order?from=2026-11-10&to=2026-11-20', 77))).toEqual(expected);
    const dates = (await owner.get('/api/order?from=2026-11-10&to=2026-11-20&limit=500')).rows;
    const times = dates.map((row) => Date.parse(String(row.date_created)));
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });

  test('takes `to` as `from` when it is omitted', async () => {
    const { body } = await owner.get('/api/order?from=2026-11-12');
    expect(body.total).toBe(sandbox.world.orders('2026-11-12').length);
  });

  test('gives an empty page beyond the end', async () => {
    const { body } = await owner.get('/api/order?from=2026-11-12&start=5000');
    expect(body).toMatchObject({ count: 0, start: 5000, limit: 100, data: [] });
    expect(body.total).toBeGreaterThan(0);
  });

  test.each([
    ['shop_id=3', (row: Fields) => row.shop_id === 3],
    ['is_paid=0', (row: Fields) => row.is_paid === false],
    ['status=new,shipped', (row: Fields) => row.status === 'new' || row.status === 'shipped'],
    ['segment_id=12', (row: Fields) => row.segment_id === 12],
    ['shop_id=8&is_paid=0', (row: Fields) => row.shop_id === 8 && row.is_paid === false],
  ])('filters by %s', async (query, matches) => {
    const from = '/api/order?from=2026-10-01&to=2026-11-20';
    const filtered = await drain(`${from}&${query}`, 500);
    const unfiltered = await drain(from, 500);
    expect(filtered.length).toBeGreaterThan(0);
    expect(filtered.length).toBeLessThan(unfiltered.length);
    expect(idsOf(filtered)).toEqual(idsOf(unfiltered.filter(matches)));
  });

  test('leaves internal orders out by default and on 0, and has them alone on 1', async () => {
    const from = '/api/order?from=2026-10-01&to=2026-11-20';
    const byDefault = await drain(from, 500);
    const internal = await drain(`${from}&is_internal=1`, 500);
    expect(byDefault.every((row) => row.is_internal === false)).toBe(true);
    expect(await drain(`${from}&is_internal=0`, 500)).toEqual(byDefault);
    expect(internal.length).toBeGreaterThan(0);
    expect(internal.every((row) => row.is_internal === true)).toBe(true);
  });

  test.each([
    ['', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=2026-11-12&to=2026-11-11', 'to'],
    ['from=2026-11-12&limit=501', 'limit'],
    ['from=2026-11-12&start=-1', 'start'],
    ['from=2026-11-12&shop_id=Webshop', 'shop_id'],
    ['from=2026-11-12&is_paid=maybe', 'is_paid'],
  ])('answers ?%s with 400, naming %s', async (query, parameter) => {
    const { status, body } = await owner.get(`/api/order?${query}`);
    expect(status).toBe(400);
    expect(body.detail).toMatch(new RegExp(`^${parameter}: `));
  });
});

describe('one order (section 4, rule 7)', () => {
  test('shows addresses, payments and lines that add up', async () => {
    const [order] = sandbox.world.orders('2026-11-12', '2026-11-12', { shopIds: [1] });
    const header = await owner.get(`/api/order/${order?.id}`);
    const items = await owner.get(`/api/order/${order?.id}/item`);
    const cents = items.rows.map((row) => Math.round(Number(row.total_wt) * 100));
    expect(header.body).toHaveProperty('billing_address.city');
    expect(header.body).not.toHaveProperty('backoffice_url');
    expect(cents.reduce((a, b) => a + b, 0)).toBe(order?.totalWtCents);
    expect(header.body.total_wt).toBe((order?.totalWtCents ?? 0) / 100);
  });

  test.each(['0', '1', 'abc', '999999999999', '1.5', '-4'])(
    'answers 404 for the id %s',
    async (id) => {
      expect((await owner.get(`/api/order/${id}`)).status).toBe(404);
      expect((await owner.get(`/api/order/${id}/item`)).status).toBe(404);
    },
  );

  test('of another location answers byte for byte as a missing one', async () => {
    const manager = await callAs(sandbox, 'manager');
    const [foreign] = sandbox.world.orders('2026-11-12', '2026-11-12', { shopIds: [1] });
    const trace = { 'x-request-id': 'the-same-request' };
    for (const suffix of ['', '/item']) {
      const outOfScope = await manager.get(`/api/order/${foreign?.id}${suffix}`, trace);
      const missing = await manager.get(`/api/order/77${suffix}`, trace);
      expect(outOfScope.status).toBe(404);
      expect(outOfScope.text).toBe(missing.text);
    }
  });

  test('is never found by its order number', async () => {
    const [order] = sandbox.world.orders('2026-11-12', '2026-11-12', { shopIds: [3] });
    const { status, body } = await owner.get(`/api/order/${order?.number}`);
    expect(status === 404 || body.id !== order?.id).toBe(true);
  });
});

describe('GET /api/order/delta (section 4, rule 6)', () => {
  test('delivers every change since a day at least once, by time and id, some rows twice', async () => {
    const { rows } = await follow('/api/order/delta?limit=50', 'since=2026-11-15');
    const since = Date.parse('2026-11-15T00:00:00+01:00');
    const orders = sandbox.world.orders('2026-10-25', '2026-11-20', { isInternal: 'any' });
    const expected = orders
      .map(({ id, changes }) => ({ id, ms: changes.findLast(({ atMs }) => atMs <= clock)?.atMs }))
      .flatMap(({ id, ms }) => (ms !== undefined && ms >= since ? [{ id, ms }] : []))
      .sort((a, b) => a.ms - b.ms || a.id - b.id);
    const deduped = [...new Map(rows.map((row) => [row.id, row])).values()];
    expect(deduped.map(({ id, date_updated }) => [id, date_updated])).toEqual(
      expected.map(({ id, ms }) => [id, formatMoment(ms)]),
    );
    expect(rows.length).toBeGreaterThan(deduped.length);
  });

  test('never delivers an order that was not touched', async () => {
    const { rows } = await follow('/api/order/delta?limit=250', 'since=2026-11-15');
    expect(rows.some(({ date_updated }) => date_updated === null)).toBe(false);
    const listed = await owner.get('/api/order?from=2026-11-15&to=2026-11-19&limit=500');
    expect(listed.rows.some(({ date_updated }) => date_updated === null)).toBe(true);
  });

  test('ends even when it is read one row at a time', async () => {
    const { rows } = await follow('/api/order/delta?limit=1', 'since=2026-11-20T14:00:00');
    const many = await follow('/api/order/delta?limit=250', 'since=2026-11-20T14:00:00');
    expect(idsOf(rows)).toEqual(idsOf(many.rows));
  });

  test('returns the incoming cursor unchanged on an empty page', async () => {
    const empty = await owner.get('/api/order/delta?since=2027-01-01');
    expect(empty.body).toMatchObject({ count: 0, data: [], has_more: false });
    const cursor = String(empty.body.next_cursor);
    const again = await owner.get(`/api/order/delta?cursor=${cursor}`);
    expect(again.body.next_cursor).toBe(cursor);
  });

  test.each([
    '',
    'since=2026-11-20&cursor=x',
    'since=lately',
    'cursor=nonsense',
    'since=2026-11-20&limit=251',
  ])('answers ?%s with 400', async (query) => {
    expect((await owner.get(`/api/order/delta?${query}`)).status).toBe(400);
  });

  test('refuses the cursor of the product feed', async () => {
    const products = await owner.get('/api/product/delta?since=2026-11-01&limit=1');
    const { status } = await owner.get(`/api/order/delta?cursor=${products.body.next_cursor}`);
    expect(status).toBe(400);
  });
});

describe('GET /api/discount-order (section 4, rule 1)', () => {
  const path = '/api/discount-order?from=2026-09-01&to=2026-11-19';
  const all = () => sandbox.world.orders('2026-09-01', '2026-11-19');

  test('lists orders with a discount above zero', async () => {
    const expected = all().filter(({ discountWtCents }) => discountWtCents > 0);
    const { body, rows } = await owner.get(path);
    expect(idsOf(rows)).toEqual(expected.map(({ id }) => id));
    expect(body.total).toBe(expected.length);
  });

  test('adds corrections below zero when asked', async () => {
    const expected = all().filter(({ discountWtCents }) => discountWtCents !== 0);
    const { rows } = await owner.get(`${path}&include_negative=1`);
    expect(idsOf(rows)).toEqual(expected.map(({ id }) => id));
    expect(rows.some((row) => Number(row.discount_value_wt) < 0)).toBe(true);
  });

  test('keeps those whose own total is zero when asked', async () => {
    const { rows } = await owner.get(`${path}&only_full=true`);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row) => row.total_wt === 0)).toBe(true);
  });

  test('answers 403 to a role whose binding covers nothing', async () => {
    expect((await (await callAs(sandbox, 'unbound')).get(path)).status).toBe(403);
  });

  test('shows a bound role its own shops', async () => {
    const { rows } = await (await callAs(sandbox, 'manager')).get(path);
    expect(new Set(rows.map(({ shop_id }) => shop_id))).toEqual(new Set([3, 4]));
  });
});
