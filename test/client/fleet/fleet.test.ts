/** The state of a budget is kept in a process, or in Redis: the same events give the same permits. */
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SharedBudget } from '../../../src/client/fleet/fleet.ts';
import { type Redis as OurRedis, openRedis, scripts } from '../../../src/client/fleet/redis.ts';
import { RateBudget } from '../../../src/client/rate-limit/budget.ts';
import type { Permit, Settlement } from '../../../src/client/rate-limit/rules.ts';
import { type Priority, ranks } from '../../../src/client/rate-limit/shares.ts';
import type { Ceiling } from '../../../src/client/transport/http.ts';
import { runs } from '../../property-runs.ts';
import { missingRedis, type RedisServer, startRedis } from '../../redis-server.ts';

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const seconds = maybe(fc.constantFrom(0, 1, 2, 7, 30, 60, 4000).map((count) => count * 1000));

const report = fc.record({
  limit: maybe(fc.integer({ min: 1, max: 12 })),
  remaining: maybe(fc.nat(12)),
  resetMs: seconds,
  windowMs: maybe(fc.constantFrom(10_000, 60_000)),
  ceilings: fc.constant<Ceiling[]>([]),
});

const ended: fc.Arbitrary<Settlement> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('answered' as const),
      status: fc.constantFrom(200, 200, 200, 401, 429, 429, 502),
      report: maybe(report),
      retryAfterMs: seconds,
    }),
  },
  fc.constantFrom<Settlement>(
    { kind: 'lost' },
    { kind: 'unused' },
    { kind: 'answered', status: 429, report: undefined, retryAfterMs: undefined },
  ),
);

const priority = fc.constantFrom(...(Object.keys(ranks) as Priority[]));

const caller = maybe(fc.constantFrom('ann', 'ben', 'cas'));

/** Time goes on, a request wants to leave, or one that is under way ends: the oldest, or some other. */
const event = fc.oneof(
  fc.record({ passMs: fc.constantFrom(1, 20, 300, 975, 1000, 1025, 3000, 8000, 61_000) }),
  fc.record({ wants: priority, caller, share: fc.constant(undefined) }),
  fc.record({ wants: priority, caller, share: maybe(fc.constantFrom(0.2, 0.5)) }),
  fc.record({ ends: fc.nat(5), ended }),
);

describe.skipIf(missingRedis)('the budget in Redis', () => {
  let server: RedisServer;
  let redis: OurRedis;
  let connection: Redis;

  beforeAll(async () => {
    server = await startRedis();
    redis = openRedis(server.url);
    // The same scripts, with a clock that the test sets.
    const timed = Object.entries(scripts).map(([name, script]) => {
      expect(script.lua).toContain("redis.call('TIME')");
      const lua = script.lua.replace("redis.call('TIME')", "redis.call('LRANGE', 'clock', 0, 1)");
      return [name, { ...script, lua }];
    });
    connection = new Redis(server.url, { scripts: Object.fromEntries(timed) });
    await Promise.all([redis.settled, connection.ping()]);
  });

  afterAll(async () => {
    redis.close();
    connection.disconnect();
    await server.close();
  });

  test('permits what the one of a process permits, whatever the answers and their order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60, size: 'max' }), async (events) => {
        await connection.flushall();
        let now = 1_800_000_000_000;
        const timed: OurRedis = {
          ...redis,
          run: (script, ...given) => connection[`${script}Buffer`](...given),
        };
        const both = [
          new RateBudget(() => now),
          new SharedBudget(timed, 'same:', () => now),
        ] as const;
        const [alone, shared] = both;
        const underWay: (readonly [Permit, Permit])[] = [];
        const pass = async (ms: number) => {
          now += ms;
          await connection
            .multi()
            .del('clock')
            .rpush('clock', Math.floor(now / 1000), (now % 1000) * 1000)
            .exec();
          await shared.beat();
        };
        await pass(0);
        for (const each of events) {
          if ('passMs' in each) {
            // Those under way are registered anew each second, as they are by the clock of a process.
            for (let leftMs = each.passMs; leftMs > 0; leftMs -= 4000)
              await pass(Math.min(leftMs, 4000));
          } else if ('wants' in each) {
            const [one, other] = [
              await alone.acquire({ priority: each.wants, caller: each.caller, share: each.share }),
              await shared.acquire({
                priority: each.wants,
                caller: each.caller,
                share: each.share,
              }),
            ];
            expect(other && { ...other, id: '' }).toEqual(one && { ...one, id: '' });
            if (one && other) underWay.push([one, other]);
          } else {
            const [pair] = underWay.splice(each.ends % (underWay.length || 1), 1);
            if (!pair) continue;
            for (const [at, permit] of pair.entries()) both[at]?.release(permit, each.ended);
            // Redis works through its commands in turn: with this one the settling has ended.
            await shared.beat();
            expect(shared.state.refusals).toBe(alone.state.refusals);
            expect(Math.max(now, shared.state.heldUntilMs)).toBe(
              Math.max(now, alone.state.heldUntilMs),
            );
          }
        }
        shared.leave();
      }),
      { numRuns: runs(100) },
    );
  });
});
