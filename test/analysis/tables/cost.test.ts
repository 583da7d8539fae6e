import { describe, expect, test } from 'vitest';
import { sayTime, tooManyCalls } from '../../../src/analysis/tables/cost.ts';

const budget = {
  limit: 300,
  remaining: 100,
  resetsInSeconds: 40,
  windowSeconds: 60,
  waiting: 0,
  policy: [],
};

describe('the time that requests take', () => {
  test.each([
    ['is not known without a budget', 5, undefined, 'not known yet'],
    ['is none where the budget has room', 100, budget, 'has room for that'],
    ['is until the next window', 101, budget, 'about 40 seconds'],
    ['is until the next window for a whole one', 400, budget, 'about 40 seconds'],
    ['is a window more for each window', 401, budget, 'about 2 minutes'],
    ['is long for thousands', 3100, budget, 'about 10 minutes'],
    ['counts who waits already', 90, { ...budget, waiting: 20 }, 'about 40 seconds'],
    ['stays a number without any limit', 10, { ...budget, limit: 0, remaining: 0 }, '10 minutes'],
  ])('%s', (_, calls, given, said) => {
    expect(sayTime(calls, given)).toContain(said);
  });
});

describe('a statement that needs too many requests', () => {
  const items = [
    { table: 'shops', calls: 1, why: '1 page' },
    { table: 'list_order_items', calls: 1803, why: '1,803 values of order_id' },
    { table: 'list_orders', calls: 4, why: '4 pages' },
  ];

  test('is refused with the number, what costs most first, the time and what to do', () => {
    const error = tooManyCalls(items, 2, 300, budget);
    expect(error).toMatchObject({ code: 'bad_input', parameter: 'max_calls' });
    expect(error.message.split('\n')).toEqual([
      'query: this statement takes 1,810 platform calls, and max_calls is 300: list_order_items 1,803 (1,803 values of order_id), list_orders 4 (4 pages), shops 1 (1 page).',
      expect.stringContaining('that takes about'),
      expect.stringMatching(/Narrow it .* max_calls: 1810\.$/),
    ]);
  });

  test('names the four that cost most', () => {
    const many = Array.from({ length: 9 }, (_, index) => ({
      table: `t${index}`,
      calls: index + 1,
      why: 'so',
    }));
    const { message } = tooManyCalls(many, 0, 1, undefined);
    for (const table of ['t8', 't7', 't6', 't5']) expect(message).toContain(table);
    expect(message).not.toContain('t4 ');
  });
});
