import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxRetries, nextDelay } from '../../../src/client/request/attempts.ts';
import type { ErrorCode } from '../../../src/core/errors.ts';

const failed = (code: ErrorCode, status?: number, retryAfterMs?: number) => ({
  code,
  status,
  retryAfterMs,
});

describe('nextDelay', () => {
  test.each([
    ['an upstream error', failed('upstream_failed', 502), 1, 150],
    ['a gateway that waited in vain', failed('upstream_failed', 504), 1, 150],
    ['an upstream error, later', failed('upstream_failed', 502), 3, 1350],
    ['an upstream error for the fourth time', failed('upstream_failed', 502), 4, undefined],
    [
      'an unavailable platform that asks for patience',
      failed('upstream_failed', 503, 9000),
      1,
      9000,
    ],
    ['a reset connection', failed('unreachable'), 1, 150],
    ['a cut-off body', failed('malformed_answer', 200), 2, 450],
    ['a timeout', failed('timeout'), 1, 150],
    ['a bad request', failed('bad_request', 400), 1, undefined],
    ['a missing capability', failed('forbidden', 403), 1, undefined],
    ['a missing id', failed('not_found', 404), 1, undefined],
    ['a 429, which the budget handles', failed('rate_limited', 429), 1, undefined],
    ['an unexpected status', failed('upstream_failed', 418), 1, undefined],
    ['a status without a retry in it', failed('upstream_failed', 501), 1, undefined],
    ['an oversized body', failed('too_large', 200), 1, undefined],
    ['a redirect', failed('redirected', 302), 1, undefined],
    ['a refused key', failed('key_refused', 401), 1, undefined],
    ['an exchange that failed for the moment', failed('exchange_failed', 503), 1, 150],
    ['an exchange that is wrong', failed('exchange_failed', 400), 1, undefined],
  ])('after %s', (_, failure, attempt, expected) => {
    expect(nextDelay(failure, attempt, 0)).toBe(expected);
  });

  test('grows with each attempt, whatever the jitter', () => {
    const chance = fc.double({ min: 0, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(chance, chance, fc.integer({ min: 2, max: maxRetries }), (a, b, attempt) => {
        const earlier = nextDelay(failed('timeout'), attempt - 1, a) ?? 0;
        expect(nextDelay(failed('timeout'), attempt, b)).toBeGreaterThan(earlier);
      }),
    );
  });
});
