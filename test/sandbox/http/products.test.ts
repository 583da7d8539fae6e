import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { PRODUCTS } from '../../../src/sandbox/world/business/products.ts';
import { type Caller, callAs, type Fields } from '../caller.ts';

let sandbox: Sandbox;
let owner: Caller;
let clock = Date.parse('2026-11-20T15:00:00+01:00');
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => clock, quota: 10_000, tokenLifetimeSeconds: 1e6 });
  owner = await callAs(sandbox);
});
afterAll(() => sandbox.close());

const idsOf = (rows: readonly Fields[]) => rows.map(({ id }) => id);

describe('GET /api/product', () => {
  test('finds by part of a name or of a SKU, in the language asked for', async () => {
    const dutch = await owner.get('/api/product?q=theepot');
    const english = await owner.get('/api/product?q=teapot&language_code=en');
    const sku = await owner.get('/api/product?q=hm-03');
    expect(dutch.body.total).toBe(2);
    expect(idsOf(english.rows)).toEqual(idsOf(dutch.rows));
    expect(english.rows[0]?.title).toBe('Teapot small');
    expect(sku.rows.every((row) => String(row.sku).startsWith('HM-03'))).toBe(true);
  });

  test('rolls stock up over all locations, or takes one', async () => {
    const [whole, ...places] = await Promise.all(
      ['', '&location_id=2', '&location_id=3', '&location_id=5'].map(
        async (query) => (await owner.get(`/api/product?q=BK-001${query}`)).rows[0]?.stock,
      ),
    );
    expect(places.map(Number).reduce((a, b) => a + b, 0)).toBe(whole);
  });
});

describe('GET /api/product/{id} (section 4, rule 8)', () => {
  test('answers by shop_product_id, and with another product for an inner id', async () => {
    const trapped = PRODUCTS.filter(({ id, shopProductId }) => id !== shopProductId);
    for (const { id, shopProductId } of trapped) {
      const right = await owner.get(`/api/product/${shopProductId}`);
      const wrong = await owner.get(`/api/product/${id}`);
      expect(right.body).toMatchObject({ id, shop_product_id: shopProductId });
      expect(wrong.status).toBe(200);
      expect(wrong.body.id).not.toBe(id);
    }
  });

  test('answers 404 for an id of no product', async () => {
    expect((await owner.get('/api/product/99')).status).toBe(404);
  });
});

describe('GET /api/product-price (section 4, rule 10)', () => {
  test('takes inner ids and marks the sale price by type 1', async () => {
    const { rows } = await owner.get('/api/product-price?product_ids=1003,1010');
    const sale = rows.filter((row) => row.product_price_type_id === 1);
    expect(new Set(rows.map(({ product_id }) => product_id))).toEqual(new Set([1003, 1010]));
    expect(sale.length).toBe(2);
    expect(sale.every((row) => typeof row.tax_rate_id === 'number')).toBe(true);
  });

  test('refuses an entry that is no id instead of dropping it', async () => {
    const { status, body } = await owner.get('/api/product-price?product_ids=1003,abc');
    expect(status).toBe(400);
    expect(body.detail).toMatch(/^product_ids: "abc"/);
  });
});

describe('GET /api/product/delta (section 4, rule 6)', () => {
  /** All rows from a query on, page by page. */
  async function follow(first: string, limit = 7): Promise<{ rows: Fields[]; cursor: string }> {
    let page = await owner.get(`/api/product/delta?limit=${limit}&${first}`);
    const rows = [...page.rows];
    while (page.body.has_more === true) {
      page = await owner.get(`/api/product/delta?limit=${limit}&cursor=${page.body.next_cursor}`);
      rows.push(...page.rows);
    }
    return { rows, cursor: String(page.body.next_cursor) };
  }

  test('delivers each change exactly once, though pages end within one second of changes', async () => {
    const { rows } = await follow('since=2026-01-01');
    expect(rows.length).toBe(PRODUCTS.length);
    expect(new Set(idsOf(rows)).size).toBe(PRODUCTS.length);
    const stamps = rows.map(({ date_updated }) => date_updated);
    expect(new Set(stamps).size).toBeLessThan(stamps.length / 4);
  });

  test('gives an empty page and the same cursor when nothing changed', async () => {
    const { cursor } = await follow('since=2026-01-01');
    const { body } = await owner.get(`/api/product/delta?cursor=${cursor}`);
    expect(body).toEqual({ count: 0, data: [], next_cursor: cursor, has_more: false });
  });

  test('delivers a change in the very second of its cursor, and only that', async () => {
    clock += 5_000;
    sandbox.control.touchProduct(1040);
    const { cursor, rows } = await follow('since=2026-11-20T14:00:00');
    expect(idsOf(rows)).toContain(1040);
    sandbox.control.touchProduct(1012);
    expect(idsOf((await follow(`cursor=${cursor}`)).rows)).toEqual([1012]);
  });

  test('includes a change at exactly the time of since', async () => {
    sandbox.control.touchProduct(1077);
    const stamp = new Date(Math.floor(clock / 1000) * 1000).toISOString();
    expect(idsOf((await follow(`since=${stamp}`)).rows)).toContain(1077);
  });
});

describe('stock', () => {
  test('is listed per product and location and agrees with the catalogue', async () => {
    const { rows } = await owner.get('/api/stock?product_id=1001');
    const product = await owner.get('/api/product/1001');
    expect(rows.map(({ location_id }) => location_id)).toEqual([2, 3]);
    expect(rows.reduce((sum, row) => sum + Number(row.stock), 0)).toBe(product.body.stock);
  });

  test.each([
    ['owner', '/api/stock?location_id=5', 200],
    ['manager', '/api/stock?location_id=2', 200],
    ['manager', '/api/stock?location_id=3', 403],
    ['manager', '/api/product?location_id=3', 403],
    ['manager', '/api/product/1001?location_id=3', 403],
    ['manager', '/api/product/delta?since=2026-11-01&location_id=3', 403],
    ['clerk', '/api/product?location_id=2', 403],
    ['clerk', '/api/product', 200],
    ['clerk', '/api/stock', 403],
  ] as const)('is shown to %s at %s with %i', async (role, path, status) => {
    expect((await (await callAs(sandbox, role)).get(path)).status).toBe(status);
  });

  test('shows a bound role its own locations', async () => {
    const { rows } = await (await callAs(sandbox, 'manager')).get('/api/stock?limit=500');
    expect(new Set(rows.map(({ location_id }) => location_id))).toEqual(new Set([2]));
  });
});
