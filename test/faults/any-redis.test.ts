/** Whoever can write to Redis: nothing that stands there brings a replica down, or stops it for good. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AllResults } from '../../src/analysis/results/store.ts';
import { csvChunks } from '../../src/analysis/rows/csv.ts';
import { joinFleet, prefixOf } from '../../src/client/fleet/fleet.ts';
import { openRedis } from '../../src/client/fleet/redis.ts';
import {
  openSharedValues,
  type SharedValues,
  shareAnswers,
} from '../../src/client/fleet/shared-values.ts';
import { InputError } from '../../src/core/errors.ts';
import { toolsets } from '../../src/endpoints/define.ts';
import { anyText, fuzz, fuzzTimeoutMs } from '../fuzz.ts';
import { missingRedis, startRedis } from '../redis-server.ts';
import { now } from '../server-over.ts';
import { spoilt } from './spoilt-json.ts';

describe('whatever bytes stand in Redis', () => {
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => gzipSync(text)),
    fc.tuple(fc.json(), fc.nat(60)).map(([text, at]) => gzipSync(text).subarray(0, at)),
    anyText().map((text) => gzipSync(text)),
  );

  test(
    'an entry is read or passed over',
    async () => {
      await fuzz(
        'Redis replies',
        100,
        fc.asyncProperty(fc.array(anyBytes, { maxLength: 5 }), async (reply) => {
          const values = openSharedValues({
            redis: {
              run: async () => reply,
              isAway: () => false,
              settled: Promise.resolve(),
              close() {},
            },
            prefix: '{a}:',
            maxBytes: 1000,
          });
          const value = await shareAnswers(values).get('/api/order');
          expect(value === undefined || value.readAtMs >= 0).toBe(true);
        }),
      );
    },
    fuzzTimeoutMs,
  );
});

/** A shelf in memory, of which every value can be another one than was put there. */
function openShelf() {
  const values = new Map<string, string>();
  const shelf: SharedValues = {
    async put(name, value) {
      values.set(name, JSON.stringify(value));
    },
    async get(name, read) {
      const text = values.get(name);
      return text === undefined ? undefined : read(JSON.parse(text));
    },
  };
  return { values, shelf };
}

describe('whatever result another replica is said to have kept', () => {
  test(
    'is given to its owner whole, or not at all, and goes when it would',
    async () => {
      const { values, shelf } = openShelf();
      const ttlMs = 1_800_000;
      const openStore = () =>
        new AllResults({
          maxBytes: 1e6,
          maxResults: 10,
          ttlMs,
          now: () => now,
          shared: shelf,
        }).of({ owner: 'ann', toolsets });
      const context = { endpoint: 'GET /api/order', source: 'sandbox', as_of: '' } as const;
      const rows = [{ id: 1, total_wt: '12.50', address: { city: 'Utrecht' }, tags: ['a'] }];
      const rest = { next: { tool: 'list_orders', arguments: { start: 1 } } };
      const origin = { tool: 'list_orders', arguments: {}, context, rest };
      const { id } = await openStore().keep(rows, origin);
      const kept: unknown = JSON.parse(values.get(id) ?? '');
      await fuzz(
        'kept results',
        100,
        fc.asyncProperty(spoilt(kept), async (value) => {
          values.set(id, JSON.stringify(value) ?? 'null');
          const found = await openStore()
            .get(id)
            .catch((error: unknown) => {
              expect(error).toBeInstanceOf(InputError);
            });
          if (found === undefined) return;
          expect(found).toMatchObject({ id, owner: 'ann' });
          expect(found.expiresAtMs).toBeLessThanOrEqual(now + ttlMs);
          expect(found.columns.length).toBeLessThan(1000);
          // Rows without a column have no text; none of them may fail.
          expect([...csvChunks(found.rows)].join('')).toBeTypeOf('string');
        }),
      );
    },
    fuzzTimeoutMs,
  );
});

describe.skipIf(missingRedis)('whatever stands in the budget of a fleet', () => {
  const field = fc.constantFrom(
    ...['meter', 'limit', 'windowMs', 'remaining', 'counted', 'resetAt', 'window', 'slackMs'],
    'refusals',
  );
  const anyValue = fc.oneof(
    fc.constantFrom('on', 'off', 'nan', 'inf', '-inf', '-1', '0', '0.5', '1e99', '0x10'),
    fc.integer().map(String),
    anyText(),
  );
  const write = `
    for at, key in ipairs(KEYS) do redis.call('DEL', key) end
    if #ARGV > 0 then redis.call('HSET', KEYS[1], unpack(ARGV)) end
    redis.call('ZADD', KEYS[2], '+inf', 'x', 1, '1:2:3', -5, '')
    return {}
  `;

  test(
    'calls end in time, and no hold is believed that lasts longer than an hour',
    async () => {
      const server = await startRedis();
      const key = { baseUrl: 'https://api.example.com', clientId: 'a.1' };
      const fleet = await joinFleet({ ...key, redisUrl: server.url });
      const redis = openRedis(server.url);
      await redis.settled;
      const names = ['budget', 'flight', 'probes', 'replicas'];
      const keys = names.map((name) => `${prefixOf(key)}${name}`);
      try {
        await fuzz(
          'Redis budgets',
          50,
          fc.asyncProperty(fc.dictionary(field, anyValue), async (fields) => {
            await redis.run(write, keys, Object.entries(fields).flat());
            const permit = await fleet.limiter.acquire('interactive');
            const { limit = 1, remaining = 0, resetsInSeconds = 0 } = fleet.limiter.view() ?? {};
            for (const count of [limit, remaining, resetsInSeconds])
              expect(Number.isSafeInteger(count) && count >= 0, String(count)).toBe(true);
            expect(resetsInSeconds).toBeLessThanOrEqual(3701);
            const report = { limit: 9, remaining: 8, resetSeconds: 1, ceilings: [] };
            if (permit) fleet.limiter.release(permit, { kind: 'answered', status: 200, report });
            expect(fleet.status()).toEqual({ state: 'shared', replicas: 1 });
          }),
        );
      } finally {
        await fleet.close();
        redis.close();
        await server.close();
      }
    },
    fuzzTimeoutMs,
  );
});
