import { describe, expect, test } from 'vitest';
import { RateLimiter } from '../../../src/sandbox/http/rate-limit.ts';

const quota = { general: 5, write: 2, windowSeconds: 60 };
const minute = Date.parse('2026-11-20T12:00:00Z');

describe('the rate limiter', () => {
  test('counts down to zero, then refuses without counting', () => {
    const limiter = new RateLimiter(quota);
    const readings = Array.from({ length: 7 }, () => limiter.take('key', minute));
    expect(readings.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0, 0]);
    const isRefused = [...Array(5).fill(false), true, true];
    expect(readings.map((reading) => reading.isRefused)).toEqual(isRefused);
  });

  test('begins anew when the window rolls, and not a millisecond earlier', () => {
    const limiter = new RateLimiter({ ...quota, general: 1 });
    limiter.take('key', minute);
    expect(limiter.take('key', minute + 59_999).isRefused).toBe(true);
    expect(limiter.take('key', minute + 60_000).isRefused).toBe(false);
  });

  test.each([
    [0, 60],
    [1, 60],
    [18_000, 42],
    [59_001, 1],
    [59_999, 1],
  ])('says %i ms into the minute that %i seconds remain', (elapsedMs, seconds) => {
    const { resetSeconds } = new RateLimiter(quota).take('key', minute + elapsedMs);
    expect(resetSeconds).toBe(seconds);
  });

  test('keeps one budget a key', () => {
    const limiter = new RateLimiter({ ...quota, general: 1 });
    expect(limiter.take('one', minute).isRefused).toBe(false);
    expect(limiter.take('other', minute).isRefused).toBe(false);
    expect(limiter.take('one', minute).isRefused).toBe(true);
  });

  test('takes a new quota at once, without forgetting what was used', () => {
    const limiter = new RateLimiter(quota);
    limiter.take('key', minute);
    limiter.take('key', minute);
    limiter.quota = { ...quota, general: 2 };
    expect(limiter.take('key', minute)).toMatchObject({ isRefused: true, limit: 2 });
  });
});
