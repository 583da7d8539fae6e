import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecord, type JsonObject, parseJson } from '../../src/core/json.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import { type Connection, clients, connect } from './clients.ts';
import { httpClients } from './http/clients.ts';
import { account } from './spawn.ts';

/** Sensible arguments for every tool, by what the business holds and a result kept before. */
const calls: Record<string, (world: World, resultId: unknown) => JsonObject> = {
  get_me: () => ({}),
  list_shops: () => ({}),
  list_locations: () => ({}),
  get_location: () => ({ location_id: 'amsterdam noord' }),
  list_tax_rates: () => ({ country_code: 'NL' }),
  list_turnover_groups: () => ({}),
  list_payment_methods: () => ({}),
  get_financial_report: () => ({ period: 'last_month' }),
  get_payment_report: ({ unbalancedDay }) => ({ from: unbalancedDay.date, location_id: '3' }),
  get_daily_close: () => ({ date: 'yesterday' }),
  get_product_sales: () => ({ period: 'last_week' }),
  list_discount_orders: () => ({ period: 'last_week', include_negative: true }),
  list_orders: () => ({ period: 'last_week', shop_id: 'Webshop' }),
  get_order: (world) => ({ order_id: anOrder(world) }),
  list_order_items: (world) => ({ order_id: anOrder(world) }),
  list_order_changes: () => ({ since: 'yesterday' }),
  search_products: () => ({ q: 'koek' }),
  get_product: () => ({ shop_product_id: 1001 }),
  list_product_prices: () => ({ product_ids: '1001,1002' }),
  list_product_changes: () => ({ since: 'last_30_days' }),
  list_stock: () => ({ location_id: 2 }),
  search_customers: () => ({ limit: 5 }),
  get_customer: (world) => ({ customer_id: world.customers()[1]?.id }),
  list_customer_segments: () => ({}),
  find_reference: () => ({ query: 'Utrecht' }),
  compare_turnover: () => ({ period: 'last_week', by: 'shop' }),
  turnover_trend: () => ({ period: 'last_week', bucket: 'day' }),
  summarize_rows: (_, result_id) => ({ result_id, group_by: ['shop_id'], metrics: ['count'] }),
  read_rows: (_, result_id) => ({ result_id, limit: 3 }),
};

const fixedResources = [
  'commerce://shops',
  'commerce://locations',
  'commerce://tax-rates',
  'commerce://turnover-groups',
  'commerce://payment-methods',
  'commerce://customer-segments',
  'commerce://access',
];

const prompts = [
  'compare-periods',
  'daily-turnover',
  'discount-audit',
  'open-orders',
  'payment-reconciliation',
  'product-performance',
  'stock-check',
  'vat-summary',
];

/** A variable of a template and its address with a value that means something. */
const templates: [template: string, variable: string, of: (world: World) => unknown][] = [
  ['commerce://tax-rates/{country_code}', 'country_code', () => 'NL'],
  ['commerce://orders/{order_id}', 'order_id', anOrder],
  ['commerce://products/{shop_product_id}', 'shop_product_id', () => 1001],
];

function anOrder(world: World): number {
  return world.orders(world.unbalancedDay.date)[0]?.id ?? 0;
}

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ quota: 6000 });
});

afterAll(() => sandbox.close());

describe.each([...clients, ...httpClients])('with $name', ({ connect: connectWith }) => {
  let connection: Connection;
  let result: JsonObject;

  beforeAll(async () => {
    connection = await connectWith({ args: ['stdio'], settings: account(sandbox) });
    await connection.listTools();
    const drained = await connection.call('list_orders', { period: 'last_week', all: true });
    result = isRecord(drained.context.result) ? drained.context.result : {};
  });

  afterAll(() => connection.close());

  test('the connection tells how days, money and ids work here', () => {
    expect(connection.instructions()).toMatch(/Europe\/Amsterdam[\s\S]*_wt includes VAT/);
    expect(connection.instructions()).toContain('SANDBOX: all figures are invented');
  });

  test('all tools are listed on one page, each with an output schema', async () => {
    const { tools, nextCursor } = await connection.listTools();
    expect(nextCursor).toBeUndefined();
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort());
    expect(tools.filter(({ outputSchema }) => outputSchema === undefined)).toEqual([]);
  });

  test.each(Object.entries(calls))('%s answers in both channels', async (tool, argumentsOf) => {
    const answer = await connection.call(tool, argumentsOf(sandbox.world, result.id));
    expect(answer.isError, answer.text).toBe(false);
    expect(answer.text).toMatch(new RegExp(`^${tool}: .*as of \\d{4}-\\d\\d-\\d\\dT`));
    expect(answer.context).toMatchObject({ source: 'sandbox', as_of: expect.any(String) });
  });

  test('every resource that is listed can be read', async () => {
    const { resources } = await connection.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([...fixedResources, 'commerce://guide']);
    for (const uri of fixedResources) {
      const [content] = await connection.read(uri);
      expect(content).toMatchObject({ uri, mimeType: 'application/json' });
      expect(parseJson(content?.text ?? '')).toMatchObject({ context: { source: 'sandbox' } });
    }
    const [guide] = await connection.read('commerce://guide');
    expect(guide?.text).toMatch(/^# How to read this business/);
  });

  test.each(templates)('%s completes its variable and can be read', async (template, name, of) => {
    const { resourceTemplates } = await connection.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(template);
    const values = await connection.complete(template, name, '');
    expect(values.length).toBeGreaterThan(0);
    for (const value of [values[0], of(sandbox.world)]) {
      const [content] = await connection.read(template.replace(`{${name}}`, String(value)));
      expect(parseJson(content?.text ?? '')).toMatchObject({ context: { source: 'sandbox' } });
    }
  });

  test('a kept result completes its id and is read as CSV and as JSON', async () => {
    const template = 'commerce://results/{result_id}';
    expect(await connection.complete(template, 'result_id', 'r_')).toContain(result.id);
    const [csv, json] = await connection.read(String(result.uri));
    expect(csv).toMatchObject({ uri: `${result.uri}.csv`, mimeType: 'text/csv' });
    expect(json).toMatchObject({ uri: `${result.uri}.json`, mimeType: 'application/json' });
    const kept = parseJson(json?.text ?? '');
    expect(isRecord(kept) && kept.data).toHaveLength(Number(result.rows));
    expect(csv?.text.trim().split('\n')).toHaveLength(Number(result.rows) + 1);
  });

  test('every prompt is listed, and fetched with nothing but its defaults', async () => {
    const listed = await connection.listPrompts();
    expect(listed.prompts.map(({ name }) => name)).toEqual(prompts);
    for (const name of prompts) {
      const { text } = await connection.getPrompt(name);
      expect(text).toContain('## Gather');
      expect(text).not.toContain('{{');
    }
  });

  test('a prompt takes an argument, which completes from live names and from words', async () => {
    const { text } = await connection.getPrompt('discount-audit', { shop: 'Café Perron' });
    expect(text).toContain('Shop (empty: all shops): Café Perron');
    expect(await connection.complete('discount-audit', 'shop', 'cafe')).toEqual(['Café Perron']);
    expect(await connection.complete('discount-audit', 'period', 'last_m')).toEqual(['last_month']);
    expect(await connection.complete('compare-periods', 'by', 'sh')).toEqual(['shop']);
    expect(await connection.complete('no-such-prompt', 'by', '')).toEqual([]);
  });

  test('a prompt, an argument of one, and an address that do not exist are refused', async () => {
    await expect(connection.getPrompt('daily-turnove')).rejects.toThrow('daily-turnover');
    await expect(connection.getPrompt('stock-check', { size: '3' })).rejects.toThrow('"size"');
    await expect(connection.read('commerce://shop')).rejects.toThrow('commerce://shop');
    await expect(connection.read('commerce://orders/999999999')).rejects.toThrow(/404|not found/i);
    await expect(connection.read('commerce://results/r_gone')).rejects.toThrow('r_gone');
  });
});

describe('the revision of the protocol', () => {
  test.each([
    ['the 2.x client', '2025-11-25'],
    ['the 2.x client that negotiates', '2026-07-28'],
    ['the 2.x client pinned to 2026-07-28', '2026-07-28'],
  ])('with %s is %s', async (name, revision) => {
    const connection = await clients
      .find((client) => client.name === name)
      ?.connect({ args: ['stdio'], settings: account(sandbox) });
    expect(connection?.version()).toBe(revision);
    await connection?.close();
  });
});

describe('an embedded sandbox', () => {
  test('says in the instructions and in every answer that its figures are invented', async () => {
    const connection = await connect({ args: ['stdio', '--sandbox'] });
    expect(connection.instructions()).toContain('SANDBOX: all figures are invented');
    const answer = await connection.call('get_daily_close', { date: 'yesterday' });
    expect(answer.context.source).toBe('sandbox');
    expect(answer.text).toContain('source: sandbox, invented figures');
    await connection.close();
  });
});
