import { describe, expect, test } from 'vitest';
import {
  allowance,
  type BudgetState,
  expectedAt,
  grant,
  unknownBudget,
} from '../../../src/client/rate-limit/budget-state.ts';
import { updateBudget } from '../../../src/client/rate-limit/budget-update.ts';

/** Sends one request and has it answered 50 ms later. */
function exchange(
  budget: BudgetState,
  now: number,
  remaining: number,
  resetSeconds: number,
): BudgetState {
  const sent = grant(budget, now);
  const report = { limit: 30, remaining, resetSeconds, ceilings: [] };
  return updateBudget(
    sent.budget,
    sent.permit,
    { kind: 'answered', status: 200, report },
    now + 50,
  );
}

const known = exchange(unknownBudget, 0, 20, 40);

describe('allowance', () => {
  test.each<[string, BudgetState, number, number]>([
    ['lets one probe go while nothing is known', unknownBudget, 0, 1],
    ['waits for the probe', grant(unknownBudget, 0).budget, 2999, 0],
    ['lets another go when the probe hangs', grant(unknownBudget, 0).budget, 3000, 1],
    ['is what remains', known, 1000, 20],
    ['takes off what is in flight', grant(known, 100).budget, 1000, 19],
    ['is what remains up to the roll', known, 40_000, 20],
    ['probes a new window with a tenth of the quota', known, 40_100, 3],
    ['leaves room for what may arrive late', { ...known, inFlight: 29 }, 40_100, 1],
    ['holds nothing back where no budget is reported', { ...known, meter: 'off' }, 0, Infinity],
  ])('%s', (_, budget, now, expected) => {
    expect(allowance(budget, now, 'interactive')).toBe(expected);
  });

  test.each<[string, BudgetState, number]>([
    ['a probe where there is none', unknownBudget, 1],
    ['as many beside a probe as name a report', grant(unknownBudget, 0).budget, 4],
    ['what drains may have, once it is known', { ...known, windowMs: 40_000 }, 17],
  ])('lets leave beside a question %s', (_, budget, expected) => {
    expect(allowance(budget, 100, 'prefetch')).toBe(expected);
  });

  test.each([
    [100, 17],
    [20_000, 18],
    [39_000, 20],
  ])('leaves a reserve to interactive calls that melts: at %i ms', (now, expected) => {
    expect(allowance({ ...known, windowMs: 40_000 }, now, 'drain')).toBe(expected);
  });
});

describe('learn', () => {
  test('trusts its own count where the platform’s stands still', () => {
    const after = [1, 2, 3].reduce((budget, turn) => exchange(budget, turn * 100, 20, 40), known);
    expect(allowance(after, 1000, 'interactive')).toBe(17);
  });

  test('trusts the platform’s count where somebody else draws', () => {
    const after = exchange(known, 100, 6, 40);
    expect(after).toMatchObject({ reported: 6, sharedWindow: after.window });
    expect(allowance(after, 1000, 'interactive')).toBe(3);
  });

  test('counts a request that was never answered', () => {
    const sent = grant(known, 100);
    const after = updateBudget(sent.budget, sent.permit, { kind: 'lost' }, 200);
    expect(allowance(after, 1000, 'interactive')).toBe(19);
  });

  test('counts nothing for a request that was never sent', () => {
    const sent = grant(known, 100);
    expect(updateBudget(sent.budget, sent.permit, { kind: 'unused' }, 200)).toEqual(known);
  });

  test('anchors the roll at the earliest moment that all answers allow', () => {
    expect(known.rollsAtMs).toBe(40_050);
    expect(exchange(known, 900, 19, 39).rollsAtMs).toBe(39_950);
  });

  test('waits a second more where a reset of zero shows that resets are rounded down', () => {
    const zero = exchange(known, 39_500, 0, 0);
    expect(zero.rollsAtMs).toBe(40_550);
    expect(allowance(zero, 40_500, 'interactive')).toBe(0);
  });

  test.each([
    ['a page of the platform', 200, 'off'],
    ['a 401, whose retry will tell', 401, 'on'],
    ['a failure on the way', 502, 'on'],
  ])(
    'takes the budget for gone after a probe answered without headers by %s',
    (_, status, meter) => {
      const sent = grant(known, 50_000);
      const after = updateBudget(sent.budget, sent.permit, { kind: 'answered', status }, 50_050);
      expect(after.meter).toBe(meter);
    },
  );

  test('ignores a late answer of a window gone by', () => {
    const late = grant(known, 39_000);
    const next = exchange(late.budget, 41_000, 29, 60);
    const report = { limit: 30, remaining: 0, resetSeconds: 1, ceilings: [] };
    const after = updateBudget(
      next,
      late.permit,
      { kind: 'answered', status: 200, report },
      41_100,
    );
    expect(after).toMatchObject({ reported: 29, rollsAtMs: next.rollsAtMs });
  });

  test('takes a burst of refusals for one', () => {
    const [first, second] = [grant(known, 100), grant(grant(known, 100).budget, 100)];
    const refused = { kind: 'answered', status: 429, retryAfterMs: 5000 } as const;
    const once = updateBudget(second.budget, first.permit, refused, 200);
    const twice = updateBudget(once, second.permit, refused, 300);
    expect(twice).toMatchObject({ refusals: 1, rollsAtMs: 5300 });
    expect(allowance(twice, 5000, 'interactive')).toBeLessThanOrEqual(0);
    expect(allowance(twice, 5400, 'interactive')).toBe(3);
  });
});

describe('expectedAt', () => {
  test.each([
    [0, 1000],
    [19, 1000],
    [20, 40_075],
    [49, 40_075],
    [50, 100_075],
  ])('tells when the request behind %i others can leave', (ahead, expected) => {
    expect(expectedAt(known, 1000, ahead)).toBe(expected);
  });
});
