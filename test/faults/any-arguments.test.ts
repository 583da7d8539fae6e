import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { ListedTool } from '../clients.ts';
import { anyText, fuzz, fuzzTimeoutMs } from '../fuzz.ts';
import { type FaultyServer, openFaultyServer } from './faulty-server.ts';

let server: FaultyServer;
let tools: readonly ListedTool[];

beforeAll(async () => {
  server = await openFaultyServer({ ordersPerDay: 3 });
  ({ tools } = await server.listTools());
});

afterAll(() => server.close());

/** What a client, or a model, may put where a value belongs. */
const anyValue = fc.oneof(
  fc.constantFrom('yesterday', 'last_week', '2026-10-01', 'Webshop', 'Utrecht', '1001', 'true', ''),
  fc.constantFrom('id', 'total_wt', 'sum(total_wt)', 'hour(date_created)', '-count', 'null'),
  fc.constantFrom(1, 2, 0, -1, 1.5, 1e308, -0, 2 ** 53, 10_000_000, true, false, null),
  fc.constantFrom(['id'], ['count', 'sum(x)'], [[]], [{ column: 'id', op: 'eq', value: 1 }], {}),
  anyText(40),
  fc.constantFrom('x'.repeat(100_000), '\u202e\u0000', '[1,2', '{"a":', '../../etc', "'--"),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(JSON.parse(`${'['.repeat(400)}${']'.repeat(400)}`)),
);

/** The arguments of a tool under their own names, and sometimes one that it does not have. */
function anyArguments(): fc.Arbitrary<[tool: string, args: JsonObject]> {
  return fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
    const names = Object.keys(inputSchema.properties ?? {});
    const known = names.length === 0 ? fc.constant('none') : fc.constantFrom(...names);
    const key = fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: fc.string() });
    return fc.tuple(fc.constant(name), fc.dictionary(key, anyValue, { maxKeys: 5 }));
  });
}

describe('whatever the arguments of a call are', () => {
  test(
    'it is answered as a tool answers, in bounded words, and never by surprise',
    async () => {
      await fuzz(
        'arguments',
        130,
        fc.asyncProperty(anyArguments(), async ([tool, args]) => {
          const { isError, text, body } = await server.ask(tool, args);
          expect(text).not.toContain('Something unexpected');
          expect(text.length).toBeLessThan(30_000);
          if (isError) expect(text).toMatch(new RegExp(`^${tool}[: ]`));
          else expect(body.context).toMatchObject({ source: 'sandbox' });
        }),
      );
      expect(server.slips()).toEqual([]);
    },
    fuzzTimeoutMs,
  );
});
