import { describe, expect, test } from 'vitest';
import { ProductIds } from '../../../src/analysis/reference/product-ids.ts';
import { PlatformError } from '../../../src/core/errors.ts';
import { reasonOf } from '../../reasons.ts';

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
    expect(ids.productOfInnerId(101)).toEqual({ id: 101, shopProductId: 202, title: 'Koffie' });
    expect([ids.productOfInnerId(202), ids.productOfInnerId(50)]).toEqual([undefined, undefined]);
    expect(ids.checkInnerIds([101, 202, 999])).toMatchObject([
      { code: 'product_ids', meant: { id: 101, shopProductId: 202, title: 'Koffie' } },
    ]);
  });

  test.each([null, 'row', { id: 1 }, { id: null, shop_product_id: 5 }, { id: 'a' }])(
    'passes over %j',
    (row) => {
      expect(having(row).checkInnerIds([0, 1, 5])).toEqual([]);
      expect(having().checkProduct(5, row)).toEqual([]);
    },
  );

  test('keeps titles fit for a sentence', () => {
    const ids = having({ ...coffee, title: `Koffie\n\u202e${'!'.repeat(500)}` });
    expect(ids.productOfInnerId(101)?.title).toMatch(/^Koffie\\n\\u202e!+…$/);
  });

  test('refuses another product than the one asked for, naming it', () => {
    const check = () => having().checkProduct(101, coffee);
    expect(check).toThrow(PlatformError);
    const product = { id: 101, shopProductId: 202, title: 'Koffie' };
    expect(check).toThrow(reasonOf({ code: 'other_product', requested: 101, product }));
  });

  test('warns of two ids, and of a number that is another product’s inner id, naming both', () => {
    expect(having().checkProduct(50, plain)).toEqual([]);
    const warned = having(coffee, tea).checkProduct(202, coffee);
    const product = { id: 101, shopProductId: 202, title: 'Koffie' };
    const other = { id: 202, shopProductId: 303, title: 'Thee' };
    expect(warned).toMatchObject([
      { code: 'product_ids', product },
      { code: 'product_ids', product, other },
    ]);
  });
});
