import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { Connection } from '../clients.ts';
import { connectInMemory, startFixedSandbox } from '../in-memory-server.ts';

describe('a call', () => {
  let sandbox: Sandbox;
  let connection: Connection;

  beforeAll(async () => {
    sandbox = await startFixedSandbox({ quota: 6000 });
    connection = await connectInMemory(sandbox);
    await connection.listTools();
    await connection.call('list_shops');
  });

  afterAll(async () => {
    await connection.close();
    await sandbox.close();
  });

  test.each<[tool: string, args: JsonObject, says: string]>([
    ['get_daily_close', { dat: 'yesterday' }, 'has no argument "dat". Did you mean date?'],
    [
      'list_orders',
      { period: 'today', limits: 2 },
      'has no argument "limits". Did you mean limit?',
    ],
    ['get_me', { id: 1 }, 'has no argument "id". It takes no arguments.'],
    ['get_product', { id: 1001 }, 'It takes: shop_product_id, location_id.'],
    ['get_daily_close', {}, 'date is required'],
    ['list_orders', { period: 'last_wek' }, 'Did you mean last_week?'],
    ['list_orders', { period: 'today', limit: 501 }, 'limit must be a whole number from 0 to 500'],
    [
      'list_orders',
      { period: 'yesterday', limit: -1 },
      'limit must be a whole number from 0 to 500',
    ],
    [
      'list_orders',
      { period: 'yesterday', start: -1 },
      'start must be a whole number of 0 or more',
    ],
    ['list_orders', { period: 'yesterday', is_paid: 'maybe' }, 'is_paid must be true or false'],
    ['search_products', { limit: 201 }, 'limit must be a whole number from 0 to 200'],
    ['search_products', { language_code: 'NLD' }, 'two lower-case letters'],
    ['list_product_prices', { product_ids: '1001,x' }, 'whole numbers of 1 or more'],
    ['list_product_prices', { product_ids: '0' }, 'whole numbers of 1 or more'],
    ['get_order', { order_id: 'W20261119-0050' }, 'order_id must be a whole number of 1 or more'],
    ['get_financial_report', { from: '2026-02-30' }, 'is a day that does not exist'],
    ['get_financial_report', { from: '12/01/2026' }, 'Give YYYY-MM-DD'],
    ['get_financial_report', { from: '2026-03-02', to: '2026-03-01' }, 'comes after'],
    ['get_financial_report', { from: '2999-01-01' }, 'lies in the future'],
    ['get_financial_report', { period: 'yesterday', from: '2026-01-01' }, 'period'],
    ['get_financial_report', {}, 'period'],
    ['list_order_changes', {}, 'exactly one of since and cursor; neither came'],
    ['list_order_changes', { since: 'today', cursor: 'c' }, 'since and cursor; both came'],
    ['list_product_changes', { since: 'last tuesday' }, 'since'],
    [
      'list_orders',
      { period: 'yesterday', shop_id: 'Utrecht' },
      'Give one of these ids as shop_id',
    ],
    ['list_orders', { period: 'yesterday', shop_id: 'Nergens' }, 'Café Perron (4)'],
    ['list_orders', { period: 'yesterday', shop_id: 0 }, 'must be an id of 1 or more, or a name'],
    ['read_rows', { result_id: 'r_gone' }, 'Call the tool that gave them again'],
    ['query', { sql: "FROM result('r_gone')" }, 'nothing is kept'],
  ])('of %s with %j is refused before it costs a request', async (tool, args, says) => {
    const before = sandbox.stats.requests;
    const answer = await connection.call(tool, args);
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(new RegExp(`^${tool}[ :]`));
    expect(answer.text).toContain(says);
    expect(answer.structured).toEqual({});
    expect(sandbox.stats.requests).toBe(before);
  });

  test('has its texts read as the numbers, truths and lists that they mean', async () => {
    const args = { period: 'yesterday', limit: '2', is_paid: 'true', fields: '["id","is_paid"]' };
    const { structured, rows, text } = await connection.call('list_orders', args);
    expect(structured, text).toMatchObject({ count: 2, limit: 2 });
    expect(rows).toEqual(Array(2).fill({ id: expect.any(Number), is_paid: true }));
  });

  test('does without arguments that are blank', async () => {
    const args = { period: 'yesterday', shop_id: '', status: ' ', fields: [], limit: 1 };
    expect(await connection.call('list_orders', args)).toMatchObject({ isError: false });
  });
});
