import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparisons, referencePeriod } from '../../../src/analysis/turnover/spans.ts';
import { dayNumber, days, numbered } from '../../core/second-calendar.ts';

const timezone = 'Europe/Amsterdam';

/** The days that `days` (`2026-11-01..2026-11-20`) are held against. */
function reference(given: string, days: string, against: (typeof comparisons)[number]) {
  const [from = '', to = from] = days.split('..');
  const found = referencePeriod({ from, to, timezone, given }, against);
  return `${found.from}..${found.to}`;
}

/** So many days, the first of them `from`. */
function span(from: string, more: number): { from: string; to: string } {
  return { from, to: numbered(dayNumber(from) + more) };
}

const more = fc.integer({ min: 0, max: 400 });

describe('previous_period', () => {
  test.each([
    ['yesterday', '2026-11-19', '2026-11-18..2026-11-18'],
    ['last_week', '2026-11-09..2026-11-15', '2026-11-02..2026-11-08'],
    ['last_30_days', '2026-10-21..2026-11-19', '2026-09-21..2026-10-20'],
    ['last_month', '2026-10-01..2026-10-31', '2026-09-01..2026-09-30'],
    ['a month after a leap one', '2028-03-01..2028-03-31', '2028-02-01..2028-02-29'],
    ['last_quarter', '2026-07-01..2026-09-30', '2026-04-01..2026-06-30'],
    ['last_year', '2025-01-01..2025-12-31', '2024-01-01..2024-12-31'],
    ['this_week', '2026-11-16..2026-11-18', '2026-11-09..2026-11-11'],
    // Longer than the month before, and on its last day.
    ['this_month', '2026-03-01..2026-03-30', '2026-02-01..2026-02-28'],
    ['this_month', '2026-11-01..2026-11-30', '2026-10-01..2026-10-31'],
    // After a month, and on its last day.
    ['this_quarter', '2026-10-01..2026-11-20', '2026-07-01..2026-08-20'],
    ['this_quarter', '2026-04-01..2026-04-30', '2026-01-01..2026-01-30'],
    ['this_quarter', '2026-07-01..2026-09-30', '2026-04-01..2026-06-30'],
    ['this_year', '2028-01-01..2028-02-29', '2027-01-01..2027-02-28'],
    ['this_year', '2026-01-01..2026-01-31', '2025-01-01..2025-01-31'],
  ])('of %s, %s', (given, asked, expected) => {
    expect(reference(given, asked, 'previous_period')).toBe(expected);
  });

  test('adjoins the period and is as long, unless calendar months are compared', () => {
    fc.assert(
      fc.property(days, more, (first, more) => {
        const { from, to } = span(first, more);
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
    ['week_earlier', '2026-11-20', '2026-11-13..2026-11-13'],
    ['week_earlier', '2026-11-01..2026-11-30', '2026-10-25..2026-11-23'],
    ['month_earlier', '2026-03-31', '2026-02-28..2026-02-28'],
    ['month_earlier', '2026-02-01..2026-02-28', '2026-01-01..2026-01-31'],
    ['year_earlier', '2028-02-29', '2027-02-28..2027-02-28'],
    ['year_earlier', '2029-02-01..2029-02-28', '2028-02-01..2028-02-29'],
    ['year_earlier', '2028-02-01..2028-02-29', '2027-02-01..2027-02-28'],
    ['year_earlier_same_weekdays', '2026-11-14', '2025-11-15..2025-11-15'],
    ['year_earlier_same_weekdays', '2026-12-28..2027-01-03', '2025-12-29..2026-01-04'],
  ] as const)('%s of %s', (against, asked, expected) => {
    expect(reference('dates', asked, against)).toBe(expected);
  });

  test.each([
    ['week_earlier', 7],
    ['year_earlier_same_weekdays', 364],
  ] as const)('%s keeps the weekdays and the length', (against, back) => {
    fc.assert(
      fc.property(days, more, (first, more) => {
        const earlier = span(numbered(dayNumber(first) - back), more);
        const { from, to } = span(first, more);
        expect(reference('dates', `${from}..${to}`, against)).toBe(
          `${earlier.from}..${earlier.to}`,
        );
      }),
    );
  });
});

test('every reference period lies before, in order, and says how it was chosen', () => {
  const words = fc.constantFrom('dates', 'this_week', 'this_month', 'this_quarter', 'this_year');
  fc.assert(
    fc.property(
      days,
      more,
      fc.constantFrom(...comparisons),
      words,
      (first, more, against, given) => {
        const { from, to } = span(first, more);
        const found = referencePeriod({ from, to, timezone, given }, against);
        expect(found.given).toBe(against);
        expect(found.from <= found.to && found.from < from && found.to < to).toBe(true);
      },
    ),
  );
});
