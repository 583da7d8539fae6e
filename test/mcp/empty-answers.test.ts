import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { requestsTo, sharedServer } from '../server-over.ts';

const server = sharedServer();
const day = { period: '2026-11-16' };

describe('an answer without rows', () => {
  test('says how many there are without its filters, by one request more', async () => {
    const { ask, sandbox } = server();
    const filters = { shop_id: 'Groothandel', status: 'new' };
    let text = '';
    const asking = async () => {
      ({ text } = await ask('list_orders', {
        ...day,
        ...filters,
        is_internal: true,
        is_paid: true,
      }));
    };
    expect(await requestsTo(server(), '/api/order', asking)).toBe(2);
    const { length } = sandbox.world.orders('2026-11-16', undefined);
    expect(text).toContain(
      `Without shop_id, status, is_internal, is_paid there are ${length} orders.`,
    );
    expect(text).not.toContain('Kept as');
  });

  test.each<[tool: string, args: JsonObject, nearby: RegExp]>([
    ['search_customers', { q: 'zzzzqq' }, /Without q there are [\d,]{3,} customers\./],
    ['search_products', { q: 'zzzzqq' }, /Without q there are \d{2,} products\./],
    [
      'list_product_prices',
      { product_ids: '9' },
      /Without product_ids there are \d{2,} price rows\./,
    ],
  ])('says so for %s %j', async (tool, args, nearby) => {
    const { text } = await server().ask(tool, args);
    expect(text).toMatch(nearby);
  });

  test.each<[tool: string, args: JsonObject]>([
    ['list_orders', { ...day, limit: 1, is_internal: false }],
    [
      'query',
      {
        sql: "SELECT * FROM list_orders(period := '2026-11-16', status := 'new', shop_id := 8, is_internal := true)",
      },
    ],
  ])('alone is looked around for: not of %s %j', async (tool, args) => {
    const asking = async () => {
      expect((await server().ask(tool, args)).text).not.toContain('Without');
    };
    expect(await requestsTo(server(), '/api/order', asking)).toBe(1);
  });
});
