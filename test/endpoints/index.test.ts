import { describe, expect, test } from 'vitest';
import {
  type Endpoint,
  givesRows,
  isDelta,
  isPaged,
  toolsets,
} from '../../src/endpoints/define.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { inputSchema, type PropertySchema } from '../../src/mcp/tools/json-schema.ts';
import { type Documented, documented } from './documented.ts';

/** DESIGN section 2: the tool of each path, and the argument that fills its `{id}`. */
const tools: Record<string, [tool: string, pathId?: string]> = {
  '/api/me': ['get_me'],
  '/api/customer': ['search_customers'],
  '/api/customer/{id}': ['get_customer', 'customer_id'],
  '/api/customer-segment': ['list_customer_segments'],
  '/api/discount-order': ['list_discount_orders'],
  '/api/financial-report': ['get_financial_report'],
  '/api/location': ['list_locations'],
  '/api/location/{id}': ['get_location', 'location_id'],
  '/api/order': ['list_orders'],
  '/api/order/delta': ['list_order_changes'],
  '/api/order/{id}': ['get_order', 'order_id'],
  '/api/order/{id}/item': ['list_order_items', 'order_id'],
  '/api/payment-method': ['list_payment_methods'],
  '/api/product': ['search_products'],
  '/api/product/delta': ['list_product_changes'],
  '/api/product/{id}': ['get_product', 'shop_product_id'],
  '/api/product-price': ['list_product_prices'],
  '/api/report/payment': ['get_payment_report'],
  '/api/report/daily-close': ['get_daily_close'],
  '/api/stock': ['list_stock'],
  '/api/shop': ['list_shops'],
  '/api/tax-rate': ['list_tax_rates'],
  '/api/turnover-group': ['list_turnover_groups'],
  '/api/report/product-sale': ['get_product_sales'],
};

const paths = Object.keys(documented);
const byTool = endpoints.map((endpoint): [string, Endpoint] => [endpoint.tool, endpoint]);

function definitionOf(path: string): Endpoint {
  return endpoints.find((it) => it.path === path) ?? expect.unreachable(`no endpoint ${path}`);
}

function argumentsOf(endpoint: Endpoint): Record<string, PropertySchema> {
  return inputSchema(endpoint.input).properties ?? {};
}

function accepts(endpoint: Endpoint, name: string, value: unknown): boolean {
  return endpoint.input.shape[name]?.safeParse(value).success === true;
}

describe('the catalogue', () => {
  test('has a definition for each of the 24 documented endpoints and for nothing else', () => {
    expect(paths).toHaveLength(24);
    expect(endpoints.map(({ path }) => path).sort()).toEqual(paths.toSorted());
  });

  test.each(Object.entries(tools))('offers %s as %s', (path, [tool, pathId]) => {
    expect(definitionOf(path)).toMatchObject({ tool, ...(pathId && { pathId }) });
    if (pathId !== undefined)
      expect(inputSchema(definitionOf(path).input).required).toContain(pathId);
  });

  test('names no tool twice and lists them by toolset, then by name', () => {
    const order = endpoints.map(({ toolset, tool }) => `${toolsets.indexOf(toolset)} ${tool}`);
    expect(order).toEqual([...new Set(order)].sort());
  });

  test.each(
    paths.flatMap((path) =>
      Object.entries(documented[path] ?? {}).map(([name, said]): [string, string, Documented] => [
        path,
        name,
        said,
      ]),
    ),
  )('takes, of %s, the documented parameter %s', (path, name, said) => {
    expect(argumentsOf(definitionOf(path))[name]).toMatchObject({ ...said });
  });

  test.each(
    paths.flatMap((path) =>
      Object.entries(documented[path] ?? {}).flatMap(([name, said]): [string, string, number][] =>
        [said.minimum, said.maximum].flatMap((bound): [string, string, number][] =>
          bound === undefined ? [] : [[path, name, bound]],
        ),
      ),
    ),
  )('holds %s to the bound of %s at %d', (path, name, bound) => {
    const endpoint = definitionOf(path);
    const said = documented[path]?.[name];
    expect(accepts(endpoint, name, bound)).toBe(true);
    expect(accepts(endpoint, name, bound + 0.5)).toBe(false);
    if (said?.minimum === bound) expect(accepts(endpoint, name, bound - 1)).toBe(false);
    if (said?.maximum === bound) expect(accepts(endpoint, name, bound + 1)).toBe(false);
  });

  test.each(byTool)('gives %s only arguments that the document or the design knows', (_, it) => {
    const ours = ['period', 'all', 'fields', it.pathId ?? ''];
    // Their parameters are not shown in the document; these are what its prose speaks of.
    const open = { '/api/stock': ['location_id'], '/api/report/product-sale': ['location_id'] };
    const known = [...Object.keys(documented[it.path] ?? {}), ...ours, 'from', 'to'];
    const spoken = Object.entries(open).flatMap(([path, names]) => (path === it.path ? names : []));
    expect([...known, ...spoken]).toEqual(
      expect.arrayContaining(Object.keys(it.input.shape).sort()),
    );
  });

  test.each(byTool.filter(([, { path }]) => 'from' in (documented[path] ?? {})))(
    'lets %s take a period instead of from and to',
    (_, endpoint) => {
      expect(argumentsOf(endpoint).period?.enum).toContain('last_week');
      expect(inputSchema(endpoint.input).required ?? []).not.toContain('from');
    },
  );

  test.each(byTool.filter(([, it]) => isPaged(it) || isDelta(it)))(
    'lets %s read every page, at most the documented one at a time',
    (_, endpoint) => {
      expect(argumentsOf(endpoint)).toMatchObject({ all: { type: 'boolean' } });
    },
  );

  test.each(byTool.filter(([, it]) => givesRows(it)))(
    'lets %s return chosen columns and names its rows',
    (_, endpoint) => {
      expect(argumentsOf(endpoint).fields).toMatchObject({ type: 'array' });
      expect(endpoint.noun).toMatch(/^[a-z ]+s$/);
    },
  );

  test.each(byTool)('refuses arguments that %s does not have', (_, { input }) => {
    const issues = input.safeParse({ nonsense: 1 }).error?.issues ?? [];
    expect(issues.some(({ code }) => code === 'unrecognized_keys')).toBe(true);
  });

  test.each(byTool)('lets an answer of %s say more, less and nothing', (_, { output }) => {
    const list = { data: [{ id: null, news: 1 }, {}], count: 2, total: 2, news: { a: 1 } };
    const result = output.safeParse(list);
    expect(result.success && result.data).toEqual(list);
  });

  test('keeps the digits of order numbers, amounts and ids as they came', () => {
    const row = { id: 7, order_number: '0007', discount_value_wt: '12.50', date_updated: null };
    const answer = { data: [row] };
    expect(definitionOf('/api/order').output.parse(answer)).toEqual(answer);
  });

  test.each([
    [
      '/api/product-price',
      'product_ids',
      ['1', '101,102', ' 101 , 102 '],
      ['0', '1,,2', 'a', '1.5', '-1', ''],
    ],
    ['/api/product', 'language_code', ['nl', 'en'], ['NL', 'nld', 'n', '']],
    ['/api/tax-rate', 'country_code', ['NL', 'nl'], ['NLD', '1', '']],
    ['/api/order/{id}', 'order_id', [1, 2 ** 31], [0, -1, 1.5, '7']],
  ])('holds %s to what %s may be', (path, name, right, wrong) => {
    const endpoint = definitionOf(path);
    for (const value of right) expect(accepts(endpoint, name, value)).toBe(true);
    for (const value of wrong) expect(accepts(endpoint, name, value)).toBe(false);
  });

  test('marks the order feed alone as at-least-once (section 4, rule 6)', () => {
    const marked = endpoints.filter(({ atLeastOnce }) => atLeastOnce);
    expect(marked.map(({ path }) => path)).toEqual(['/api/order/delta']);
  });

  test('names the capability of each endpoint that section 5.8 or rule 9 names one for', () => {
    const named = endpoints.flatMap(({ path, capability }) => (capability ? [path] : []));
    expect(named.sort()).toEqual([
      '/api/location',
      '/api/location/{id}',
      '/api/product',
      '/api/product/delta',
      '/api/product/{id}',
      '/api/stock',
    ]);
  });
});
