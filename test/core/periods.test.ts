import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amsterdamDay } from '../../src/core/calendar.ts';
import { InputError } from '../../src/core/errors.ts';
import {
  type PeriodInput,
  periodMessages,
  periodWarnings,
  resolvePeriod,
} from '../../src/core/periods.ts';
import { reasonOf } from '../reasons.ts';
import { dayNumber, instants, numbered } from './second-calendar.ts';

const of = (from: string, to: string) => ({ argument: 'from', days: { from, to } });

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
    // On a Friday.
    ['last_thursday', '2026-11-19', '2026-11-19'],
    ['last_friday', '2026-11-13', '2026-11-13'],
    ['last_sunday', '2026-11-15', '2026-11-15'],
    ['last_monday', '2026-11-16', '2026-11-16'],
    ['last_saturday..last_sunday', '2026-11-14', '2026-11-15'],
    ['2026-11-02', '2026-11-02', '2026-11-02'],
    ['2026-11-02..2026-11-08', '2026-11-02', '2026-11-08'],
    ['2026-11-02..yesterday', '2026-11-02', '2026-11-19'],
    // As answers name their buckets.
    ['2026-10', '2026-10-01', '2026-10-31'],
    ['2026-11', '2026-11-01', '2026-11-30'],
    ['2026-W44', '2026-10-26', '2026-11-01'],
    ['2020-W53', '2020-12-28', '2021-01-03'],
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
    '2026-13',
    '2025-W53',
  ])('%s is none, and the refusal says what is', (period) => {
    const asked = () => resolvePeriod({ period }, now);
    expect(asked).toThrow(InputError);
    const code = period === '2026-11-31' ? 'not_a_day' : 'not_a_period';
    expect(asked).toThrow(reasonOf({ code, given: period }));
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
    [{ period: '9-11-2026' }, '2026-11-09', '2026-11-09', '2026-11-09'],
    [{ period: '01-11-2026..today' }, '2026-11-01', '2026-11-20', '2026-11-01..today'],
    [{ from: 'last_monday', to: 'Today' }, '2026-11-16', '2026-11-20', 'last_monday..today'],
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

  test.each<[PeriodInput, Parameters<typeof reasonOf>[0]]>([
    [{}, { code: 'days_missing', argument: 'period', firstDay: 'from', today: '2026-11-20' }],
    [{ to: 'today' }, { code: 'days_missing', argument: 'period' }],
    [
      { period: 'today', from: 'today' },
      { code: 'period_and_days', argument: 'period' },
    ],
    [
      { period: 'today', to: 'today' },
      { code: 'period_and_days', argument: 'period' },
    ],
    [
      { from: 'today', to: 'yesterday' },
      { code: 'days_reversed', ...of('2026-11-20', '2026-11-19') },
    ],
    [
      { from: '2026-11-21', to: '2026-11-30' },
      { code: 'days_in_future', ...of('2026-11-21', '2026-11-30'), today: '2026-11-20' },
    ],
    [
      { from: '2026-11-21' },
      { code: 'days_in_future', ...of('2026-11-21', '2026-11-21'), today: '2026-11-20' },
    ],
    [{ period: '2026-12' }, { code: 'days_in_future', argument: 'period' }],
    [{ from: 'last_week' }, { code: 'not_a_day', argument: 'from', given: 'last_week' }],
    [{ from: '31-11-2026' }, { code: 'not_a_day', argument: 'from', given: '31-11-2026' }],
    [{ from: '11/19/2026' }, { code: 'not_a_day', argument: 'from', given: '11/19/2026' }],
    [
      { from: '2026-11-01', to: '2026-11-31' },
      { code: 'not_a_day', argument: 'to', given: '2026-11-31', today: '2026-11-20' },
    ],
    [{ period: 'fortnight' }, { code: 'not_a_period', given: 'fortnight', nearest: undefined }],
    [{ period: 'last_moth' }, { code: 'not_a_period', given: 'last_moth', nearest: 'last_month' }],
    [{ period: 'last_munday' }, { code: 'not_a_period', nearest: 'last_monday' }],
  ])('%j is refused, and the reason says why', (input, reason) => {
    expect(() => resolvePeriod(input, now)).toThrow(InputError);
    expect(() => resolvePeriod(input, now)).toThrow(reasonOf(reason));
  });

  test('go by other names where the parameters do', () => {
    const names = { from: 'against_from', to: 'against_to' };
    expect(() => resolvePeriod({ from: '2026-11-02', to: '2026-11-01' }, now, names)).toThrow(
      reasonOf({ code: 'days_reversed', argument: 'against_from' }),
    );
    expect(() => resolvePeriod({}, now, names)).toThrow(
      reasonOf({ code: 'days_missing', argument: 'against_from', firstDay: 'against_from' }),
    );
  });
});

describe('a period', () => {
  const openDay = (isBesideWholeDays: boolean | undefined) =>
    periodMessages.day_not_over({ today: '2026-11-20', time: '14:05', isBesideWholeDays });
  const open = openDay(undefined);
  const future = (from: string, to: string) => periodMessages.in_future({ days: { from, to } });

  test.each([
    ['last_month', []],
    ['this_month', [open]],
    ['2026-11-20..2026-11-30', [open, future('2026-11-21', '2026-11-30')]],
    ['2026-11-20..2026-11-21', [open, future('2026-11-21', '2026-11-21')]],
  ])('%s says what is not over', (word, warnings) => {
    const period = resolvePeriod({ period: word }, now);
    expect(periodWarnings(period, now)).toEqual(warnings);
  });

  test('that is not over beside whole days says so', () => {
    const today = { from: '2026-11-20', to: '2026-11-20' };
    const yesterday = { from: '2026-11-19', to: '2026-11-19' };
    expect(periodWarnings(today, now, yesterday)).toEqual([openDay(true)]);
    expect(periodWarnings(today, now, today)).toEqual([openDay(false)]);
  });
});
