import { describe, expect, test } from 'vitest';
import { endpointMessages } from '../../src/analysis/endpoint/messages.ts';
import { referenceSpaces } from '../../src/analysis/reference/reference.ts';
import { analysisTools } from '../../src/analysis/tools.ts';
import type { Days } from '../../src/core/calendar.ts';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import type { ToolAnswer } from '../clients.ts';
import { anOrder, argumentsOf, samples } from '../samples.ts';
import { describedAs, requestsTo, serverOver, sharedServer } from '../server-over.ts';

const lastMonth = { period: 'last_month' };

function resultOf({ context }: ToolAnswer): JsonObject {
  return isRecord(context.result) ? context.result : {};
}

const shared = sharedServer();
const { ask } = shared;
const ordersOfLastMonth = () => shared().sandbox.world.orders('2026-10-01', '2026-10-31');

describe.each(describedAs)('top without sort over a %s description', (description) => {
  test.each([
    ['list_orders', lastMonth, ['total_wt', 'date_created'], 'relation_data_id'],
    ['get_product_sales', lastMonth, ['quantity', 'turnover_wt'], 'product_id'],
    ['list_product_changes', { since: '2026-11-01' }, ['date_updated'], 'shop_product_id'],
  ])('of %s is refused with the columns to sort by', async (tool, given, columns, id) => {
    const server = await serverOver('memory', { sandbox: shared().sandbox, description });
    const { isError, text, failure } = await server.ask(tool, { ...given, top: 5 });
    expect([isError, failure]).toMatchObject([true, { code: 'bad_input', argument: 'top' }]);
    for (const column of columns) expect(text).toMatch(new RegExp(`sort too.*\\b${column}\\b`));
    expect(text).not.toContain(id);
  });
});

describe('a sorted list', () => {
  test('gives the largest ten orders of a month in one call', async () => {
    const args = { ...lastMonth, sort: '-total_wt', top: 10, fields: ['id', 'total_wt'] };
    const { rows, text, context } = await ask('list_orders', args);
    const orders = ordersOfLastMonth();
    const largest = orders.map((it) => it.totalWtCents).toSorted((a, b) => b - a);
    expect(rows.map(({ total_wt }) => Math.round(Number(total_wt) * 100))).toEqual(
      largest.slice(0, 10),
    );
    expect(context.read).toEqual({ rows: orders.length, of: orders.length });
    expect(text).toMatch(`list_orders: 10 of ${orders.length.toLocaleString('en-US')} orders`);
    expect(context).toMatchObject({ complete: true, result: { rows: orders.length } });
    expect(context).not.toHaveProperty('next');
  });

  test('sums up every row for limit 0, and shows none', async () => {
    const profiled = await ask('list_orders', { ...lastMonth, limit: 0 });
    const orders = ordersOfLastMonth();
    const cents = orders.reduce((sum, { totalWtCents }) => sum + totalWtCents, 0);
    expect(profiled.rows).toEqual([]);
    expect(profiled.text).toContain(`total_wt: sum ${(cents / 100).toFixed(2)},`);
    expect(profiled.text).not.toContain('backoffice_url');
    expect(profiled.context.complete).toBe(true);
    expect(profiled.text).not.toMatch(/Next:|Read whole|Not read whole/);
    const narrow = await ask('list_orders', { ...lastMonth, limit: 0, fields: ['total_wt'] });
    expect(resultOf(narrow).columns).toEqual([expect.objectContaining({ name: 'total_wt' })]);
  });

  test('a sorted change feed is read to its end', async () => {
    const since = { since: 'last_7_days' };
    const whole = await ask('list_order_changes', { ...since, all: true });
    expect(whole.warnings).toEqual([]);
    const first = await ask('list_order_changes', { ...since, sort: '-date_updated', top: 1 });
    const { rows } = resultOf(whole);
    expect(first.context.read).toEqual({ rows, of: rows });
    const latest = whole.rows.map(({ date_updated }) => String(date_updated)).toSorted();
    expect(String(first.rows[0]?.date_updated) >= String(latest.at(-1))).toBe(true);
  });

  test('is to be had of every list but the reference lists, paged or not', async () => {
    const { client, sandbox } = shared();
    const { tools } = await client.listTools();
    const own = new Set(analysisTools.map(({ tool }) => tool));
    const listTools = tools.filter(
      ({ name, inputSchema: { properties = {} } }) => !own.has(name) && 'fields' in properties,
    );
    expect(listTools.length).toBeGreaterThan(14);
    const reference = new Set(referenceSpaces.map(({ endpoint }) => endpoint.tool));
    const lists = listTools.filter(({ name }) => !reference.has(name));
    expect(lists).toHaveLength(listTools.length - reference.size);
    for (const { inputSchema } of listTools.filter(({ name }) => reference.has(name)))
      expect(inputSchema.properties).not.toHaveProperty('sort');
    for (const { name, inputSchema } of lists) {
      expect(Object.keys(inputSchema.properties ?? {})).toEqual(
        expect.arrayContaining(['sort', 'top', 'limit', 'fields']),
      );
      const sample = samples.find(({ tool }) => tool === name) ?? expect.unreachable();
      const { limit: _, ...given } = argumentsOf(sample, { orderId: anOrder(sandbox.world) });
      const whole = await ask(name, { ...given });
      const [column = ''] = Object.keys(whole.rows[0] ?? {});
      const [first] = (await ask(name, { ...given, sort: `-${column}`, top: 1 })).rows;
      const most = Math.max(...whole.rows.map((row) => Number(row[column])));
      expect(Number(first?.[column]), name).toBeGreaterThanOrEqual(most);
      const profiled = await ask(name, { ...given, limit: 0 });
      expect([name, profiled.isError, profiled.rows]).toEqual([name, false, []]);
    }
  });
});

describe('read_rows', () => {
  test('keeps to the columns of the answer that it goes on with', async () => {
    const kept = await ask('list_orders', { ...lastMonth, all: true, fields: ['id', 'total_wt'] });
    const result_id = resultOf(kept).id;
    const { rows, text, context } = await ask('read_rows', { result_id, start: 5, limit: 2 });
    const columns = ['id', 'total_wt'];
    expect(rows.map((row) => Object.keys(row))).toEqual([columns, columns]);
    expect(text).toMatch(/^# Read whole; 2 of [\d,]+ rows shown\. Next: read_rows /m);
    expect(context.next).toMatchObject({ arguments: { start: 7, fields: ['id', 'total_wt'] } });
    const other = await ask('read_rows', { result_id, limit: 1, fields: ['status'] });
    expect(Object.keys(other.rows[0] ?? {})).toEqual(['status']);
  });
});

test('kept rows of a statement name no ids of another kind either', async () => {
  const sql = `SELECT * EXCLUDE (shop_id, segment_id), shop_id AS location_id FROM list_orders(period := 'last_90_days', shop_id := 3)`;
  const kept = await ask('query', { sql });
  const { id: result_id } = Object(kept.context.result);
  const { context, rows } = await ask('read_rows', { result_id, limit: 5 });
  expect({ rows: rows.length, labels: context.labels }).toEqual({ rows: 5 });
});

describe('an order given by its number', () => {
  test.each(['get_order', 'list_order_items'])('is found by %s', async (tool) => {
    const period = 'last_7_days';
    const newest = { period, limit: 5, fields: ['id', 'order_number'] };
    const { id, order_number } = (await ask('list_orders', newest)).rows[3] ?? {};
    expect(shared().sandbox.world.ledger.order(Number(id))).toBeDefined();
    const byId = await ask(tool, { order_id: id });
    const byNumber = await ask(tool, { order_number, period });
    expect(byNumber.isError, byNumber.text).toBe(false);
    const { context: _, ...payload } = byNumber.body;
    expect(byId.body).toMatchObject(payload);
    const note = 'looked for among the orders of 2026-11-13 to 2026-11-19';
    const link = `in the back office: ${shared().sandbox.baseUrl}/backoffice/order/${id}`;
    expect(byNumber.text).toContain(
      `order_number ${order_number} has the id ${id}, ${note}; ${link}`,
    );
  });

  test('is looked for over the days that the refusal names', async () => {
    const refusal = (days: Days) =>
      endpointMessages.no_such_order({ number: 'W-0', looked: 0, total: 0, days }).text;
    const { text } = await ask('get_order', { order_number: 'W-0' });
    const days = { from: '2026-08-22', to: '2026-11-20' };
    expect(text).toBe(`get_order: ${refusal(days)}`);
    const long = { from: '2020-01-01', to: '2020-01-01' };
    const day = await ask('get_order', { order_number: 'W-0', period: long.from });
    expect(day.text).toBe(`get_order: ${refusal(long)}`);
  });
});

const day = { period: '2026-11-16' };

describe('an answer without rows', () => {
  test('says how many there are without its filters, by one request more', async () => {
    const flags = { is_internal: true, is_paid: true };
    let text = '';
    const asking = async () => {
      const filtered = { ...day, shop_id: 'Groothandel', status: 'new', ...flags };
      ({ text } = await ask('list_orders', filtered));
    };
    expect(await requestsTo(shared(), '/api/order', asking)).toBe(2);
    const { length } = shared().sandbox.world.orders('2026-11-16', undefined);
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
    const { text } = await ask(tool, args);
    expect(text).toMatch(nearby);
  });

  const sql =
    "SELECT * FROM list_orders(period := '2026-11-16', status := 'new', shop_id := 8, is_internal := true)";

  test.each<[tool: string, args: JsonObject]>([
    ['list_orders', { ...day, limit: 1, is_internal: false }],
    ['query', { sql }],
  ])('alone is looked around for: not of %s %j', async (tool, args) => {
    const asking = async () => {
      expect((await ask(tool, args)).text).not.toContain('Without');
    };
    expect(await requestsTo(shared(), '/api/order', asking)).toBe(1);
  });
});

test('a reference list is read once, whichever tool needs it first', async () => {
  const server = await serverOver('memory');
  const asking = async () => {
    await server.ask('list_shops');
    const { rows } = await server.ask('list_orders', { period: 'yesterday', shop_id: 'Webshop' });
    expect(new Set(rows.map(({ shop_id }) => shop_id))).toEqual(new Set([1]));
    await server.ask('find_reference', { query: 'Webshop', kinds: ['shop'] });
  };
  expect(await requestsTo(server, '/api/shop', asking)).toBe(1);
});
