/** Whoever can write to Redis: nothing that stands there brings a replica down, or stops it for good. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openArchive } from '../../src/analysis/results/archive.ts';
import { AllResults } from '../../src/analysis/results/store.ts';
import { csvChunks } from '../../src/analysis/rows/csv.ts';
import type { Fleet } from '../../src/client/fleet/fleet.ts';
import { shareAnswers } from '../../src/client/fleet/response-cache.ts';
import { openSharedCache, type SharedCache } from '../../src/client/fleet/shared-cache.ts';
import { openLimiter } from '../../src/client/rate-limit/limiter.ts';
import { hasCode, InputError } from '../../src/core/errors.ts';
import { isRecord } from '../../src/core/json.ts';
import { toolsets } from '../../src/endpoints/define.ts';
import { fleetOf, type Replica } from '../client/fleet/fake-fleet.ts';
import { anyText, fuzz, fuzzTimeoutMs } from '../fuzz.ts';
import { connectInMemory, now, startFixedSandbox } from '../mcp/in-memory-server.ts';
import { spoilt } from './spoilt-json.ts';

describe('whatever bytes stand in Redis', () => {
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => gzipSync(text)),
    fc.tuple(fc.json(), fc.nat(60)).map(([text, at]) => gzipSync(text).subarray(0, at)),
    anyText().map((text) => gzipSync(text)),
  );

  test(
    'an entry is read or passed over, and a list is names with their labels',
    async () => {
      await fuzz(
        'Redis replies',
        100,
        fc.asyncProperty(fc.array(anyBytes, { maxLength: 5 }), async (reply) => {
          const cache = openSharedCache({
            redis: {
              run: async () => reply,
              isAway: () => false,
              settled: Promise.resolve(),
              close() {},
            },
            prefix: '{a}:',
            maxBytes: 1000,
            maxValues: 10,
          });
          const value = await cache.get('x', (it) => (isRecord(it) ? it : undefined));
          expect(value === undefined || isRecord(value)).toBe(true);
          expect((await cache.list()).size).toBeLessThanOrEqual(3);
        }),
      );
    },
    fuzzTimeoutMs,
  );
});

/** A shelf in memory, of which every value can be another one than was put there. */
function openShelf() {
  const values = new Map<string, string>();
  const shelf: SharedCache = {
    async put(name, value) {
      values.set(name, JSON.stringify(value));
      return true;
    },
    async get(name, read) {
      const text = values.get(name);
      return text === undefined ? undefined : read(JSON.parse(text));
    },
    list: async () => new Map([...values.keys()].map((name) => [name, '{}'])),
  };
  return { values, shelf };
}

/** A fleet over such shelves, with a budget of its own. */
function fleetOver(answers: SharedCache, results: SharedCache): Fleet {
  return {
    limiter: openLimiter(() => performance.now()),
    answers: shareAnswers(answers),
    results,
    status: () => ({ state: 'shared', replicas: 1 }),
    onChange() {},
    onForeign() {},
    close: async () => {},
  };
}

describe('whatever answers replicas are said to share', () => {
  test(
    'a call is answered or refused in words',
    async () => {
      const sandbox = await startFixedSandbox({ ordersPerDay: 3, quota: 1_000_000 });
      const [answers, results] = [openShelf(), openShelf()];
      const open = () =>
        connectInMemory(sandbox, { fleet: fleetOver(answers.shelf, results.shelf) });
      const first = await open();
      await first.call('list_shops');
      await first.call('find_reference', { query: 'Utrecht' });
      await first.call('list_orders', { period: 'yesterday', all: true });
      const [kept = expect.unreachable()] = results.values.keys();
      const texts = [...answers.values].map(([name, text]) => [name, JSON.parse(text)] as const);
      expect(texts.length).toBeGreaterThan(2);
      try {
        await fuzz(
          'Redis entries',
          15,
          fc.asyncProperty(fc.tuple(...texts.map(([, value]) => spoilt(value))), async (bodies) => {
            // Somebody without memory finds all this there.
            for (const [at, [name]] of texts.entries())
              answers.values.set(name, JSON.stringify(bodies[at]) ?? 'null');
            const next = await open();
            try {
              const replies = [
                await next.call('read_rows', { result_id: kept }),
                await next.call('list_shops'),
                await next.call('find_reference', { query: 'Utrecht' }),
                await next.call('list_orders', { shop_id: 'Utrecht Centraal', period: 'today' }),
              ];
              for (const { text } of replies) {
                expect(text).not.toContain('Something unexpected');
                expect(text.length).toBeLessThan(40_000);
              }
              expect(replies[0]?.isError).toBe(true);
            } finally {
              await next.close();
            }
          }),
        );
      } finally {
        await first.close();
        await sandbox.close();
      }
    },
    fuzzTimeoutMs,
  );
});

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
          archive: openArchive(shelf),
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

describe('whatever stands in the ledger of the budget', () => {
  test(
    'calls end in time, and within the hour all is well',
    async () => {
      const { clock, memory, replicas } = await fleetOf(2, { quota: 60 });
      await clock.run(Promise.all(replicas.map(({ client }) => client.get('/api/me'))));
      const genuine: unknown = JSON.parse(memory.text);
      await fuzz(
        'Redis ledgers',
        50,
        fc.asyncProperty(fc.oneof(spoilt(genuine), fc.jsonValue()), async (ledger) => {
          const { clock, memory, replicas } = await fleetOf(2, { quota: 60 }, { maxWaitMs: 5000 });
          await clock.run(Promise.all(replicas.map(({ client }) => client.get('/api/me'))));
          memory.write(JSON.stringify(ledger));
          const ask = ({ client }: Replica) => clock.run(client.get('/api/shop'));
          for (const replica of replicas) {
            const before = clock.elapsed();
            const failure = await ask(replica).catch((error: unknown) => error);
            expect(clock.elapsed() - before).toBeLessThanOrEqual(6000);
            if (!(failure instanceof Error)) continue;
            expect(hasCode(failure, 'rate_limited')).toBe(true);
            // No hold is believed that lasts longer than an hour and a moment.
            expect(replica.client.budget()?.resetsInSeconds).toBeLessThanOrEqual(3700);
          }
          for (const { client } of replicas)
            expect(client.load()).toMatchObject({ waiting: 0, inFlight: 0 });
        }),
      );
    },
    fuzzTimeoutMs,
  );
});
