import { describe, expect, test } from 'vitest';
import type { TurnoverArguments } from '../../../src/analysis/turnover/question.ts';
import { spansOf, unlikePeriods } from '../../../src/analysis/turnover/question.ts';
import type { Days } from '../../../src/core/calendar.ts';
import { type PeriodInput, periodOf, resolvePeriod } from '../../../src/core/periods.ts';
import { reasonOf } from '../../reasons.ts';

const now = Date.parse('2026-11-20T14:05:11+01:00');

describe('spansOf', () => {
  test.each<[TurnoverArguments, 'day' | 'week' | undefined, Parameters<typeof reasonOf>[0]]>([
    [{ explain: true, against: 'none' }, undefined, { code: 'explain_needs_reference' }],
    [{ against: 'usual', against_from: 'today' }, undefined, { code: 'two_references' }],
    [
      { period: 'this_year', against: 'usual' },
      undefined,
      {
        code: 'no_usual_of_period',
        days: { from: '2026-01-01', to: '2026-11-20' },
        max: 31,
      },
    ],
    [{ period: 'last_year' }, 'day', { code: 'too_many_buckets', size: 'day', max: 120 }],
  ])('refuses %j by %s', (args, size, reason) => {
    const asking = () => spansOf({ period: 'last_week', ...args }, now, size);
    expect(asking).toThrow(reasonOf(reason));
  });
});

/** What of a period is not like its reference. */
function unlike(period: PeriodInput, reference: Days) {
  return unlikePeriods([{ period: resolvePeriod(period, now), reference: periodOf(reference) }]);
}

describe('unlikePeriods', () => {
  test.each([
    ['2026-11-14', '2026-10-14', true],
    ['2026-11-14', '2026-11-07', false],
    ['2026-11-09..2026-11-11', '2026-11-06..2026-11-08', true],
    ['2026-11-09..2026-11-15', '2026-10-09..2026-10-15', false],
    ['2026-11-09..2026-11-15', '2026-11-01..2026-11-05', true],
    ['last_month', '2026-09-01..2026-09-30', true],
    ['last_month', '2026-08-01..2026-08-31', false],
    ['last_quarter', '2026-04-01..2026-06-30', true],
  ])('of %s against %s: %s', (period, reference, isUnlike) => {
    const { from, to } = resolvePeriod({ period: reference }, now);
    expect(unlike({ period }, { from, to }).map(({ code }) => code)).toEqual(
      isUnlike ? ['not_like_for_like'] : [],
    );
  });

  test.each([
    ['2026-09-01..2026-09-30', true],
    ['2026-08-01..2026-08-31', undefined],
  ])('of a month against %s has the figure a day where the length differs: %s', (given, isTold) => {
    const period = resolvePeriod({ period: 'last_month' }, now);
    const reference = resolvePeriod({ period: given }, now);
    const perDay = { measure: 'turnover', current: '2.00', reference: '1.00' };
    const [warning] = unlikePeriods([{ period, reference }], perDay);
    expect(warning?.text?.includes('turnover 2.00 against 1.00')).toBe(isTold);
  });

  test('of several buckets says how many are unlike', () => {
    const spans = spansOf(
      { period: '2026-10-25..2026-11-10', against: 'previous_period' },
      now,
      'month',
    );
    const [warning] = unlikePeriods(spans);
    expect(warning).toMatchObject({
      code: 'not_like_for_like',
      period: { given: '2026-10' },
      buckets: { unlike: 2, of: 2 },
    });
  });
});
