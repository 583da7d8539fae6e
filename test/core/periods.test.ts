import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amsterdamDay } from '../../src/core/calendar.ts';
import { InputError } from '../../src/core/errors.ts';
import { type PeriodInput, periodWarnings, resolvePeriod } from '../../src/core/periods.ts';
import { dayNumber, instants, numbered } from './second-calendar.ts';

// A Friday, five past two in the afternoon in Amsterdam.
const now = Date.parse('2026-11-20T14:05:11+01:00');

describe('a period word', () => {
  test.each([
    ['today', '2026-11-20', '2026-11-20'],
    ['yesterday', '2026-11-19', '2026-11-19'],
    ['this_week', '2026-11-16', '2026-11-20'],
    ['last_week', '2026-11-09', '2026-11-15'],
    ['this_month', '2026-11-01', '2026-11-20'],
    ['last_month', '2026-10-01', '2026-10-31'],
    ['this_quarter', '2026-10-01', '2026-11-20'],
    ['last_quarter', '2026-07-01', '2026-09-30'],
    ['this_year', '2026-01-01', '2026-11-20'],
    ['last_year', '2025-01-01', '2025-12-31'],
    ['last_7_days', '2026-11-13', '2026-11-19'],
    ['last_1_weeks', '2026-11-09', '2026-11-15'],
    ['last_8_weeks', '2026-09-21', '2026-11-15'],
    ['last_3_months', '2026-08-01', '2026-10-31'],
    ['2026-11-02', '2026-11-02', '2026-11-02'],
    ['2026-11-02..2026-11-08', '2026-11-02', '2026-11-08'],
    ['2026-11-02..yesterday', '2026-11-02', '2026-11-19'],
  ])('%s means %s up to %s', (period, from, to) => {
    const resolved = { from, to, timezone: 'Europe/Amsterdam', given: period };
    expect(resolvePeriod({ period }, now)).toEqual(resolved);
  });

  test.each([
    'last_0_days',
    'this_2_weeks',
    'last_weeks',
    'last_3_quarters',
    'a..b',
    '1..2..3',
    'last_week..today',
    '2026-11-31',
  ])('%s is none, and the refusal says what is', (period) => {
    const asked = () => resolvePeriod({ period }, now);
    expect(asked).toThrow(InputError);
    expect(asked).toThrow(/last_14_days|YYYY-MM-DD/);
  });

  test('gives whole, adjoining and ordered days on any day of 20 years', () => {
    fc.assert(
      fc.property(instants, (ms) => {
        const today = dayNumber(amsterdamDay(ms));
        const range = (period: string) => {
          const { from, to } = resolvePeriod({ period }, ms);
          return [dayNumber(from), dayNumber(to)] as const;
        };
        for (const unit of ['week', 'month', 'quarter', 'year'] as const) {
          const [from, to] = range(`this_${unit}`);
          const [lastFrom, lastTo] = range(`last_${unit}`);
          expect(to).toBe(today);
          expect(lastTo).toBe(from - 1);
          expect(lastFrom).toBeLessThan(lastTo);
        }
        for (const count of [7, 30, 90] as const) {
          expect(range(`last_${count}_days`)).toEqual([today - count, today - 1]);
        }
        expect(numbered(range('last_month')[0]).slice(8)).toBe('01');
      }),
    );
  });
});

describe('from and to', () => {
  test.each<[PeriodInput, string, string, string]>([
    [{ from: '2026-11-01' }, '2026-11-01', '2026-11-01', '2026-11-01'],
    [{ from: '2026-11-01', to: 'yesterday' }, '2026-11-01', '2026-11-19', '2026-11-01..yesterday'],
    [{ from: ' Yesterday ', to: 'TODAY' }, '2026-11-19', '2026-11-20', 'yesterday..today'],
    [
      { from: '2026-11-20', to: '2026-11-30' },
      '2026-11-20',
      '2026-11-30',
      '2026-11-20..2026-11-30',
    ],
  ])('%o stand for the days they name', (input, from, to, given) => {
    expect(resolvePeriod(input, now)).toEqual({ from, to, timezone: 'Europe/Amsterdam', given });
  });

  test.each<[PeriodInput, string]>([
    [{}, 'period is missing. Say which days, for example period: "yesterday" or from: "2026-'],
    [{ to: 'today' }, 'period is missing. Say which days, for example'],
    [{ period: 'today', from: 'today' }, 'Give either period, or from and to.'],
    [{ period: 'today', to: 'today' }, 'period: came with from or to.'],
    [{ from: 'today', to: 'yesterday' }, 'from: 2026-11-20 comes after 2026-11-19. Give the'],
    [{ from: '2026-11-21', to: '2026-11-30' }, '2026-11-21 to 2026-11-30 lies in the future'],
    [{ from: '2026-11-21' }, 'from: 2026-11-21 lies in the future; today is 2026-11-20 in Amster'],
    [{ from: 'last_week' }, 'from: "last_week" is no day of the calendar. Give YYYY-MM-DD, today'],
    [
      { from: '19-11-2026' },
      'for example from: "2026-11-20"; a word such as last_week is a period.',
    ],
    [{ from: '2026-11-01', to: '2026-11-31' }, 'to: "2026-11-31" is no day of the calendar.'],
    [{ period: 'fortnight' }, 'period: "fortnight" is not a period. Give one of today, yesterday,'],
  ])('%j is refused with the remedy', (input, text) => {
    expect(() => resolvePeriod(input, now)).toThrow(InputError);
    expect(() => resolvePeriod(input, now)).toThrow(text);
  });

  test('go by other names where the parameters do', () => {
    const names = { from: 'against_from', to: 'against_to' };
    expect(() => resolvePeriod({ from: '2026-11-02', to: '2026-11-01' }, now, names)).toThrow(
      'against_from: 2026-11-02 comes after 2026-11-01.',
    );
    expect(() => resolvePeriod({}, now, names)).toThrow('for example against_from: "2026-11-20".');
  });
});

describe('a period', () => {
  const open = ['day_not_over', 'Today (2026-11-20) is not over: its figures run up to 14:05'];

  test.each<[string, string[][]]>([
    ['last_month', []],
    ['this_month', [open]],
    ['2026-11-20..2026-11-30', [open, ['in_future', 'future: 2026-11-21 to 2026-11-30']]],
    ['2026-11-20..2026-11-21', [open, ['in_future', 'future: 2026-11-21. Asked']]],
  ])('%s says what is not over', (word, said) => {
    const period = resolvePeriod({ period: word }, now);
    expect(periodWarnings(period, now)).toEqual(
      said.map(([code, text = '']) => ({ code, text: expect.stringContaining(text) })),
    );
  });
});
