import { describe, expect, test } from 'vitest';
import { judgeBudget } from '../../../../src/cli/commands/doctor/budget.ts';

const budget = {
  limit: 600,
  remaining: 599,
  resetsInSeconds: 40,
  windowSeconds: 60,
  policy: [
    { name: 'general', quota: 600, windowSeconds: 60 },
    { name: 'write\u001b[2J', quota: 60 },
  ],
  waiting: 0,
};

describe('judgeBudget', () => {
  test('tells budget, window and ceilings, with names that cannot act', () => {
    expect(judgeBudget(budget)).toEqual({
      verdict: 'ok',
      detail:
        '599 of 600 requests left in this window of 60 s; the next begins in 40 s; ceilings: general 600 per 60 s, write\\u{1b}[2J 60',
    });
  });

  test.each([
    [60, 'ok'],
    [59, 'warning'],
    [0, 'warning'],
  ])('calls %i of 600 left %s', (remaining, verdict) => {
    expect(judgeBudget({ ...budget, remaining }).verdict).toBe(verdict);
  });

  test('does not take an unreported budget for an empty one', () => {
    expect(judgeBudget(undefined).detail).toContain('does not mean that none is left');
  });
});
