import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DayNote } from '../../../src/analysis/answer.ts';
import { dayNotesIn } from '../../../src/analysis/turnover/describe.ts';
import {
  chooseEarlier,
  middlePeriod,
  standingOf,
  unusualOn,
} from '../../../src/analysis/turnover/usual.ts';
import { type Decimal, plain, toDecimal, zero } from '../../../src/core/money.ts';

const decimal = (value: number | string): Decimal => toDecimal(value) ?? zero;
const day = (text: string) => ({ from: text, to: text });

/** The standing of a figure among earlier ones, as plain numbers. */
function standing(current: number | null, earlier: readonly number[]) {
  const found = standingOf(current === null ? null : decimal(current), earlier.map(decimal));
  return found && [...[found.median, found.low, found.high].map(plain), found.count, found.rank];
}

describe('standingOf', () => {
  test.each([
    [4, [1, 2, 3], [2, 1, 3, 3, 4]],
    [0, [1, 2, 3], [2, 1, 3, 3, 1]],
    // Equal ones are not lower.
    [2, [1, 2, 2, 3], [2, 1, 3, 4, 2]],
    // Half a cent goes away from zero.
    [1, [10.01, 10.02], [10.02, 10.01, 10.02, 2, 1]],
    [1, [-10.01, -10.02], [-10.02, -10.02, -10.01, 2, 3]],
    [null, [5], [5, 5, 5, 1, null]],
    [1, [], undefined],
  ])('of %j among %j is %j', (current, earlier, expected) => {
    expect(standing(current, earlier)).toEqual(expected);
  });

  test('has as many at or below the median as at or above it, in any order', () => {
    const cents = fc.integer({ min: -1_000_000, max: 1_000_000 });
    const euros = (all: readonly number[]) => all.map((it) => it / 100);
    fc.assert(
      fc.property(cents, fc.array(cents, { minLength: 1, maxLength: 9 }), (now, earlier) => {
        const [median, low, high, of, rank] = standing(now / 100, euros(earlier)) ?? [];
        const sorted = earlier.toSorted((a, b) => a - b);
        const half = sorted.length / 2;
        const middle = ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
        expect(Math.abs(Number(median) * 100 - middle)).toBeLessThanOrEqual(0.5000001);
        expect([low, high]).toEqual([(sorted[0] ?? 0) / 100, (sorted.at(-1) ?? 0) / 100]);
        expect([of, rank]).toEqual([sorted.length, 1 + sorted.filter((it) => it < now).length]);
        expect(standing(now / 100, euros(sorted))?.[0]).toBe(median);
      }),
    );
  });
});

test.each([
  [[1, 9, 3, 4], 'c'],
  [[4, 9, 3, 1], 'a'],
  [[5, 1, 3], 'c'],
  // All that have the figure in the middle, the latest of them.
  [[3, 3, 1, 9], 'a'],
])('the period in the middle of %j is the later one', (values, expected) => {
  const periods = values.map((value, nth) => {
    const name = 'abcd'[nth];
    return { days: day(`2026-11-0${9 - nth}`), value: decimal(value), name };
  });
  expect(middlePeriod(periods)?.name).toBe(expected);
});

describe('chooseEarlier', () => {
  const periods = ['2026-11-12', '2026-11-05', '2026-10-29', '2026-10-22'].map(day);
  const choose = (closed: string[], notes: DayNote[] = [], firstDay?: string) => {
    const hasTrade = ({ from }: { from: string }) => !closed.includes(from);
    const { counted, excluded } = chooseEarlier(periods, { hasTrade, notes, firstDay });
    return {
      kept: counted.map(({ from }) => from),
      out: excluded.map((it) => [it.from, it.reason]),
    };
  };

  test('leaves out what has no trade, and says what came before any', () => {
    expect(choose(['2026-11-05', '2026-10-22'])).toEqual({
      kept: ['2026-11-12', '2026-10-29'],
      out: [
        ['2026-11-05', { code: 'no_trade' }],
        ['2026-10-22', { code: 'before_first_trade' }],
      ],
    });
  });

  test('leaves out what begins before the first day with orders', () => {
    const { kept, out } = choose([], [], '2026-10-30');
    expect(kept).toEqual(['2026-11-12', '2026-11-05']);
    expect(out[0]).toEqual(['2026-10-29', { code: 'before_first_day', firstDay: '2026-10-30' }]);
  });

  test('leaves out single days that are unusual for all, no others', () => {
    const unusual = { note: 'roadworks', unusual: true } as const;
    const ofShop = { day: '2026-11-05', shop_id: 3, ...unusual };
    const { kept, out } = choose([], [{ day: '2026-11-12', ...unusual }, ofShop]);
    expect(kept).toEqual(['2026-11-05', '2026-10-29', '2026-10-22']);
    expect(out).toEqual([['2026-11-12', { code: 'unusual_day', note: 'roadworks' }]]);
    expect(unusualOn(day('2026-11-05'), [ofShop], 3)).toBe(ofShop);
    expect(unusualOn(day('2026-11-05'), [ofShop], 4)).toBeUndefined();
    const week = { from: '2026-11-02', to: '2026-11-08' };
    expect(unusualOn(week, [{ day: '2026-11-02', ...unusual }], undefined)).toBeUndefined();
  });
});

test('notes are those of the days that were read, the latest first', () => {
  const notes = ['2026-11-01', '2026-11-05', '2026-11-12'].map((it) => ({ day: it, note: it }));
  const periods = [day('2026-11-12'), { from: '2026-11-01', to: '2026-11-02' }];
  const { latest, count } = dayNotesIn(notes, periods);
  expect(latest.map((it) => it.day)).toEqual(['2026-11-12', '2026-11-01']);
  expect(count).toBe(2);
});

test('of ten thousand long notes on one day an answer has fifty, cut short', () => {
  const notes = Array.from({ length: 10_000 }, () => ({
    day: '2026-11-01',
    note: 'n'.repeat(5000),
  }));
  const { latest, count } = dayNotesIn(notes, [day('2026-11-01')]);
  expect(count).toBe(10_000);
  expect(JSON.stringify(latest).length).toBeLessThan(20_000);
  expect(latest[0]?.note).toBe(`${'n'.repeat(200)}…`);
});
