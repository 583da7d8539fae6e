import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientMessages } from '../../../src/client/messages.ts';
import type { Priority } from '../../../src/client/rate-limit/shares.ts';
import { nextDelay } from '../../../src/client/request/attempts.ts';
import { connectionError } from '../../../src/client/transport/http.ts';
import { amsterdamIso } from '../../../src/core/calendar.ts';
import { type ErrorCode, PlatformError } from '../../../src/core/errors.ts';
import { runs } from '../../property-runs.ts';
import { world } from '../fake-world.ts';

describe('nextDelay', () => {
  test.each<[ErrorCode, number | undefined, number, number | undefined]>([
    ['upstream_failed', 502, 1, 150],
    ['upstream_failed', 502, 3, 1350],
    ['upstream_failed', 502, 4, undefined],
    ['upstream_failed', 418, 1, undefined],
    ['unreachable', undefined, 1, 150],
    ['malformed_answer', 200, 2, 450],
    ['timeout', undefined, 1, 150],
    ['bad_request', 400, 1, undefined],
    ['rate_limited', 429, 1, undefined],
    ['redirected', 302, 1, undefined],
    ['key_refused', 401, 1, undefined],
    ['exchange_failed', 503, 1, 150],
    ['exchange_failed', 400, 1, undefined],
  ])('after %s (%s), failed for the %ith time: %s', (code, status, failures, expected) => {
    const failure = new PlatformError(code, clientMessages.client_closed(), { status });
    expect(nextDelay(failure, failures, 0)).toBe(expected);
  });

  test.each([
    ['ECONNREFUSED', 150],
    ['ENOTFOUND', 150],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', undefined],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', undefined],
    ['CERT_HAS_EXPIRED', undefined],
    ['ERR_TLS_CERT_ALTNAME_INVALID', undefined],
    ['ERR_SSL_WRONG_VERSION_NUMBER', undefined],
  ])('after a connection that failed with %s: %s', (cause, expected) => {
    const failure = connectionError({ code: cause }, 'GET /api/me', new URL('https://a.example'));
    expect(nextDelay(failure, 1, 0)).toBe(expected);
  });
});

// docs/platform.md#retry-after
describe('a call that has to wait', () => {
  test.each([
    ...['1', '0', 'Thu, 01 Jan 1970 00:00:00 GMT'].map((value) => [value, 900] as const),
    ...['0.5', '-1', 'soon', '1e99'].map((value) => [value, 0] as const),
    ['3600', 3_600_000] as const,
    // Of thirty years nothing is believed.
    ['999999999', 60_000] as const,
  ])('waits out one 429 whose Retry-After is %s, and is answered', async (value, atLeastMs) => {
    const behaviour = { quota: 600, windowMs: 1000 };
    const { clock, client, platform } = world(behaviour, { maxWaitMs: 7_200_000 });
    await clock.run(client.get('/api/me'));
    platform.behaviour.retryAfter = value;
    const moods = ['refuse' as const];
    platform.behaviour.mood = () => moods.pop() ?? 'answer';
    const askedAt = clock.elapsed();
    await clock.run(client.get('/api/me'));
    expect(clock.elapsed() - askedAt).toBeGreaterThanOrEqual(atLeastMs);
    expect(clock.elapsed() - askedAt).toBeLessThan(atLeastMs + 3000);
  });

  describe('for a daily limit', () => {
    /** A client whose key was just closed for two hours, without a RateLimit header. */
    async function closed() {
      const made = world({ quota: 1e9, headers: 'none' }, { maxWaitMs: 58_000 });
      const { clock, client, platform } = made;
      await clock.run(client.get('/api/me'));
      Object.assign(platform.behaviour, { retryAfter: '7200', mood: () => 'refuse' });
      const refusalOf = (work: Promise<unknown>) => clock.run(work.catch((error) => error));
      const readAll = (priority: Priority = 'bulk') =>
        client.readAllPages('/api/order', { endpoint: 'GET /api/order', pageSize: 100, priority });
      return { ...made, refusalOf, readAll };
    }
    const told = { code: 'rate_limited', reason: { code: 'budget_spent' } };

    test.each(['get', 'bulk', 'background'] as const)(
      'is answered at once, with the hour (%s)',
      async (kind) => {
        const { clock, client, platform, refusalOf, readAll } = await closed();
        const askedAt = clock.elapsed();
        const ask = () => refusalOf(kind === 'get' ? client.get('/api/me') : readAll(kind));
        const error = await ask();
        expect(clock.elapsed() - askedAt).toBe(50);
        const at = expect.stringContaining(amsterdamIso(clock.now() + 7_200_000).slice(0, 16));
        const reason = { ...told.reason, at };
        expect(error).toMatchObject({ ...told, reason, retryAfterMs: 7_200_000 });
        const sent = platform.requests.length;
        expect(await ask()).toMatchObject(told);
        expect(platform.requests.length).toBe(sent);
      },
    );

    test('is looked at again each minute, and over as soon as the platform answers', async () => {
      const { clock, client, platform, refusalOf } = await closed();
      await refusalOf(client.get('/api/me'));
      await clock.advance(62_000);
      const again = await refusalOf(client.get('/api/me'));
      expect(again).toMatchObject({ ...told, retryAfterMs: 7_200_000 });
      await clock.advance(62_000);
      platform.behaviour.mood = () => 'answer';
      await clock.run(client.get('/api/me'));
      await clock.run(client.get('/api/shop'));
    });
  });

  test.each([1, 12, 58])('waits %i s for the budget in all pages of a list', async (seconds) => {
    const rows = Array.from({ length: 200 }, (_, id) => ({ id }));
    const answer = (url: URL) => {
      const start = Number(url.searchParams.get('start'));
      return { count: 4, total: rows.length, start, limit: 4, data: rows.slice(start, start + 4) };
    };
    const maxWaitMs = seconds * 1000;
    const { clock, client } = world({ quota: 4, windowMs: 10_000, answer }, { maxWaitMs });
    const paged = { endpoint: 'GET /api/order', pageSize: 4 };
    const list = await clock.run(client.readAllPages('/api/order', paged));
    expect(list).toMatchObject({ complete: false, notes: [{ why: 'list_stopped' }] });
    expect(list.rows.length).toBeGreaterThanOrEqual(4 * 4 * Math.floor(seconds / 10));
    // The answers themselves take the rest.
    expect(clock.elapsed()).toBeLessThanOrEqual(maxWaitMs + 2000);
  });

  test('spends no more on the pauses that a platform asks for than a call may wait', async () => {
    const { clock, platform, client } = world({ quota: 1e6 }, { maxWaitMs: 20_000 });
    platform.behaviour.mood = () => 'fail';
    platform.behaviour.retryAfter = '15';
    const call = clock.run(client.get('/api/me'));
    await expect(call).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(clock.elapsed()).toBeGreaterThanOrEqual(15_000);
    expect(clock.elapsed()).toBeLessThan(20_000);
  });

  test('ends within the longest wait and four timeouts, whatever the platform does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('hang', 'refuse', 'fail', 'expire', 'answer'), { minLength: 1 }),
        fc.integer({ min: 10, max: 1450 }),
        async (moods, latency) => {
          const { clock, platform, client } = world(
            { quota: 1e6, latencyMs: () => [latency, latency] },
            { maxWaitMs: 20_000, timeoutMs: 3000, concurrency: 2 },
          );
          let turn = 0;
          platform.behaviour.mood = () => moods[turn++ % moods.length] ?? 'answer';
          const endings = Array.from({ length: 6 }, (_, id) =>
            client
              .get(`/api/order/${id}`)
              .catch(() => {})
              .then(() => clock.elapsed()),
          );
          const ends = await clock.run(Promise.all(endings));
          expect(Math.max(...ends)).toBeLessThanOrEqual(20_000 + 4 * 3000);
          expect(client.load()).toMatchObject({ inFlight: 0, waiting: 0 });
        },
      ),
      { numRuns: runs(35) },
    );
  });
});
