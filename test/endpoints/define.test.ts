import { describe, expect, test } from 'vitest';
import { endpointName, givesRows, isDelta, isPaged } from '../../src/endpoints/define.ts';
import { endpoints } from '../../src/endpoints/index.ts';

describe('endpointName', () => {
  test('names an endpoint as the document does', () => {
    expect(endpointName({ path: '/api/order/{id}' })).toBe('GET /api/order/{id}');
  });
});

describe('isPaged', () => {
  test('knows the lists with start and limit', () => {
    const names = endpoints.filter(isPaged).map(({ tool }) => tool);
    expect(names.sort()).toEqual([
      'list_orders',
      'list_product_prices',
      'search_customers',
      'search_products',
    ]);
  });
});

describe('isDelta', () => {
  test('knows the change feeds', () => {
    const names = endpoints.filter(isDelta).map(({ tool }) => tool);
    expect(names.sort()).toEqual(['list_order_changes', 'list_product_changes']);
  });
});

describe('givesRows', () => {
  test('knows the endpoints that answer one object', () => {
    const names = endpoints.filter((it) => !givesRows(it)).map(({ tool }) => tool);
    expect(names.sort()).toEqual([
      'get_customer',
      'get_daily_close',
      'get_financial_report',
      'get_location',
      'get_me',
      'get_order',
      'get_payment_report',
      'get_product',
    ]);
  });
});
