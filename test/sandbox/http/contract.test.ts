import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { anOrder, argumentsOf, endpointSamples } from '../../samples.ts';
import { type Caller, callAs, type Fields } from '../caller.ts';

let sandbox: Sandbox;
let owner: Caller;
let described: Fields;
const now = Date.parse('2026-11-20T12:00:00Z');
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => now, quota: 5_000 });
  owner = await callAs(sandbox);
  described = Object(await (await fetch(`${sandbox.baseUrl}/openapi.json`)).json());
});
afterAll(() => sandbox.close());

const PATHS = endpointSamples.map(({ path }) => path);

function concrete(path: string): string {
  const sample = endpointSamples.find((it) => it.path === path);
  const { pathId = '', query = '' } = sample ?? {};
  const id = sample && argumentsOf(sample, { orderId: anOrder(sandbox.world) })[pathId];
  return `${path.replace('{id}', String(id))}?${query}`;
}

const operation = (path: string) => Object(Object(described.paths)[path]).get;

describe('the sandbox', () => {
  test('has an endpoint for each path of the platform and no other', () => {
    expect(Object.keys(Object(described.paths)).sort()).toEqual([...PATHS].sort());
  });

  test.each(PATHS)('answers GET %s as it describes it, and tells the budget', async (path) => {
    const { status, headers, text } = await owner.get(concrete(path));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    const success = operation(path).responses['200'].content['application/json'].schema;
    const schema = z.fromJSONSchema(closed(success), { defaultTarget: 'openapi-3.0' });
    expect(schema.safeParse(JSON.parse(text)).error?.issues ?? []).toEqual([]);
    const remaining = Number(headers.get('ratelimit-remaining'));
    expect(headers.get('ratelimit-limit')).toBe('5000');
    expect(remaining).toBeLessThan(5_000);
    expect(headers.get('ratelimit')).toBe(
      `"general";r=${remaining};t=${headers.get('ratelimit-reset')}`,
    );
    expect(headers.get('ratelimit-policy')).toBe('"general";q=5000;w=60, "write";q=500;w=60');
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{8,}$/);
  });

  test('writes money with two decimals at most', async () => {
    const { text } = await owner.get(concrete('/api/financial-report'));
    expect(text).not.toMatch(/\d\.\d{3}/);
  });

  test('refuses a write', async () => {
    const { status, headers } = await owner.send('POST', '/api/order');
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('openapi.json', () => {
  test.each(endpointSamples)('describes the parameters of $path', ({ path, parameters = {} }) => {
    const listed: { name: string; schema: Fields }[] = operation(path).parameters ?? [];
    for (const [name, documented] of Object.entries(parameters)) {
      const { schema } = listed.find((each) => each.name === name) ?? {};
      const { minimum, maximum, default: byDefault } = documented;
      if (name === 'start' || name === 'limit') {
        expect(schema).toMatchObject({ type: 'integer', minimum, default: byDefault });
        expect(schema?.maximum).toBe(maximum);
      } else expect(schema).toBeDefined();
    }
  });

  test('can be left out or changed', async () => {
    const without = await startSandbox({ openapi: false });
    const changed = await startSandbox({ openapi: () => ({ nonsense: true }) });
    expect((await fetch(`${without.baseUrl}/openapi.json`)).status).toBe(404);
    expect(await (await fetch(`${changed.baseUrl}/openapi.json`)).json()).toEqual({
      nonsense: true,
    });
    await Promise.all([without.close(), changed.close()]);
  });
});

describe('a wrong parameter', () => {
  test.each([
    ['/api/order', 'from: is required, as YYYY-MM-DD.'],
    ['/api/order?from=2026-02-30', 'from: "2026-02-30" is not a day: write YYYY-MM-DD.'],
    ['/api/order?from=2026-11-02&to=2026-11-01', 'to: "2026-11-01" lies before from.'],
    ['/api/order?from=2026-11-01&from=2026-11-02', 'from: is given more than once.'],
    ['/api/order?from=2026-11-01&limit=501', 'limit: "501" is not a whole number from 1 to 500.'],
    ['/api/order?from=2026-11-01&limit=1e2', 'limit: "1e2" is not a whole number from 1 to 500.'],
    ['/api/order?from=2026-11-01&start=-1', 'start: "-1" is not a whole number from 0 up.'],
    ['/api/order?from=2026-11-01&shop_id=', 'shop_id: "" is not a whole number from 1 up.'],
    ['/api/order?from=2026-11-01&status=new,lost', 'status: "lost" is not a status.'],
    ['/api/order?from=2026-11-01&is_paid=yes', 'is_paid: "yes" is not a boolean: give 1 or 0.'],
    ['/api/order/delta', 'since: give exactly one of since and cursor.'],
    ['/api/order/delta?since=2026-11-01&cursor=x', 'since: give exactly one of since and cursor.'],
    [
      '/api/order/delta?since=yesterday',
      'since: "yesterday" is neither an ISO 8601 time nor YYYY-MM-DD.',
    ],
    [
      '/api/order/delta?cursor=eyJmZWVkIjoicHJvZHVjdCJ9',
      'cursor: is malformed: send next_cursor of an earlier answer unchanged.',
    ],
    ['/api/product-price?product_ids=1001,x', 'product_ids: "x" is not a whole number from 1 up.'],
    [
      '/api/product?language_code=NL',
      'language_code: "NL" is not an ISO 639-1 code in lower case, such as nl.',
    ],
    [
      '/api/tax-rate?country_code=nl',
      'country_code: "nl" is not a country code of two capitals, such as NL.',
    ],
  ])('of %s is refused by name', async (path, detail) => {
    const { status, headers, body } = await owner.get(path);
    expect(status).toBe(400);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail,
      trace_id: headers.get('x-request-id'),
    });
  });
});

describe('renamed fields', () => {
  test('are renamed at every depth of every payload', async () => {
    const renamed = await startSandbox({ renameFields: { turnover_wt: 'omzet_wt', name: 'naam' } });
    const caller = await callAs(renamed);
    const report = await caller.get(
      `/api/financial-report?from=${renamed.world.unbalancedDay.date}`,
    );
    expect(report.text).not.toContain('"turnover_wt"');
    expect(report.body).toHaveProperty('turnover_by_group.shop_totals.0.omzet_wt');
    expect((await caller.get('/api/shop')).rows[0]).toMatchObject({ naam: 'Webshop' });
    await renamed.close();
  });
});

/** The schema with every object closed, so that an undocumented field is an error. */
function closed(schema: object): Fields {
  const { properties, items, ...rest }: Fields = { ...schema };
  const inner: Fields = {};
  if (typeof properties === 'object' && properties !== null) {
    const fields = Object.entries(properties).map(([name, field]) => [name, closed(Object(field))]);
    inner.properties = Object.fromEntries(fields);
    inner.additionalProperties = false;
  }
  if (typeof items === 'object' && items !== null) inner.items = closed(items);
  return { ...rest, ...inner };
}
