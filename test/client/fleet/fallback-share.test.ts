import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shareOfBudget, updateAlone } from '../../../src/client/fleet/fallback-share.ts';
import {
  allowance,
  type BudgetState,
  grant,
  unknownBudget,
} from '../../../src/client/rate-limit/budget-state.ts';

const budget: BudgetState = {
  ...unknownBudget,
  meter: 'on',
  window: 3,
  quota: 600,
  reported: 400,
  own: 420,
  explained: 400,
  rollsAtMs: 40_000,
  inFlight: 20,
};

describe('shareOfPace', () => {
  test.each([
    ['is everything for one that was alone', 1, 0, 380],
    ['is a fourth of what is free', 4, 0, 95],
    ['takes off what may be under way elsewhere', 4, 8, 89],
  ])('%s', (_, replicas, count, free) => {
    const mine = shareOfBudget(budget, replicas, { count, probes: 0 });
    expect(allowance(mine, 1000, 'interactive')).toBe(free);
    expect(mine.quota).toBe(600 / replicas);
  });

  test('never adds up to more than what was free', () => {
    fc.assert(
      fc.property(fc.nat(600), fc.nat(30), fc.integer({ min: 1, max: 9 }), (reported, out, n) => {
        const mine = shareOfBudget({ ...budget, reported, inFlight: out }, n, {
          count: 0,
          probes: 0,
        });
        const free = Math.max(0, Math.min(reported, 420) - out);
        expect(n * allowance(mine, 1000, 'interactive')).toBeLessThanOrEqual(free);
      }),
    );
  });
});

describe('learnAlone', () => {
  const report = (remaining: number) => ({
    limit: 600,
    remaining,
    resetSeconds: 60,
    ceilings: [{ name: 'general', quota: 600, windowSeconds: 60 }],
  });

  test('takes a fourth of limit and of what remains', () => {
    const sent = grant({ ...budget, inFlight: 0 }, 50_000);
    const ended = { kind: 'answered', status: 200, report: report(590) } as const;
    const after = updateAlone(4)(sent.budget, sent.permit, ended, 50_100);
    expect(after).toMatchObject({ quota: 150, reported: 147, own: 147 });
  });

  test('counts requests under way at the roll as part of the share', () => {
    const first = grant({ ...budget, quota: 150, inFlight: 0 }, 50_000);
    const second = grant(first.budget, 50_000);
    const ended = { kind: 'answered', status: 200, report: report(598) } as const;
    const after = updateAlone(4)(second.budget, first.permit, ended, 50_100);
    expect(allowance(after, 50_200, 'interactive')).toBe(149 - 1);
  });

  test('leaves a request that was lost as it is', () => {
    const sent = grant(budget, 1000);
    const after = updateAlone(4)(sent.budget, sent.permit, { kind: 'lost' }, 1100);
    expect(after.reported).toBe(399);
  });
});
