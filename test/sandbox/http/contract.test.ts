import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { anOrder, argumentsOf, endpointSamples } from '../../samples.ts';
import { sandboxAt } from '../../server-over.ts';
import type { Sandbox } from '../../spawn.ts';
import { type Caller, callAs, type Fields } from '../caller.ts';

let sandbox: Sandbox;
let owner: Caller;
let described: Fields;

beforeAll(async () => {
  sandbox = await sandboxAt({ quota: 5_000 });
  owner = await callAs(sandbox);
  described = (await owner.get('/openapi.json')).body;
});

const operation = (path: string) => Object(Object(described.paths)[path]).get;

test('the sandbox has an endpoint for each path of the platform and no other', () => {
  const paths = endpointSamples.map(({ path }) => path);
  const hint = 'answer it in src/sandbox/http/routes/; its row of test/samples.ts has the path';
  expect(Object.keys(Object(described.paths)).sort(), hint).toEqual(paths.sort());
});

test.each(endpointSamples)(
  'the sandbox answers GET $path as it describes it, and tells the budget',
  async (sample) => {
    const { path, pathId = '', query = '' } = sample;
    const id = argumentsOf(sample, { orderId: anOrder(sandbox.world) })[pathId];
    const { status, headers, text } = await owner.get(
      `${path.replace('{id}', String(id))}?${query}`,
    );
    expect(status, `${text} (query in test/samples.ts is what it needs to be asked)`).toBe(200);
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
    // Of money, two decimals at most.
    if (path.includes('report')) expect(text).not.toMatch(/\d\.\d{3}/);
  },
);

test('the sandbox refuses a write', async () => {
  const { status, headers } = await owner.send('POST', '/api/order');
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test.each(endpointSamples)(
  'openapi.json describes the parameters of $path',
  ({ path, parameters = {} }) => {
    const listed: { name: string; schema: Fields }[] = operation(path).parameters ?? [];
    for (const [name, documented] of Object.entries(parameters)) {
      const { schema } = listed.find((each) => each.name === name) ?? {};
      expect(schema, `the route of the sandbox takes no ${name}`).toBeDefined();
      const { minimum, maximum, default: byDefault } = documented;
      if (name !== 'start' && name !== 'limit') continue;
      expect(schema).toMatchObject({ type: 'integer', minimum, default: byDefault });
      expect(schema?.maximum).toBe(maximum);
    }
  },
);

test.each([
  ['order', 'from: is required, as YYYY-MM-DD.'],
  ['order?from=2026-02-30', 'from: "2026-02-30" is not a day: write YYYY-MM-DD.'],
  ['order?from=2026-11-02&to=2026-11-01', 'to: "2026-11-01" lies before from.'],
  ['order?from=2026-11-01&from=2026-11-02', 'from: is given more than once.'],
  ['order?from=2026-11-01&limit=501', 'limit: "501" is not a whole number from 1 to 500.'],
  ['order?from=2026-11-01&start=-1', 'start: "-1" is not a whole number from 0 up.'],
  ['order?from=2026-11-01&status=new,lost', 'status: "new,lost" is not a list of statuses.'],
  ['order?from=2026-11-01&is_paid=yes', 'is_paid: "yes" is not a boolean: give 1 or 0.'],
  ['order/delta', 'since: give exactly one of since and cursor.'],
  ['order/delta?since=y', 'since: "y" is neither an ISO 8601 time nor YYYY-MM-DD.'],
  [
    'order/delta?cursor=eyJmZWVkIjoicHJvZHVjdCJ9',
    'cursor: is malformed: send next_cursor of an earlier answer unchanged.',
  ],
  [
    'product-price?product_ids=1001,x',
    'product_ids: "1001,x" is not a list of whole numbers from 1 up.',
  ],
])('a wrong parameter of %s is refused by name', async (path, detail) => {
  const { status, headers, body } = await owner.get(`/api/${path}`);
  expect(headers.get('content-type')).toBe('application/problem+json');
  const trace_id = headers.get('x-request-id');
  const problem = { type: 'about:blank', title: 'Bad Request', status: 400, detail, trace_id };
  expect({ status, body }).toEqual({ status: 400, body: problem });
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
