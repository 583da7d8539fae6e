import { describe, expect, test } from 'vitest';
import { dayParts } from '../../../src/analysis/turnover/split-turnover.ts';

describe('dayParts', () => {
  const days = ['2026-11-16', '2026-11-17', '2026-11-09', '2026-11-10'];
  const reports = days.map((day, at) => ({
    day,
    payload: { revenue: { total_turnover_wt: at } },
  }));
  const week = { from: '2026-11-16', to: '2026-11-17' };

  test('stand beside the same days of each other period', () => {
    const parts = dayParts([week, { from: '2026-11-09', to: '2026-11-10' }], reports, undefined);
    expect(parts.map(({ part, values }) => [part, ...values.map(Number)])).toEqual([
      ['Mon 2026-11-16', 0, 2],
      ['Tue 2026-11-17', 1, 3],
    ]);
  });

  test.each([
    ['other weekdays', { from: '2026-11-10', to: '2026-11-11' }],
    ['days that were not read', { from: '2026-11-02', to: '2026-11-03' }],
  ])('are none beside %s', (_, other) => {
    expect(dayParts([week, other], reports, undefined)).toEqual([]);
  });
});
