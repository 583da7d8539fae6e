import { describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../../src/client/client.ts';
import { RateBudget } from '../../../src/client/rate-limit/budget.ts';
import { aheadInRotation, RequestQueue } from '../../../src/client/rate-limit/queue.ts';
import { type Runtime, realRuntime } from '../../../src/client/transport/runtime.ts';
import { FakeClock } from '../fake-clock.ts';
import { FakePlatform } from '../fake-platform.ts';
import { ask, settings, world } from '../fake-world.ts';

describe('the request queue', () => {
  test('lets an interactive call pass bulk requests, which get the last of their reserve in time', async () => {
    const { clock, client, platform } = world({ quota: 30 });
    const reading = ask(client, 89, 'bulk');
    await clock.advance(10_000);
    expect(client.budget()?.remaining).toBeGreaterThanOrEqual(2);
    expect(client.load()).toMatchObject({ inFlight: 0 });
    const askedAt = clock.elapsed();
    await clock.run(client.get('/api/me'));
    expect(clock.elapsed() - askedAt).toBe(50);
    await clock.run(reading);
    expect(platform.windows.map(({ served }) => served)).toEqual([30, 30, 30]);
    expect(platform.refused).toBe(0);
  });

  test('lets an interactive call go where bulk requests that hold to their reserve fill the line', async () => {
    const { clock, client } = world({ quota: 30 }, { maxQueued: 20 });
    const reading = ask(client, 30, 'bulk').catch(() => {});
    await clock.advance(10_000);
    const more = ask(client, 50, 'bulk').catch(({ code }) => code);
    expect(await clock.run(more)).toBe('overloaded');
    const askedAt = clock.elapsed();
    await clock.run(client.get('/api/me'));
    expect(clock.elapsed() - askedAt).toBe(50);
    await clock.run(reading);
  });

  test('promotes the bulk request that an interactive caller joins', async () => {
    const { clock, client } = world({ quota: 10 });
    const done: string[] = [];
    const bulk = Array.from({ length: 20 }, (_, id) =>
      client.get(`/api/order/${id}`, { priority: 'bulk' }).then(() => done.push(`bulk ${id}`)),
    );
    await clock.advance(1000);
    const joined = client.get('/api/order/19').then(() => done.push('joined'));
    await clock.run(joined);
    expect(done.slice(-2)).toEqual(['bulk 19', 'joined']);
    expect(done).toHaveLength(11);
    await clock.run(Promise.all(bulk));
  });

  test('lets a list in the background wait on where an interactive caller who joined it may not', async () => {
    const { clock, client, platform } = world({ quota: 3 }, { maxWaitMs: 45_000 });
    await clock.run(ask(client, 3));
    await clock.advance(100);
    const paged = { endpoint: 'GET /api/order', pageSize: 5, priority: 'background' } as const;
    const reading = client.readAllPages('/api/order', paged);
    const query = { start: 0, limit: 5 };
    const refused = client.get('/api/order', { query }).catch((error) => error);
    expect(await clock.run(refused)).toMatchObject({ code: 'rate_limited' });
    expect(await clock.run(reading)).toMatchObject({ complete: true });
    expect(platform.windows.map(({ served }) => served)).toEqual([3, 1]);
  });

  test('answers at once, with the time to come back, what could only wait too long', async () => {
    const { clock, client } = world({ quota: 3 }, { maxWaitMs: 45_000 });
    await clock.run(ask(client, 3));
    await clock.advance(100);
    const refused = client.get('/api/me').catch((error) => error);
    const askedAt = clock.elapsed();
    const error = await clock.run(refused);
    expect(clock.elapsed()).toBe(askedAt);
    expect(error).toMatchObject({
      code: 'rate_limited',
      reason: { code: 'budget_spent', of: 'key', endpoint: 'GET /api/me' },
    });
    await clock.advance(error.retryAfterMs);
    await clock.run(client.get('/api/me'));
  });

  test('says that connections were busy where the budget has room, on a clock that never rests', async () => {
    const clock = new FakeClock();
    const platform = new FakePlatform(clock, { quota: 1e6, latencyMs: () => [2000, 2000] });
    let looks = 0;
    const elapsed = () => clock.elapsed() + ++looks / 1e6;
    const hurried = { ...settings, concurrency: 1, maxWaitMs: 5000 };
    const client = createClient(hurried, { ...platform.runtime(), elapsed });
    const asked = Array.from({ length: 3 }, (_, id) => client.get(`/api/order/${id}`));
    const ended = await clock.run(Promise.allSettled(asked));
    expect(ended.at(-1)).toMatchObject({
      reason: {
        code: 'overloaded',
        reason: { code: 'all_connections_busy', endpoint: 'GET /api/order/{id}' },
      },
    });
  });

  test('sets one alarm for all that wait for a place alone', async () => {
    let waits = 0;
    const clock = new FakeClock();
    const platform = new FakePlatform(clock, { quota: 1e6 });
    const alarm: Runtime['alarm'] = (ms, ring) => {
      // Other alarms are of requests under way.
      if (ms > settings.timeoutMs) waits++;
      return clock.alarm(ms, ring);
    };
    const client = createClient({ ...settings, concurrency: 2 }, { ...platform.runtime(), alarm });
    await clock.run(client.get('/api/me'));
    await clock.run(ask(client, 50));
    expect(waits).toBe(1);
  });

  test('lets a read in the background wait through windows', async () => {
    const rows = Array.from({ length: 40 }, (_, id) => ({ id }));
    const answer = (url: URL) => {
      const start = Number(url.searchParams.get('start'));
      const data = rows.slice(start, start + 4);
      return { count: data.length, total: rows.length, start, limit: 4, data };
    };
    const { clock, platform, client } = world({ quota: 4, answer }, { maxWaitMs: 1000 });
    const bulk = await clock.run(
      client.readAllPages('/api/order', {
        endpoint: 'GET /api/order',
        pageSize: 4,
        priority: 'background',
      }),
    );
    expect(bulk).toMatchObject({ rows, complete: true, calls: 10 });
    expect(platform.windows.length).toBe(5);
    expect(platform.refused).toBe(0);
  });

  test('gives distinguished callers their turns in rotation, and leaves others a place', async () => {
    const { clock, client } = world({ quota: 1e6 }, { concurrency: 2 });
    await clock.run(client.get('/api/me'));
    const done: string[] = [];
    const askAs = (caller: string, count: number) =>
      Array.from({ length: count }, (_, id) =>
        client
          .as(caller)
          .get(`/api/order/${id}`, { query: { caller } })
          .then(() => done.push(caller)),
      );
    const greedy = askAs('greedy', 20);
    await new Promise(setImmediate);
    expect(client.load()).toEqual({ waiting: 19, inFlight: 1 });
    await clock.run(Promise.all(askAs('other', 2)));
    expect(done.filter((caller) => caller === 'greedy').length).toBeLessThanOrEqual(3);
    await clock.run(Promise.all(greedy));
  });
});

test.each([
  ['', []],
  ['aaa', [0, 1, 2]],
  ['aaab', [0, 2, 3, 0]],
  ['aaaabb', [0, 2, 4, 5, 0, 2]],
  ['abcabc', [0, 0, 0, 3, 3, 3]],
])('in a line of callers %j there go before each at least %j', (callers, ahead) => {
  expect(aheadInRotation([...callers])).toEqual(ahead);
});

test('a caller behind a long line of another is not sent away: its turn comes next', async () => {
  const { clock, client, platform } = world({ quota: 30 }, { maxWaitMs: 65_000 });
  const askAs = (caller: string, ids: readonly number[]) =>
    Promise.allSettled(ids.map((id) => client.as(caller).get(`/api/order/${id}`)));
  await clock.run(client.get('/api/me'));
  const greedy = askAs('greedy', [...Array(100).keys()]);
  await clock.advance(5000);
  const other = await clock.run(askAs('other', [200, 201, 202, 203, 204]));
  expect(other.map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'));
  await clock.run(greedy);
  expect(platform.refused).toBe(0);
});

/** Asks one question after the other, with a pause between them; gives how long the slowest took. */
async function askInTurn(clock: FakeClock, client: Client, count: number): Promise<number> {
  let slowestMs = 0;
  for (let question = 0; question < count; question++) {
    await clock.sleep(500);
    const askedAtMs = clock.elapsed();
    await client.get(`/api/order/${1000 + question}`);
    slowestMs = Math.max(slowestMs, clock.elapsed() - askedAtMs);
  }
  return slowestMs;
}

test('a caller who asks now and then has a share of each window, however much another asks', async () => {
  const { clock, client, platform } = world({ quota: 60 }, { maxWaitMs: 300_000 });
  await clock.run(client.as('other').get('/api/me'));
  const greedy = Promise.all(
    Array.from({ length: 200 }, (_, id) => client.as('greedy').get(`/api/order/${id}`)),
  );
  const slowestMs = await clock.run(askInTurn(clock, client.as('other'), 25));
  // Alone, a question takes the way there and back; it may wait for requests of the other in flight.
  expect(slowestMs).toBeLessThanOrEqual(100);
  await clock.run(greedy);
  expect(platform.refused).toBe(0);
});

test('what nobody uses is anybody’s: a share that is not asked for is lost to nobody', async () => {
  const { clock, client, platform } = world({ quota: 60 }, { maxWaitMs: 300_000 });
  await clock.run(client.as('other').get('/api/me'));
  await clock.run(
    Promise.all(
      Array.from({ length: 239 }, (_, id) => client.as('greedy').get(`/api/order/${id}`)),
    ),
  );
  expect(platform.windows.map(({ served }) => served)).toEqual([60, 60, 60, 60]);
});

test('two accounts on one key have shares as two callers of one have', async () => {
  const { clock, platform } = world({ quota: 60 }, { maxWaitMs: 300_000 });
  const budget = new RateBudget(clock.elapsed);
  const of = (account: string) =>
    createClient({ ...settings, account }, platform.runtime(), budget).as('analyst');
  const [one, two] = [of('one'), of('two')];
  await clock.run(two.get('/api/me'));
  const greedy = Promise.all(Array.from({ length: 200 }, (_, id) => one.get(`/api/order/${id}`)));
  const slowestMs = await clock.run(askInTurn(clock, two, 20));
  expect(slowestMs).toBeLessThanOrEqual(100);
  await clock.run(greedy);
  expect(platform.refused).toBe(0);
});

test('who may not wait until others leave their share is told so', async () => {
  const { clock, client } = world({ quota: 60 }, { maxWaitMs: 2000 });
  await clock.run(client.as('other').get('/api/me'));
  const asked = Array.from({ length: 58 }, (_, id) => client.as('greedy').get(`/api/order/${id}`));
  const refused = (await clock.run(Promise.allSettled(asked))).flatMap((it) =>
    it.status === 'rejected' ? [it.reason] : [],
  );
  expect(refused.length).toBeGreaterThan(10);
  const reason = { code: 'budget_spent', of: 'others', endpoint: 'GET /api/order/{id}' };
  expect(refused[0]).toMatchObject({ code: 'rate_limited', reason });
});

describe('a caller with a bound of its own', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, id) => id);

  test.each([0.1, 0.25])('has that share of each window at most: %d', async (share) => {
    const { clock, client, platform } = world({ quota: 60 }, { maxWaitMs: 300_000 });
    const bounded = client.as('bounded', share);
    await clock.run(Promise.all(ids(60 * share * 3).map((id) => bounded.get(`/api/order/${id}`))));
    expect(platform.windows.map(({ served }) => served)).toEqual(Array(3).fill(60 * share));
    expect(platform.refused).toBe(0);
  });

  test('leaves the rest to others at once, with however many requests it waits', async () => {
    const { clock, client, platform } = world({ quota: 60 }, { maxWaitMs: 300_000 });
    const bounded = client.as('bounded', 0.1);
    const waiting = Promise.all(ids(24).map((id) => bounded.get(`/api/order/${id}`)));
    await clock.run(client.as('other').get('/api/me'));
    const slowestMs = await clock.run(askInTurn(clock, client.as('other'), 40));
    expect(slowestMs).toBeLessThanOrEqual(100);
    await clock.run(waiting);
    expect(platform.windows[0]?.served).toBeGreaterThanOrEqual(40);
    expect(platform.refused).toBe(0);
  });

  test('is refused at once where it would wait too long, and told why', async () => {
    const { clock, client } = world({ quota: 60 }, { maxWaitMs: 2000 });
    const bounded = client.as('bounded', 0.1);
    const asked = ids(8).map((id) => bounded.get(`/api/order/${id}`));
    const ended = await clock.run(Promise.allSettled(asked));
    const refused = ended.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []));
    const reason = { code: 'budget_spent', of: 'caller', waitMs: expect.any(Number) };
    expect(refused).toMatchObject(Array(2).fill({ code: 'rate_limited', reason }));
    await clock.run(client.as('other').get('/api/me'));
  });

  test('goes before nobody while what is theirs of the window is spent', async () => {
    const { clock, platform } = world();
    const runtime = realRuntime(platform.runtime());
    const budget = new RateBudget(runtime.elapsed);
    const queue = new RequestQueue({ concurrency: 1, maxQueued: 100 }, budget, runtime);
    const leaving = new AbortController();
    let left = 100;
    const send = (waitMs: number, caller?: { id: string; share?: number }) => {
      const untilMs = runtime.elapsed() + waitMs;
      const urgency = { priority: 'interactive' as const, waitUntilMs: () => untilMs };
      const request = { endpoint: 'GET /api/me', urgency, caller, signal: leaving.signal };
      return queue.run(request, async (settle) => {
        left -= 1;
        const report = { limit: 100, remaining: left, resetMs: 60_000, ceilings: [] };
        settle({ kind: 'answered', status: 200, report, retryAfterMs: undefined });
      });
    };
    const bounded = { id: 'bounded', share: 0.05 };
    for (let at = 0; at < 5; at += 1) await clock.run(send(1000, bounded));
    // Somebody outside has used the rest but for four.
    left = 5;
    await clock.run(send(1000));
    const waiting = Promise.allSettled(ids(6).map(() => send(200_000, bounded)));
    await clock.run(Promise.all(ids(4).map(() => send(30_000, { id: 'other' }))));
    expect(left).toBe(0);
    leaving.abort(new Error('left'));
    await waiting;
  });

  test('gets back what was never sent', async () => {
    const budget = new RateBudget(() => 0);
    const turn = { priority: 'interactive', caller: 'bounded', share: 0.01 } as const;
    const report = { limit: 100, remaining: 99, resetMs: 60_000, ceilings: [] };
    const first = await budget.acquire({ priority: 'interactive' });
    if (first)
      budget.release(first, { kind: 'answered', status: 200, report, retryAfterMs: undefined });
    const permit = await budget.acquire(turn);
    expect(budget.heldByShare(turn)).toBe('caller');
    if (permit) budget.release(permit, { kind: 'unused' });
    expect(budget.heldByShare(turn)).toBeUndefined();
  });
});
