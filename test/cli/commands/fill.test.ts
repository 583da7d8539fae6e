import { expect, test } from 'vitest';
import { sayProgress } from '../../../src/cli/commands/fill.ts';

const later = { ms: 4 * 60_000, isWaiting: false };

test.each([
  [[0, 30, 0, 0], { ms: 0, isWaiting: false }, '0 of 30 days, 0 orders, 0 read'],
  [[0, 30, 0, 600], later, '0 of 30 days, 0 orders, 600 read, 150 a minute'],
  [
    [2, 30, 4000, 3000],
    later,
    '2 of 30 days, 4,000 orders, 3,000 read, 750 a minute, about 56 min to go',
  ],
  [
    [1, 61, 9, 9],
    { ...later, isWaiting: true },
    '1 of 61 days, 9 orders, 9 read, 2 a minute, about 4 h 0 min to go, waits for its share of the budget',
  ],
  [[2, 3, 10, 0], later, '2 of 3 days, 10 orders, 0 read'],
  [[3, 3, 10, 10], later, '3 of 3 days, 10 orders, 10 read, 3 a minute'],
] as const)('says that %j of a fill are done after %j', (counts, about, words) => {
  const [daysDone, days, orders, read] = counts;
  const progress = { daysDone, days, orders, read };
  expect(sayProgress(progress, about.ms, about.isWaiting)).toBe(words);
});
