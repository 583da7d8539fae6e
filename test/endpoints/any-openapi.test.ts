import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { completeEndpoints } from '../../src/endpoints/complete-endpoints.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { responseColumns } from '../../src/endpoints/openapi.ts';
import { fuzz, fuzzTimeoutMs } from '../fuzz.ts';
import { unbounded } from '../mcp/tools/unbounded.ts';
import { inputSchema } from '../samples.ts';
import { query } from './openapi-document.ts';

/** What stands where something else belongs. */
const piece = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, 1e15, -1e300, 1e300, 4_000_000_000),
  fc.constantFrom<unknown>('', 'x'.repeat(5000), '\u202e\n', 'r_0000000000', [], {}, [[]]),
  fc.constant(Array.from({ length: 2000 }, () => ({ count: 1 }))),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A JSON value of which one to three parts are something else, or the whole of it is. */
function spoilt(value: unknown): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), piece);
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) =>
      changes.reduce(
        (left, [at, put]) => replaced(left, Math.floor(at * sizeOf(left)), put),
        value,
      ),
    );
}

/** How many values a value is, with all within it. */
function sizeOf(value: unknown): number {
  let size = 0;
  JSON.stringify(value, (_, part) => {
    size += 1;
    return part;
  });
  return size;
}

/** The value with the part at a place, counted from its beginning, replaced. */
function replaced(value: unknown, at: number, put: unknown): unknown {
  let place = 0;
  return JSON.parse(JSON.stringify(value, (_, part) => (place++ === at ? put : part)));
}

/** A description such as a platform gives, references and answers included. */
const sound = {
  paths: {
    '/api/stock': {
      get: {
        parameters: [query('shelf', { type: 'string', enum: ['a', 'b'] }), query('start')],
        responses: {
          200: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/list' } } },
          },
        },
      },
    },
    '/order': { get: { parameters: [{ $ref: '#/components/parameters/limit' }] } },
  },
  components: {
    parameters: { limit: query('limit', { type: 'integer', minimum: 1, maximum: 500 }) },
    schemas: {
      list: {
        properties: { data: { type: 'array', items: { $ref: '#/components/schemas/row' } } },
      },
      row: {
        properties: {
          id: { type: 'integer' },
          place: { properties: { day: { type: 'string', format: 'date' } } },
        },
      },
    },
  },
};

describe('whatever openapi.json says', () => {
  test(
    'no endpoint is lost, no argument without a bound, no schema beyond clients',
    async () => {
      await fuzz(
        'openapi.json documents',
        100,
        fc.property(fc.oneof(spoilt(sound), fc.jsonValue()), (description) => {
          const after = completeEndpoints(endpoints, description);
          expect(after.map(({ tool }) => tool)).toEqual(endpoints.map(({ tool }) => tool));
          after.forEach((endpoint, index) => {
            const before = Object.keys(endpoints[index]?.input.shape ?? {});
            expect(Object.keys(endpoint.input.shape)).toEqual(expect.arrayContaining(before));
            if (endpoint === endpoints[index]) return;
            const { properties } = inputSchema(endpoint.input);
            expect(JSON.stringify(properties ?? {})).not.toMatch(/anyOf|\$ref|exclusiveM/);
            expect(unbounded(endpoint.input)).toEqual([]);
          });
          for (const columns of responseColumns(description).values())
            expect(JSON.stringify(columns).split(':').length).toBeLessThanOrEqual(201);
        }),
      );
    },
    fuzzTimeoutMs,
  );
});
