import { describe, expect, test } from 'vitest';
import { betterSample, sampleClock } from '../../../src/client/fleet/clock.ts';
import { peakOf } from '../../../src/client/fleet/shared-limiter.ts';

describe('sampleClock', () => {
  test('takes the middle of the exchange, and half of it for doubt', () => {
    expect(sampleClock(100, 120, 5110)).toEqual({ offsetMs: 5000, doubtMs: 10, atMs: 120 });
  });
});

describe('betterSample', () => {
  const held = { offsetMs: 5000, doubtMs: 5, atMs: 1000 };
  test.each([
    ['the more certain one', { offsetMs: 5003, doubtMs: 2, atMs: 1100 }, 'taken'],
    ['the held one against a slow exchange', { offsetMs: 5030, doubtMs: 40, atMs: 1100 }, 'held'],
    [
      'a less certain one when the held one is old',
      { offsetMs: 5001, doubtMs: 9, atMs: 31_001 },
      'taken',
    ],
    ['one that shows that the clock was set', { offsetMs: 9000, doubtMs: 9, atMs: 1100 }, 'taken'],
  ])('goes by %s', (_, taken, expected) => {
    expect(betterSample(held, taken)).toBe(expected === 'taken' ? taken : held);
  });
});

describe('peakOf', () => {
  const held = { count: 4, atMs: 1000 };
  test.each([
    ['begins with what it sees', undefined, 2, 1000, { count: 2, atMs: 1000 }],
    ['grows at once', held, 5, 1001, { count: 5, atMs: 1001 }],
    ['remembers replicas that are not seen any more', held, 1, 61_000, held],
    ['lets go of them after a minute', held, 1, 61_001, { count: 1, atMs: 61_001 }],
    ['counts this one in any case', undefined, 0, 1000, { count: 1, atMs: 1000 }],
  ])('%s', (_, before, count, now, after) => {
    expect(peakOf(before, count, now)).toEqual(after);
  });
});
