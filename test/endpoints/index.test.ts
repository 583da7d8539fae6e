import { describe, expect, test } from 'vitest';
import { sentencesFor } from '../../src/core/text.ts';
import { type Endpoint, givesRows, isChangeFeed, isPaged } from '../../src/endpoints/define.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import type { PropertySchema } from '../../src/mcp/tools/catalogue.ts';
import { type Documented, endpointSamples, inputSchema } from '../samples.ts';

const parametersOf = (path: string) =>
  endpointSamples.find((it) => it.path === path)?.parameters ?? {};

/** Every parameter that the document describes, with its endpoint. */
const documented = endpointSamples.flatMap(({ path, parameters = {} }) =>
  Object.entries(parameters).map(([name, said]): [string, string, Documented] => [
    path,
    name,
    said,
  ]),
);

const byTool = endpoints.map((endpoint): [string, Endpoint] => [endpoint.tool, endpoint]);

function definitionOf(path: string): Endpoint {
  return (
    endpoints.find((it) => it.path === path) ??
    expect.unreachable(`no definition of src/endpoints/ has ${path}`)
  );
}

function argumentsOf(endpoint: Endpoint): Record<string, PropertySchema> {
  return inputSchema(endpoint.input).properties ?? {};
}

/** A page of no rows is a question of ours: the platform is never asked for one. */
function withZero(name: string): { minimum: number } | undefined {
  return name === 'limit' ? { minimum: 0 } : undefined;
}

function accepts(endpoint: Endpoint, name: string, value: unknown): boolean {
  return endpoint.input.shape[name]?.safeParse(value).success === true;
}

/** Where arguments come from that no law knows yet. */
function howToName(endpoint: Endpoint, unknown: readonly string[]): string {
  const { tool } = endpoint;
  const ofRows = givesRows(endpoint)
    ? 'its answer is rows: ...page(), ...changeFeed() or ...wholeList(), of which only the first two have all'
    : 'its answer is one object, which takes no fields, sort, top or limit: rows are output: listOf()';
  return `${tool} takes ${unknown.join(', ')}, which neither the document nor the design knows. A parameter of the document stands in the row of ${tool} in test/samples.ts (parameters: { name: text }). Otherwise ${ofRows}`;
}

describe('the catalogue', () => {
  test('has a definition for each documented endpoint and for nothing else', () => {
    const paths = endpointSamples.map(({ path }) => path);
    const defined = endpoints.map(({ path }): string => path);
    const alone = (some: readonly string[], others: readonly string[]) =>
      some.filter((path) => !others.includes(path)).join(', ') || 'none';
    const hint = `without a row in test/samples.ts: ${alone(defined, paths)}; without a definition in src/endpoints/: ${alone(paths, defined)}`;
    expect(defined.sort(), hint).toEqual(paths.sort());
  });

  test.each(endpointSamples)(
    'offers $path as $tool of $toolset',
    ({ path, tool, toolset, pathId }) => {
      expect(definitionOf(path)).toMatchObject({ tool, toolset, ...(pathId && { pathId }) });
      if (pathId === undefined) return;
      const { properties = {}, required = [] } = inputSchema(definitionOf(path).input);
      expect(properties).toHaveProperty(pathId);
      // Where an order or a customer may be named otherwise, that one of both came is checked later.
      const isNamedOtherwise = 'order_number' in properties || 'relation_data_id' in properties;
      expect(required.includes(pathId)).toBe(!isNamedOtherwise);
    },
  );

  test.each(documented)('takes, of %s, the documented parameter %s', (path, name, said) => {
    expect(argumentsOf(definitionOf(path))[name]).toMatchObject({ ...said, ...withZero(name) });
  });

  test.each(
    documented.flatMap(([path, name, { minimum, maximum }]) =>
      [minimum, maximum].flatMap((bound): [string, string, number][] =>
        bound === undefined ? [] : [[path, name, bound]],
      ),
    ),
  )('holds %s to the bound of %s at %d', (path, name, bound) => {
    const endpoint = definitionOf(path);
    const said = parametersOf(path)[name];
    expect(accepts(endpoint, name, bound)).toBe(true);
    expect(accepts(endpoint, name, bound + 0.5)).toBe(false);
    const least = withZero(name)?.minimum ?? said?.minimum;
    if (said?.minimum === bound && least !== undefined)
      expect([least - 1, least].map((it) => accepts(endpoint, name, it))).toEqual([false, true]);
    if (said?.maximum === bound) expect(accepts(endpoint, name, bound + 1)).toBe(false);
  });

  test.each(byTool)('gives %s only arguments that the document or the design knows', (_, it) => {
    const paging = isPaged(it) || isChangeFeed(it) ? ['all'] : ['limit'];
    const ofRows = givesRows(it) ? ['fields', 'sort', 'top', ...paging] : [];
    const ofReports = it.path === '/api/financial-report' ? ['sections'] : [];
    const ofOrders = it.pathId === 'order_id' ? ['order_number', 'period'] : [];
    const ofDays = 'from' in it.input.shape ? ['period'] : [];
    const withMore = {
      '/api/order/{id}': ['lines'],
      '/api/product': ['prices'],
      '/api/customer/{id}': ['relation_data_id'],
    };
    const companions = Object.entries(withMore).flatMap(([path, names]) =>
      path === it.path ? names : [],
    );
    const ours = [...ofRows, ...ofReports, ...ofOrders, ...ofDays, ...companions, it.pathId ?? ''];
    // Their parameters are not shown in the document; these are what its prose speaks of.
    const open = { '/api/stock': ['location_id'], '/api/report/product-sale': ['location_id'] };
    const known = [...Object.keys(parametersOf(it.path)), ...ours, 'from', 'to'];
    const spoken = Object.entries(open).flatMap(([path, names]) => (path === it.path ? names : []));
    const unknown = Object.keys(it.input.shape).filter(
      (name) => ![...known, ...spoken].includes(name),
    );
    expect(unknown, howToName(it, unknown)).toEqual([]);
  });

  test.each(byTool.filter(([, { path }]) => 'from' in parametersOf(path)))(
    'lets %s take a period instead of from and to',
    (_, endpoint) => {
      const { type, description } = argumentsOf(endpoint).period ?? {};
      expect({ type, description }).toEqual({
        type: 'string',
        description: expect.stringMatching(/last_week.*last_N_days.*day\.\.day/),
      });
      expect(inputSchema(endpoint.input).required ?? []).not.toContain('from');
    },
  );

  test.each(byTool)('lets an answer of %s say more, less and nothing', (_, { output }) => {
    const list = { data: [{ id: null, news: 1 }, {}], count: 2, total: 2, news: { a: 1 } };
    expect(output.safeParse(list).success).toBe(true);
  });

  test('keeps the digits of order numbers, amounts and ids as they came', () => {
    const row = { id: 7, order_number: '0007', discount_value_wt: '12.50', date_updated: null };
    const { data } = definitionOf('/api/order').output.parse({ data: [row] });
    expect(row).toMatchObject(Object(data)[0]);
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

  test('names the capability that an endpoint needs (docs/platform.md#capabilities)', () => {
    const named = endpoints.flatMap(({ path, capabilities }) => (capabilities ? [path] : []));
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

function find(tool: string): Endpoint {
  return endpoints.find((it) => it.tool === tool) ?? expect.unreachable(`no tool ${tool}`);
}

function descriptionOf(tool: string, argument: string): string | undefined {
  return inputSchema(find(tool).input).properties?.[argument]?.description;
}

describe('a description', () => {
  test.each(endpoints)(
    'the description of $tool is present, short and one line',
    ({ title, description }) => {
      expect(title, 'a capital and 2 to 40 characters more').toMatch(/^[A-Z].{2,40}$/);
      const form = 'one line of 22 to 182 characters that ends with a full stop';
      expect(
        sentencesFor(description, () => true),
        form,
      ).toMatch(/^[A-Za-z][^\n]{20,180}\.$/);
    },
  );

  test.each([
    ['get_product', /inner id/],
    ['list_product_prices', /inner product id.*sale price/],
    ['get_customer', /relation_data_id/],
    ['list_shops', /different id spaces/],
    ['list_order_changes', /rows can recur/],
    ['list_discount_orders', /incl\. VAT/],
    ['get_financial_report', /never add up days/],
    ['list_payment_methods', /type_alias/],
  ])('the description of %s names its trap: %s', (tool, trap) => {
    expect(sentencesFor(find(tool).description, () => true)).toMatch(trap);
  });

  test('the description of is_internal says what leaving it out means (docs/platform.md#orders)', () => {
    expect(descriptionOf('list_orders', 'is_internal')).toContain('omitted: platform default');
  });
});
