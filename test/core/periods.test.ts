import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amsterdamDay, type Days } from '../../src/core/calendar.ts';
import { InputError } from '../../src/core/errors.ts';
import {
  earlierPeriods,
  earlierWeekdays,
  maxUsualDays,
  type PeriodInput,
  periodWarnings,
  resolvePeriod,
} from '../../src/core/periods.ts';
import { reasonOf } from '../reasons.ts';
import { dayNumber, days, instants, numbered } from './second-calendar.ts';

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
    const code = period === '2026-11-31' ? 'not_a_day' : 'not_a_period';
    expect(asked).toThrow(reasonOf({ code, text: period }));
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
    [{ from: 'last_week' }, { code: 'not_a_day', argument: 'from', text: 'last_week' }],
    [{ from: '19-11-2026' }, { code: 'not_a_day', argument: 'from', text: '19-11-2026' }],
    [
      { from: '2026-11-01', to: '2026-11-31' },
      { code: 'not_a_day', argument: 'to', text: '2026-11-31', today: '2026-11-20' },
    ],
    [{ period: 'fortnight' }, { code: 'not_a_period', text: 'fortnight', nearest: undefined }],
    [{ period: 'last_moth' }, { code: 'not_a_period', text: 'last_moth', nearest: 'last_month' }],
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
  const open = { code: 'day_not_over', today: '2026-11-20', time: '14:05' };
  const future = (from: string, to: string) => ({ code: 'in_future', days: { from, to } });

  test.each([
    ['last_month', []],
    ['this_month', [open]],
    ['2026-11-20..2026-11-30', [open, future('2026-11-21', '2026-11-30')]],
    ['2026-11-20..2026-11-21', [open, future('2026-11-21', '2026-11-21')]],
  ])('%s says what is not over', (word, warnings) => {
    const period = resolvePeriod({ period: word }, now);
    expect(periodWarnings(period, now)).toEqual(warnings);
  });
});

/** Such as `2026-11-09..15 last_week: weeks, 2026-11-02..08 to 2026-09-14..20`. */
const rowForm = /^(\S+?)(?: (\w[\w-]*))?: (.+), (\S+) to (\S+)$/;

/** Writes of the last day what differs from the first: `2026-11-01..20`, `2026-10-20..11-19`. */
function shorten({ from, to }: Days): string {
  const at = from.slice(0, 8) === to.slice(0, 8) ? 8 : from.slice(0, 5) === to.slice(0, 5) ? 5 : 0;
  return from === to ? from : `${from}..${to.slice(at)}`;
}

/** The earlier periods of one that is written so, with what they are called. */
function earlier(text: string, given = text) {
  const [from = '', end = from] = text.split('..');
  const period = { from, to: from.slice(0, -end.length) + end };
  const found = earlierPeriods({ ...period, timezone: 'Europe/Amsterdam', given });
  return { like: found?.like, periods: found?.periods.map(shorten) ?? [] };
}

describe('earlierPeriods', () => {
  test.each([
    '2026-11-19: Thursdays, 2026-11-12 to 2026-09-24',
    // Both days on which the clock changes.
    '2026-10-25: Sundays, 2026-10-18 to 2026-08-30',
    '2026-03-29: Sundays, 2026-03-22 to 2026-02-01',
    '2026-11-01 yesterday: Sundays, 2026-10-25 to 2026-09-06',
    '2026-11-01: Sundays, 2026-10-25 to 2026-09-06',
    '2026-11-09..15 last_week: weeks, 2026-11-02..08 to 2026-09-14..20',
    '2026-06-01..07 last_week: weeks, 2026-05-25..31 to 2026-04-06..12',
    '2026-06-01..07: weeks, 2026-05-25..31 to 2026-04-06..12',
    '2026-06-01..02 this_week: stretches of 2 days from Monday, 2026-05-25..26 to 2026-04-06..07',
    '2026-07-01..05 2026-W27: stretches of 5 days from Wednesday, 2026-06-24..28 to 2026-05-06..10',
    '2026-11-12..18 last_7_days: weeks from Thursday, 2026-11-05..11 to 2026-09-17..23',
    '2026-11-02..15 last_2_weeks: fortnights, 2026-10-19..11-01 to 2026-07-13..26',
    '2026-11-06..15: stretches of 10 days from Friday, 2026-10-23..11-01 to 2026-07-17..26',
    '2026-10-20..11-19: stretches of 31 days from Tuesday, 2026-09-15..10-15 to 2026-01-13..02-12',
    // Four weeks, and a month.
    '2027-02-01..28 last_month: months, 2027-01-01..31 to 2026-08-01..31',
    '2026-10-01..31 last_month: months, 2026-09-01..30 to 2026-04-01..30',
    '2026-11-01..23 this_month: months up to day 23, 2026-10-01..23 to 2026-05-01..23',
    '2026-11-01..23: months up to day 23, 2026-10-01..23 to 2026-05-01..23',
    '2026-11-01 this_month: months up to day 1, 2026-10-01 to 2026-05-01',
    // February lacks days.
    '2026-08-01..30 this_month: months up to day 30, 2026-07-01..30 to 2026-02-01..28',
    '2026-07-01..09-30 last_quarter: quarters, 2026-04-01..06-30 to 2025-01-01..03-31',
    '2026-10-01..11-20 this_quarter: quarters up to day 51, 2026-07-01..08-20 to 2025-04-01..05-20',
    '2026-10-01..20 this_quarter: quarters up to day 20, 2026-07-01..20 to 2025-04-01..20',
    '2026-10-01..20 this_month: months up to day 20, 2026-09-01..20 to 2026-04-01..20',
  ])('of %s', (row) => {
    const [, text = '', given, like = '', first, last] = rowForm.exec(row) ?? [];
    const found = earlier(text, given);
    expect(found.like).toBe(like);
    expect([found.periods.at(0), found.periods.at(-1)]).toEqual([first, last]);
    expect(found.periods).toHaveLength(/month|quarter/.test(like) ? 6 : 8);
  });

  test.each(['2026-10-02..2026-11-02', '2026-01-01..2026-11-22', '2026-09-01..2026-10-31'])(
    'of %s are none: it is longer than a month and no quarter',
    (text) => expect(earlier(text).like).toBeUndefined(),
  );

  test('of days that are no month keep weekdays and length, and neither overlap nor leave a week out', () => {
    const length = fc.integer({ min: 1, max: maxUsualDays });
    fc.assert(
      fc.property(days, length, (from, count) => {
        const to = numbered(dayNumber(from) + count - 1);
        const period = { from, to, timezone: 'Europe/Amsterdam', given: 'last_n_days' } as const;
        const { like = '', periods = [] } = earlierPeriods(period) ?? {};
        if (/month|quarter/.test(like)) return;
        const weeks = Math.ceil(count / 7);
        const backs = periods.map((it) => dayNumber(from) - dayNumber(it.from));
        expect(backs).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((nth) => nth * weeks * 7));
        for (const it of periods) expect(dayNumber(it.to) - dayNumber(it.from)).toBe(count - 1);
      }),
    );
  });
});

test('earlierWeekdays are the eight of the 56 days before the first', () => {
  fc.assert(
    fc.property(days, fc.integer({ min: 0, max: 30 }), (first, more) => {
      const day = numbered(dayNumber(first) + more);
      const { periods } = earlierWeekdays(day, first);
      const before = Array.from({ length: 56 }, (_, nth) => dayNumber(first) - 1 - nth);
      const same = before.filter((it) => (dayNumber(day) - it) % 7 === 0);
      expect(periods).toEqual(same.map((it) => ({ from: numbered(it), to: numbered(it) })));
    }),
  );
});
