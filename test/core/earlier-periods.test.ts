import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { earlierPeriods, earlierWeekdays, maxUsualDays } from '../../src/core/periods.ts';
import { dayNumber, days, numbered } from './second-calendar.ts';

/** The earlier periods of `2026-11-01..2026-11-20`, as texts, with what they are called. */
function earlier(text: string, given = text) {
  const [from = '', to = from] = text.split('..');
  const found = earlierPeriods({ from, to, timezone: 'Europe/Amsterdam', given });
  const said = found?.periods.map((it) => (it.from === it.to ? it.from : `${it.from}..${it.to}`));
  return { like: found?.like, said: said ?? [] };
}

describe('earlierPeriods', () => {
  test.each([
    ['2026-11-19', undefined, 'Thursdays', '2026-11-12', '2026-09-24'],
    // Both days on which the clock changes.
    ['2026-10-25', undefined, 'Sundays', '2026-10-18', '2026-08-30'],
    ['2026-03-29', undefined, 'Sundays', '2026-03-22', '2026-02-01'],
    ['2026-11-01', 'yesterday', 'Sundays', '2026-10-25', '2026-09-06'],
    ['2026-11-01', undefined, 'Sundays', '2026-10-25', '2026-09-06'],
    [
      '2026-11-09..2026-11-15',
      'last_week',
      'weeks',
      '2026-11-02..2026-11-08',
      '2026-09-14..2026-09-20',
    ],
    [
      '2026-06-01..2026-06-07',
      'last_week',
      'weeks',
      '2026-05-25..2026-05-31',
      '2026-04-06..2026-04-12',
    ],
    [
      '2026-06-01..2026-06-07',
      undefined,
      'weeks',
      '2026-05-25..2026-05-31',
      '2026-04-06..2026-04-12',
    ],
    [
      '2026-06-01..2026-06-02',
      'this_week',
      'stretches of 2 days from Monday',
      '2026-05-25..2026-05-26',
      '2026-04-06..2026-04-07',
    ],
    [
      '2026-07-01..2026-07-05',
      '2026-W27',
      'stretches of 5 days from Wednesday',
      '2026-06-24..2026-06-28',
      '2026-05-06..2026-05-10',
    ],
    [
      '2026-11-12..2026-11-18',
      'last_7_days',
      'weeks from Thursday',
      '2026-11-05..2026-11-11',
      '2026-09-17..2026-09-23',
    ],
    [
      '2026-11-02..2026-11-15',
      'last_2_weeks',
      'fortnights',
      '2026-10-19..2026-11-01',
      '2026-07-13..2026-07-26',
    ],
    [
      '2026-11-06..2026-11-15',
      undefined,
      'stretches of 10 days from Friday',
      '2026-10-23..2026-11-01',
      '2026-07-17..2026-07-26',
    ],
    [
      '2026-10-20..2026-11-19',
      undefined,
      'stretches of 31 days from Tuesday',
      '2026-09-15..2026-10-15',
      '2026-01-13..2026-02-12',
    ],
    // Four weeks, and a month.
    [
      '2027-02-01..2027-02-28',
      'last_month',
      'months',
      '2027-01-01..2027-01-31',
      '2026-08-01..2026-08-31',
    ],
    [
      '2026-10-01..2026-10-31',
      'last_month',
      'months',
      '2026-09-01..2026-09-30',
      '2026-04-01..2026-04-30',
    ],
    [
      '2026-11-01..2026-11-23',
      'this_month',
      'months up to day 23',
      '2026-10-01..2026-10-23',
      '2026-05-01..2026-05-23',
    ],
    [
      '2026-11-01..2026-11-23',
      undefined,
      'months up to day 23',
      '2026-10-01..2026-10-23',
      '2026-05-01..2026-05-23',
    ],
    ['2026-11-01', 'this_month', 'months up to day 1', '2026-10-01', '2026-05-01'],
    // February lacks days.
    [
      '2026-08-01..2026-08-30',
      'this_month',
      'months up to day 30',
      '2026-07-01..2026-07-30',
      '2026-02-01..2026-02-28',
    ],
    [
      '2026-07-01..2026-09-30',
      'last_quarter',
      'quarters',
      '2026-04-01..2026-06-30',
      '2025-01-01..2025-03-31',
    ],
    [
      '2026-10-01..2026-11-20',
      'this_quarter',
      'quarters up to day 51',
      '2026-07-01..2026-08-20',
      '2025-04-01..2025-05-20',
    ],
    [
      '2026-10-01..2026-10-20',
      'this_quarter',
      'quarters up to day 20',
      '2026-07-01..2026-07-20',
      '2025-04-01..2025-04-20',
    ],
    [
      '2026-10-01..2026-10-20',
      'this_month',
      'months up to day 20',
      '2026-09-01..2026-09-20',
      '2026-04-01..2026-04-20',
    ],
  ])('of %s as %s are %s, from %s back to %s', (text, given, like, first, last) => {
    const found = earlier(text, given);
    expect(found.like).toBe(like);
    expect([found.said.at(0), found.said.at(-1)]).toEqual([first, last]);
    expect(found.said).toHaveLength(/month|quarter/.test(like) ? 6 : 8);
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
