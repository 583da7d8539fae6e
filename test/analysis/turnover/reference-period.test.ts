import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparisons, referencePeriod } from '../../../src/analysis/turnover/reference-period.ts';
import { dayNumber, days, numbered } from '../../core/second-calendar.ts';

const timezone = 'Europe/Amsterdam';

function reference(given: string, from: string, to: string, against: (typeof comparisons)[number]) {
  const found = referencePeriod({ from, to, timezone, given }, against);
  return `${found.from}..${found.to}`;
}

describe('previous_period', () => {
  test.each([
    ['a day', 'yesterday', '2026-11-19', '2026-11-19', '2026-11-18..2026-11-18'],
    ['a week', 'last_week', '2026-11-09', '2026-11-15', '2026-11-02..2026-11-08'],
    ['30 days', 'last_30_days', '2026-10-21', '2026-11-19', '2026-09-21..2026-10-20'],
    ['a month', 'last_month', '2026-10-01', '2026-10-31', '2026-09-01..2026-09-30'],
    ['a month after a leap one', 'dates', '2028-03-01', '2028-03-31', '2028-02-01..2028-02-29'],
    ['a quarter', 'last_quarter', '2026-07-01', '2026-09-30', '2026-04-01..2026-06-30'],
    ['a year', 'last_year', '2025-01-01', '2025-12-31', '2024-01-01..2024-12-31'],
    ['this week', 'this_week', '2026-11-16', '2026-11-18', '2026-11-09..2026-11-11'],
    [
      'this month, longer than the last',
      'this_month',
      '2026-03-01',
      '2026-03-30',
      '2026-02-01..2026-02-28',
    ],
    [
      'this month on its last day',
      'this_month',
      '2026-11-01',
      '2026-11-30',
      '2026-10-01..2026-10-31',
    ],
    ['this quarter', 'this_quarter', '2026-10-01', '2026-11-20', '2026-07-01..2026-08-20'],
    [
      'this quarter after a month',
      'this_quarter',
      '2026-04-01',
      '2026-04-30',
      '2026-01-01..2026-01-30',
    ],
    [
      'this quarter on its last day',
      'this_quarter',
      '2026-07-01',
      '2026-09-30',
      '2026-04-01..2026-06-30',
    ],
    ['this year on 29 February', 'this_year', '2028-01-01', '2028-02-29', '2027-01-01..2027-02-28'],
    ['this year after a month', 'this_year', '2026-01-01', '2026-01-31', '2025-01-01..2025-01-31'],
  ])('of %s', (_case, given, from, to, expected) => {
    expect(reference(given, from, to, 'previous_period')).toBe(expected);
  });

  test('adjoins the period and is as long, unless calendar months are compared', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 0, max: 400 }), (from, more) => {
        const to = numbered(dayNumber(from) + more);
        const found = referencePeriod({ from, to, timezone, given: 'dates' }, 'previous_period');
        expect(dayNumber(found.to)).toBe(dayNumber(from) - 1);
        const isWholeMonths = from.endsWith('-01') && numbered(dayNumber(to) + 1).endsWith('-01');
        if (isWholeMonths) expect(found.from).toMatch(/-01$/);
        else expect(dayNumber(found.to) - dayNumber(found.from)).toBe(more);
      }),
    );
  });
});

describe('an earlier week, month or year', () => {
  test.each([
    ['week_earlier', '2026-11-20', '2026-11-20', '2026-11-13..2026-11-13'],
    ['week_earlier', '2026-11-01', '2026-11-30', '2026-10-25..2026-11-23'],
    ['month_earlier', '2026-03-31', '2026-03-31', '2026-02-28..2026-02-28'],
    ['month_earlier', '2026-02-01', '2026-02-28', '2026-01-01..2026-01-31'],
    ['year_earlier', '2028-02-29', '2028-02-29', '2027-02-28..2027-02-28'],
    ['year_earlier', '2029-02-01', '2029-02-28', '2028-02-01..2028-02-29'],
    ['year_earlier', '2028-02-01', '2028-02-29', '2027-02-01..2027-02-28'],
    ['year_earlier_same_weekdays', '2026-11-14', '2026-11-14', '2025-11-15..2025-11-15'],
    ['year_earlier_same_weekdays', '2026-12-28', '2027-01-03', '2025-12-29..2026-01-04'],
  ] as const)('%s of %s to %s', (against, from, to, expected) => {
    expect(reference('dates', from, to, against)).toBe(expected);
  });

  test('keeps the weekdays and the length when it moves by weeks', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 0, max: 400 }), (from, more) => {
        const to = numbered(dayNumber(from) + more);
        for (const [against, weeks] of [
          ['week_earlier', 1],
          ['year_earlier_same_weekdays', 52],
        ] as const) {
          expect(reference('dates', from, to, against)).toBe(
            `${numbered(dayNumber(from) - 7 * weeks)}..${numbered(dayNumber(to) - 7 * weeks)}`,
          );
        }
      }),
    );
  });
});

describe('every reference period', () => {
  test('lies before, in order, and says how it was chosen', () => {
    fc.assert(
      fc.property(
        days,
        fc.integer({ min: 0, max: 800 }),
        fc.constantFrom(...comparisons),
        fc.constantFrom('dates', 'this_week', 'this_month', 'this_quarter', 'this_year'),
        (from, more, against, given) => {
          const to = numbered(dayNumber(from) + more);
          const found = referencePeriod({ from, to, timezone, given }, against);
          expect(found.given).toBe(against);
          expect(found.from <= found.to).toBe(true);
          expect(found.from < from && found.to < to).toBe(true);
        },
      ),
    );
  });
});
