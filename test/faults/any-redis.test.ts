/** Whoever can write to Redis: nothing that stands there brings a replica down, or stops it for good. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joinFleet, prefixOf } from '../../src/client/fleet/fleet.ts';
import { openRedis } from '../../src/client/fleet/redis.ts';
import { anyText, fuzz, fuzzTimeoutMs } from '../fuzz.ts';
import { missingRedis, startRedis } from '../redis-server.ts';

const field = fc.constantFrom(
  ...['limit', 'windowMs', 'remaining', 'openedAtMs', 'resetAtMs', 'probeUntilMs', 'lost'],
  ...['heldUntilMs', 'refusals', 'roundingAllowanceMs', 'flight', 'replicas', 'callers'],
);
const anyValue = fc.oneof(
  fc.constantFrom('on', -1, 0, 0.5, 1e99, null, true, [1], { x: 1e99 }, { x: { used: -1 } }),
  fc.integer(),
  fc.jsonValue(),
  anyText(),
);
const anyState = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(field, anyValue).map((it) => JSON.stringify(it)) },
  anyText(),
  fc.json(),
);

describe.skipIf(missingRedis)('whatever stands in the budget of a fleet', () => {
  test(
    'calls end in time, and no hold is believed that lasts longer than an hour',
    async () => {
      const server = await startRedis();
      const key = { baseUrl: 'https://api.example.com', clientId: 'a.1' };
      const fleet = await joinFleet({ ...key, redisUrl: server.url });
      const redis = openRedis(server.url);
      await redis.settled;
      const name = `${prefixOf(key)}budget`;
      await fuzz(
        'Redis budgets',
        50,
        fc.asyncProperty(anyState, fc.boolean(), async (text, isText) => {
          // At once: the replica writes there too.
          const put = "redis.call('DEL', KEYS[1]) return redis.call(ARGV[1], KEYS[1], ARGV[2])";
          await redis.call('EVAL', put, '1', name, isText ? 'SET' : 'RPUSH', text);
          const permit = await fleet.budget.acquire({ priority: 'interactive' });
          const { limit = 1, remaining = 0, resetsInSeconds = 0 } = fleet.budget.view() ?? {};
          for (const count of [limit, remaining, resetsInSeconds])
            expect(Number.isSafeInteger(count) && count >= 0, String(count)).toBe(true);
          expect(resetsInSeconds).toBeLessThanOrEqual(3701);
          const report = { limit: 9, remaining: 8, resetMs: 1000, ceilings: [] };
          const ended = { kind: 'answered', status: 200, retryAfterMs: undefined } as const;
          if (permit) fleet.budget.release(permit, { ...ended, report });
          expect(fleet.budget.status).toEqual({ state: 'shared', replicas: 1 });
        }),
      ).finally(async () => {
        await fleet.close();
        redis.close();
        await server.close();
      });
    },
    fuzzTimeoutMs,
  );
});
