import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, type ScriptedServer, scripted } from '../client/scripted-server.ts';
import { fuzz, fuzzTimeoutMs } from '../fuzz.ts';
import { questions } from '../samples.ts';
import { connectInMemory, now } from '../server-over.ts';
import { hurried } from './faulty-server.ts';

let platform: ScriptedServer;
let connection: Awaited<ReturnType<typeof connectInMemory>>;
let body: unknown;
let nowMs = now;

beforeAll(async () => {
  platform = await scripted((_, response, { pathname }) =>
    json(response, 200, pathname === '/openapi.json' ? {} : body),
  );
  const owner = { clientId: 'acme.1', clientSecret: 's3cret' };
  const settings = { COMMERCE_TIMEOUT_SECONDS: '2', COMMERCE_MAX_WAIT_SECONDS: '0' };
  const { origin } = platform;
  const account = { baseUrl: origin, authUrl: origin, keys: { owner } };
  connection = await connectInMemory(account, { settings, runtime: hurried(), now: () => nowMs });
  // The client holds what comes against the output schemas.
  await connection.listTools();
});

afterAll(async () => {
  await connection.close();
  await platform[Symbol.asyncDispose]();
});

const key = fc.oneof(
  fc.constantFrom('id', 'shop_id', 'location_id', 'name', 'total', 'total_wt', 'data', 'context'),
  fc.constantFrom('date_created', 'next_cursor', 'has_more', 'balance_check', 'payments', 'count'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'turnover_by_group', 'revenue', 'status'),
  fc.string(),
);
const leaf = fc.oneof(
  fc.constantFrom(null, true, 0, -0, 1, 1001, 1e308, -5, 0.1, 2 ** 53, '', '12.50', '2026-10-25'),
  fc.constantFrom('2026-10-25T02:30:00', 'Webshop', '\u202e\u0000|', 'x'.repeat(5000)),
  fc.string(),
);
const anyJson = fc.anything({ key, values: [leaf], maxDepth: 3 });
const rows = fc.array(fc.dictionary(key, anyJson, { maxKeys: 6 }), { maxLength: 8 });
const count = fc.oneof(fc.nat(9), anyJson);
const anyList = fc.record(
  {
    data: fc.oneof(rows, anyJson),
    count,
    total: count,
    start: count,
    limit: count,
    next_cursor: fc.oneof(fc.string(), anyJson),
    has_more: fc.oneof(fc.boolean(), anyJson),
  },
  { requiredKeys: [] },
);

describe('whatever JSON the platform answers', () => {
  test(
    'every tool makes an answer or a clear error of it',
    async () => {
      await fuzz(
        'platform answers',
        20,
        fc.asyncProperty(
          fc.constantFrom(...questions({ orderId: 1 })),
          fc.oneof(anyList, anyJson),
          async ([tool, args], answer) => {
            body = answer;
            // Nothing that an earlier answer left in a cache is young enough.
            nowMs += 7 * 86_400_000;
            const { text, isError, context } = await connection.call(tool, args);
            expect(text).toMatch(new RegExp(`^${tool}[: ]`));
            expect(text).not.toContain('Something unexpected');
            if (!isError) expect(context).toHaveProperty('as_of');
          },
        ),
      );
    },
    fuzzTimeoutMs,
  );
});
