import { describe, expect, test } from 'vitest';
import { type PeriodInput, periodWarnings, resolvePeriod } from '../../src/core/periods.ts';

const now = Date.parse('2026-11-20T14:05:59+01:00');
const notOver = 'Today (2026-11-20) is not over: its figures run up to 14:05 Amsterdam time.';

describe('periodWarnings', () => {
  test.each<[string, PeriodInput, string[]]>([
    ['says nothing of days that are over', { period: 'last_month' }, []],
    ['says that today is not over', { period: 'this_month' }, [notOver]],
    [
      'says that the days to come are to come',
      { from: 'today', to: '2026-11-30' },
      [
        notOver,
        '2026-11-21 to 2026-11-30 lie in the future: asked as given, expect no figures there yet.',
      ],
    ],
    [
      'speaks of one day to come as one',
      { from: '2026-11-01', to: '2026-11-21' },
      [notOver, '2026-11-21 lies in the future: asked as given, expect no figures there yet.'],
    ],
  ])('%s', (_title, input, warnings) => {
    expect(periodWarnings(resolvePeriod(input, now), now)).toEqual(warnings);
  });
});
