import { describe, expect, test } from 'vitest';
import { ProductIds } from '../../../src/analysis/reference/product-ids.ts';
import { PlatformError } from '../../../src/core/errors.ts';

const endpoint = 'GET /api/product/{id}';
const coffee = { id: 101, shop_product_id: 202, title: 'Koffie' };
const tea = { id: 202, shop_product_id: 303, title: 'Thee' };
const plain = { id: 50, shop_product_id: 50, title: 'Water' };

/** A memory that has seen some rows. */
function having(...rows: unknown[]): ProductIds {
  const ids = new ProductIds();
  ids.remember(rows);
  return ids;
}

describe('ProductIds', () => {
  test('remembers products whose two ids differ, by both', () => {
    const ids = having(coffee, plain);
    expect(ids.byInnerId(101)).toEqual({ id: 101, shopProductId: 202, title: 'Koffie' });
    expect(ids.checkInnerIds([202])).toHaveLength(1);
    expect(ids.byInnerId(202)).toBeUndefined();
    expect(ids.byInnerId(50)).toBeUndefined();
  });

  test.each([
    null,
    5,
    'row',
    [],
    {},
    { id: 1 },
    { shop_product_id: 1 },
    { id: null, shop_product_id: 5 },
    { id: 5, shop_product_id: '' },
    { id: 1.5, shop_product_id: 2 },
    { id: 'a', shop_product_id: 2 },
  ])('passes over %j', (row) => {
    const ids = having(row);
    for (const id of [0, 1, 2, 5]) {
      expect(ids.byInnerId(id)).toBeUndefined();
      expect(ids.checkInnerIds([id])).toEqual([]);
    }
  });

  test('keeps titles fit for a sentence', () => {
    const ids = having({ ...coffee, title: `Koffie\n\u202e${'!'.repeat(500)}` });
    expect(ids.byInnerId(101)?.title).toMatch(/^Koffie\\n\\u\{202e\}!+…$/);
  });

  test('forgets the oldest rather than grow without end', () => {
    const rows = Array.from({ length: 20_001 }, (_, index) => ({
      id: index + 1,
      shop_product_id: index + 100_000,
    }));
    const ids = having(...rows);
    expect(ids.byInnerId(1)).toBeUndefined();
    expect(ids.byInnerId(20_001)).toBeDefined();
  });
});

describe('checkProduct', () => {
  test('has nothing to say of the product asked for, with one id', () => {
    expect(having().checkProduct(50, plain, endpoint)).toEqual([]);
  });

  test('refuses another product than the one asked for, naming it', () => {
    const check = () => having().checkProduct(101, coffee, endpoint);
    expect(check).toThrow(PlatformError);
    expect(check).toThrow(
      /shop_product_id 101 .* another product: "Koffie" \(shop_product_id 202, inner id 101\)\. It is not passed on\./,
    );
  });

  test('warns of two ids', () => {
    const [warning] = having().checkProduct(202, coffee, endpoint);
    expect(warning).toContain('shop_product_id 202');
    expect(warning).toContain('inner id 101');
  });

  test('warns, naming both, when the number is known as another product’s inner id', () => {
    const ids = having(coffee, tea);
    const warnings = ids.checkProduct(202, coffee, endpoint);
    expect(warnings).toHaveLength(2);
    expect(warnings[1]).toContain('202 is also the inner id of another product, "Thee"');
    expect(warnings[1]).toContain('This answer is "Koffie"');
    expect(warnings[1]).toContain('get_product for shop_product_id 303');
  });

  test('takes ids in texts for what they are', () => {
    const product = { id: '50', shop_product_id: '50' };
    expect(having().checkProduct(50, product, endpoint)).toEqual([]);
  });

  test.each([null, {}, { id: 5 }, { id: 5, shop_product_id: null }])(
    'says nothing where the answer does not name its ids: %j',
    (product) => {
      expect(having().checkProduct(5, product, endpoint)).toEqual([]);
    },
  );
});

describe('checkInnerIds', () => {
  test('warns of numbers known as shop_product_ids, the other way round', () => {
    const ids = having(coffee);
    const warnings = ids.checkInnerIds([101, 202, 999]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^202 is the shop_product_id of "Koffie", whose inner id is 101\./);
  });
});
