import { describe, expect, test } from 'vitest';
import { idFieldOfMap, joinIds, nameIn, ownIds } from '../../../src/analysis/turnover/fact-ids.ts';

describe('ownIds', () => {
  test.each([
    [
      'numbers and texts of digits',
      { shop_id: 3, tax_rate_id: '12', total: 5 },
      { shop_id: '3', tax_rate_id: '12' },
    ],
    ['a shop without its location', { location_id: 1, shop_id: 3 }, { shop_id: '3' }],
    ['a location alone', { location_id: 1 }, { location_id: '1' }],
    ['no other ids', { id: 9, product_id: 4, shop_id: 'three' }, {}],
    ['null where it is the only id', { product_group_id: null }, { product_group_id: null }],
    ['an id rather than null', { product_group_id: null, shop_id: 3 }, { shop_id: '3' }],
  ])('finds %s', (_what, row, ids) => {
    expect(ownIds(row, true)).toEqual(ids);
  });

  test('takes null for an id of rows only', () => {
    expect(ownIds({ location_id: null }, false)).toEqual({});
  });
});

describe('joinIds', () => {
  test('keeps the ids around, the inner ones first, and no location beside a shop', () => {
    expect(joinIds({ product_group_id: '1' }, { shop_id: '3' })).toEqual({
      product_group_id: '1',
      shop_id: '3',
    });
    expect(joinIds({ shop_id: '1' }, { shop_id: '3' })).toEqual({ shop_id: '3' });
    expect(joinIds({ location_id: '1' }, { shop_id: '3' })).toEqual({ shop_id: '3' });
    expect(joinIds({ location_id: '1' }, {})).toEqual({ location_id: '1' });
  });
});

describe('nameIn', () => {
  test.each([
    [{ shop_id: 3, name: 'Webshop' }, 'Webshop'],
    [{ type_alias: 'Cash', name: 'Contant' }, 'Contant'],
    [{ alias: 'Cash', method_name: 'Contant' }, 'Contant'],
    [{ omschrijving: 'Contant', amount: '12.50', from: '2026-11-19' }, 'Contant'],
    [{ one: 'this', two: 'that' }, undefined],
    [{ shop_id: 3 }, undefined],
  ])('calls %o %s', (row, name) => {
    expect(nameIn(row)).toBe(name);
  });
});

describe('idFieldOfMap', () => {
  test.each([
    ['shops', 'shop_id'],
    ['per_shop', 'shop_id'],
    ['turnover_by_shop_wt', 'shop_id'],
    ['locations', 'location_id'],
    ['turnover_groups', 'product_group_id'],
    ['product_group', 'product_group_id'],
    ['payment_methods', 'provider_method_type_id'],
    ['segments', 'segment_id'],
    ['shops_per_location', undefined],
    ['tax_rates', undefined],
    ['groups', undefined],
    ['shopping', undefined],
    ['years', undefined],
    ['', undefined],
  ])('takes the keys under %j for %s', (name, idField) => {
    expect(idFieldOfMap(name)).toBe(idField);
  });
});
