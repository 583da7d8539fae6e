import { describe, expect, test } from 'vitest';
import { compareValues } from '../../../src/analysis/turnover/earlier-periods.ts';
import { spansOf } from '../../../src/analysis/turnover/question.ts';
import { holidayWarnings, unlikePeriods } from '../../../src/analysis/turnover/unlike-periods.ts';
import { addDays } from '../../../src/core/calendar.ts';
import { toDecimal, zero } from '../../../src/core/money.ts';
import { periodOf, resolvePeriod } from '../../../src/core/periods.ts';

const now = Date.parse('2026-11-20T14:05:11+01:00');

describe('unlikePeriods', () => {
  const cells = [
    {
      measure: 'turnover',
      subject: {},
      ...compareValues(toDecimal(62) ?? zero, [toDecimal(30) ?? zero]),
    },
  ];
  const unlike = (period: string, reference: string) => {
    const [own, other] = [period, reference].map((days) => resolvePeriod({ period: days }, now));
    return own && other ? unlikePeriods([{ period: own, others: [other], cells }], 'turnover') : [];
  };

  test.each([
    ['2026-11-14', '2026-10-14', true],
    ['2026-11-14', '2026-11-07', false],
    ['2026-11-09..2026-11-11', '2026-11-06..2026-11-08', true],
    ['2026-11-09..2026-11-15', '2026-10-09..2026-10-15', false],
    ['2026-11-09..2026-11-15', '2026-11-01..2026-11-05', true],
    ['last_month', '2026-09-01..2026-09-30', true],
    ['last_month', '2026-08-01..2026-08-31', false],
    ['last_quarter', '2026-04-01..2026-06-30', true],
  ])('warns of %s against %s: %s', (period, reference, isUnlike) => {
    expect(unlike(period, reference).map(({ code }) => code)).toEqual(
      isUnlike ? ['not_like_for_like'] : [],
    );
  });

  test('has the figure a day only where the lengths differ', () => {
    const perDay = { measure: 'turnover', current: '2.00', reference: '1.00' };
    expect(unlike('last_month', '2026-09-01..2026-09-30')).toMatchObject([{ perDay }]);
    expect(unlike('2026-11-14', '2026-10-14')).toMatchObject([{ perDay: undefined }]);
  });

  test('says of several buckets how many are unlike', () => {
    const args = { period: '2026-10-25..2026-11-10', against: 'previous_period' } as const;
    const spans = spansOf(args, now, 'month').map((span) => ({ ...span, cells }));
    const [warning] = unlikePeriods(spans, 'turnover');
    expect(warning).toMatchObject({
      code: 'not_like_for_like',
      period: { given: '2026-10' },
      buckets: { unlike: 2, of: 2 },
    });
  });
});

const year = (number: number) => ({ from: `${number}-01-01`, to: `${number}-12-31` });
const monday = (day: string) => periodOf({ from: day, to: day });

test('holidays of years are the same holidays, though Easter moves', () => {
  const period = periodOf(year(2026));
  expect(holidayWarnings([{ period, others: [periodOf(year(2025))] }])).toEqual([]);
});

test('a holiday that one of several earlier days has as well is on one side', () => {
  const usual = { period: monday('2026-04-06'), like: 'Mondays' };
  const others = ['2026-03-30', '2026-03-23', '2025-04-21'].map(monday);
  expect(holidayWarnings([{ ...usual, others }])).toMatchObject([
    { period: [{ day: '2026-04-06', name: 'Easter Monday' }], reference: [] },
  ]);
  expect(holidayWarnings([{ ...usual, others: others.slice(2) }])).toEqual([]);
  expect(holidayWarnings([{ ...usual, others: [] }])).toEqual([]);
});

test('the buckets of a trend are warned of once', () => {
  const days = ['2026-05-04', '2026-05-05', '2026-05-06'];
  const spans = days.map((day) => ({
    period: monday(day),
    others: [monday(addDays(day, -7))],
  }));
  expect(holidayWarnings(spans)).toMatchObject([
    { period: [{ name: 'Liberation Day' }], reference: [{ name: "King's Day" }] },
  ]);
});
