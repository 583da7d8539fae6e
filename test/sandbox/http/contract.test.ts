import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PAYLOADS } from '../../../src/sandbox/http/payloads.ts';
import { ROUTES } from '../../../src/sandbox/http/routes.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { anOrder, argumentsOf, endpointSamples } from '../../samples.ts';
import { type Caller, callAs, type Fields } from '../caller.ts';

let sandbox: Sandbox;
let owner: Caller;
const now = Date.parse('2026-11-20T12:00:00Z');
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => now, quota: 5_000 });
  owner = await callAs(sandbox);
});
afterAll(() => sandbox.close());

const PATHS = endpointSamples.map(({ path }) => path);

function concrete(path: string): string {
  const sample = endpointSamples.find((it) => it.path === path);
  const { pathId = '', query = '' } = sample ?? {};
  const id = sample && argumentsOf(sample, { orderId: anOrder(sandbox.world) })[pathId];
  return `${path.replace('{id}', String(id))}?${query}`;
}

describe('the sandbox', () => {
  test('has a route for each endpoint of the API document and no other', () => {
    expect(ROUTES.map(({ path }) => path).sort()).toEqual([...PATHS].sort());
  });

  test.each(PATHS)(
    'answers GET %s with exactly the payload that openapi.json describes',
    async (path) => {
      const { status, headers, text } = await owner.get(concrete(path));
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/json');
      const route = ROUTES.find((each) => each.path === path);
      const schema = z.fromJSONSchema(closed(PAYLOADS[route?.payload ?? 'Me']), {
        defaultTarget: 'openapi-3.0',
      });
      expect(schema.safeParse(JSON.parse(text)).error?.issues ?? []).toEqual([]);
    },
  );

  test.each(PATHS)(
    'counts GET %s and tells the budget in five headers and a request id',
    async (path) => {
      const { headers } = await owner.get(concrete(path));
      const remaining = Number(headers.get('ratelimit-remaining'));
      const reset = headers.get('ratelimit-reset');
      expect(headers.get('ratelimit-limit')).toBe('5000');
      expect(remaining).toBeLessThan(5_000);
      expect(headers.get('ratelimit')).toBe(`"general";r=${remaining};t=${reset}`);
      expect(headers.get('ratelimit-policy')).toBe('"general";q=5000;w=60, "write";q=500;w=60');
      expect(headers.get('x-request-id')).toMatch(/^[\w-]{8,}$/);
    },
  );

  test('writes money with two decimals at most', async () => {
    const { text } = await owner.get(concrete('/api/financial-report'));
    expect(text).not.toMatch(/\d\.\d{3}/);
  });
});

describe('openapi.json', () => {
  test('is served without a token and describes every parameter with its bounds and default', async () => {
    const document: unknown = await (await fetch(`${sandbox.baseUrl}/openapi.json`)).json();
    expect(document).toMatchObject({ openapi: '3.0.3', info: { version: '1.0.0' } });
    expect(document).toHaveProperty(
      ['paths', '/api/order', 'get', 'parameters'],
      expect.arrayContaining([
        expect.objectContaining({
          name: 'limit',
          in: 'query',
          schema: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
        }),
        expect.objectContaining({ name: 'from', required: true }),
      ]),
    );
  });

  test.each([
    ['/api/customer', 50, 500],
    ['/api/order', 100, 500],
    ['/api/order/delta', 100, 250],
    ['/api/product', 25, 200],
    ['/api/product/delta', 100, 250],
    ['/api/product-price', 100, 500],
  ])('gives %s the paging bounds of section 8.6: %i, at most %i', (path, byDefault, maximum) => {
    const limit = ROUTES.find((route) => route.path === path)?.parameters.limit;
    expect(limit?.schema).toEqual({ type: 'integer', minimum: 1, maximum, default: byDefault });
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
