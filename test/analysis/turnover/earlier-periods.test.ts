import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DayNote } from '../../../src/analysis/answer.ts';
import {
  chooseEarlier,
  compareValues,
  comparisons,
  earlierPeriods,
  maxUsualDays,
  referencePeriod,
  unusualOn,
} from '../../../src/analysis/turnover/earlier-periods.ts';
import type { BucketSize, Days } from '../../../src/core/calendar.ts';
import { type Decimal, plain, toDecimal, zero } from '../../../src/core/money.ts';
import { periodOf } from '../../../src/core/periods.ts';
import { dayNumber, days, numbered } from '../../core/second-calendar.ts';

const timezone = 'Europe/Amsterdam';

/** The days that `days` (`2026-11-01..2026-11-20`) are held against. */
function reference(
  given: string,
  days: string,
  against: (typeof comparisons)[number],
  size?: BucketSize,
) {
  const [from = '', to = from] = days.split('..');
  const found = referencePeriod({ from, to, timezone, given }, against, size);
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

  test.each([
    ['week', '2026-10-24..2026-10-25', '2026-10-17..2026-10-18'],
    ['week', '2026-11-09..2026-11-10', '2026-11-02..2026-11-03'],
    ['month', '2026-10-25..2026-10-31', '2026-09-25..2026-09-30'],
    ['month', '2026-11-01..2026-11-10', '2026-10-01..2026-10-10'],
  ] as const)('of a %s that its period cuts to %s is %s', (size, cut, expected) => {
    expect(reference('', cut, 'previous_period', size)).toBe(expected);
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
});

/** The comparisons that keep weekdays and length, with their distance in days. */
const weeksBack = new Map<string, number>([
  ['week_earlier', 7],
  ['year_earlier_same_weekdays', 364],
]);

test('every reference period lies before, in order, by whole weeks if by weeks, and says how it was chosen', () => {
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
        const back = weeksBack.get(against);
        if (back !== undefined)
          expect(found).toMatchObject(span(numbered(dayNumber(from) - back), more));
      },
    ),
  );
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
  const { like, others = [] } = earlierPeriods({ ...period, timezone, given }) ?? {};
  return { like, periods: others.map(shorten) };
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
        const period = { from, to, timezone, given: 'last_n_days' } as const;
        const { like, others = [] } = earlierPeriods(period) ?? {};
        if (like?.startsWith('month')) return;
        const weeks = Math.ceil(count / 7);
        const backs = others.map((it) => dayNumber(from) - dayNumber(it.from));
        expect(backs).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((nth) => nth * weeks * 7));
        for (const it of others) expect(dayNumber(it.to) - dayNumber(it.from)).toBe(count - 1);
      }),
    );
  });
});

const day = (text: string) => ({ from: text, to: text });
const decimal = (value: number | string): Decimal => toDecimal(value) ?? zero;

/** The median, the lowest and the highest of earlier figures, and the rank of another, as plain numbers. */
function standing(current: number | null, earlier: readonly number[]) {
  const compared = compareValues(current === null ? null : decimal(current), earlier.map(decimal));
  const { reference, low, high, of, rank } = compared;
  return [...[reference, low, high].map((value) => value && plain(value)), of, rank];
}

describe('compareValues', () => {
  test.each([
    [4, [1, 2, 3], [2, 1, 3, 3, 4]],
    [0, [1, 2, 3], [2, 1, 3, 3, 1]],
    // Equal ones are not lower.
    [2, [1, 2, 2, 3], [2, 1, 3, 4, 2]],
    // Half a cent goes away from zero.
    [1, [10.01, 10.02], [10.02, 10.01, 10.02, 2, 1]],
    [1, [-10.01, -10.02], [-10.02, -10.02, -10.01, 2, 3]],
    [null, [5], [5, 5, 5, 1, null]],
    // Nothing is lower than all.
    [0, [0, 0, 0], [0, 0, 0, 3, null]],
    [0, [0, 0, 1], [0, 0, 1, 3, 1]],
    [1, [], [null, null, null, 0, null]],
    // Of one, as many decimals as it has.
    [2, [1.125], [1.125, 1.125, 1.125, 1, 2]],
  ])('of %j among %j is %j', (current, earlier, expected) => {
    expect(standing(current, earlier)).toEqual(expected);
  });

  test('has as many at or below the median as at or above it, in any order', () => {
    const cents = fc.integer({ min: -1_000_000, max: 1_000_000 });
    const euros = (all: readonly number[]) => all.map((it) => it / 100);
    fc.assert(
      fc.property(cents, fc.array(cents, { minLength: 1, maxLength: 9 }), (now, earlier) => {
        const [median, low, high, of, rank] = standing(now / 100, euros(earlier));
        const sorted = earlier.toSorted((a, b) => a - b);
        const half = sorted.length / 2;
        const middle = ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
        expect(Math.abs(Number(median) * 100 - middle)).toBeLessThanOrEqual(0.5000001);
        expect([low, high]).toEqual([(sorted[0] ?? 0) / 100, (sorted.at(-1) ?? 0) / 100]);
        expect([of, rank]).toEqual([sorted.length, 1 + sorted.filter((it) => it < now).length]);
        expect(standing(now / 100, euros(sorted))[0]).toBe(median);
      }),
    );
  });
});

describe('chooseEarlier', () => {
  const thursdays = ['2026-11-12', '2026-11-05', '2026-10-29', '2026-10-22'];
  const periods = thursdays.map((text) => periodOf(day(text)));
  const choose = (closed: string[], notes: DayNote[] = []) => {
    const hasTrade = ({ from }: { from: string }) => !closed.includes(from);
    const { counted, excluded } = chooseEarlier(periods, hasTrade, notes);
    return {
      kept: counted.map(({ from }) => from),
      out: excluded.map((it) => [it.from, it.reason]),
    };
  };

  test('leaves out what has no trade, and says what came before any', () => {
    expect(choose(['2026-11-05', '2026-10-22'])).toEqual({
      kept: ['2026-11-12', '2026-10-29'],
      out: [
        ['2026-11-05', 'no trade'],
        ['2026-10-22', 'before the first trade that was read'],
      ],
    });
  });

  test('leaves out the first of several days with trade, after some without: it may be cut', () => {
    const weeks = [21, 14, 7, 0].map((days) =>
      periodOf(span(numbered(dayNumber('2026-10-05') + days), 6)),
    );
    const reasons = (firstDay: string) => {
      const hasTrade = ({ to }: Days) => to >= firstDay;
      return chooseEarlier(weeks, hasTrade, []).excluded.map(({ reason }) => reason);
    };
    expect(reasons('2026-10-01')).toEqual([]);
    expect(reasons('2026-10-15')).toEqual([
      'the first with trade, which may have begun within it',
      'before the first trade that was read',
    ]);
  });

  test('leaves out single days that are unusual for all, no others', () => {
    const unusual = { note: 'roadworks', unusual: true } as const;
    const ofShop = { day: '2026-11-05', shop_id: 3, ...unusual };
    const { kept, out } = choose([], [{ day: '2026-11-12', ...unusual }, ofShop]);
    expect(kept).toEqual(['2026-11-05', '2026-10-29', '2026-10-22']);
    expect(out).toEqual([['2026-11-12', 'unusual: roadworks']]);
    expect(unusualOn(day('2026-11-05'), [ofShop], 3)).toBe(ofShop);
    expect(unusualOn(day('2026-11-05'), [ofShop], 4)).toBeUndefined();
    const week = { from: '2026-11-02', to: '2026-11-08' };
    expect(unusualOn(week, [{ day: '2026-11-02', ...unusual }], undefined)).toBeUndefined();
  });
});
