import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextDelay } from '../../../src/client/request/attempts.ts';
import { connectionError } from '../../../src/client/transport/http.ts';
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
    const failure = new PlatformError(code, { code: 'client_closed' }, { status });
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

describe('a call that has to wait', () => {
  test.each([
    ...['1', '0', 'Thu, 01 Jan 1970 00:00:00 GMT'].map((value) => [value, 900] as const),
    ...['0.5', '-1', 'soon', '1e99'].map((value) => [value, 0] as const),
    // An hour is the most that is believed.
    ...[['3600', 3_600_000] as const, ['7200', 60_000] as const],
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
