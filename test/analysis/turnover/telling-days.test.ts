import { describe, expect, test } from 'vitest';
import { dayParts, holidayWarnings } from '../../../src/analysis/turnover/telling-days.ts';
import { addDays } from '../../../src/core/calendar.ts';
import { periodOf } from '../../../src/core/periods.ts';

const year = (number: number) => ({ from: `${number}-01-01`, to: `${number}-12-31` });
const monday = (day: string) => ({ from: day, to: day });

test('years have the same holidays, though Easter moves', () => {
  const period = periodOf(year(2026));
  expect(holidayWarnings([{ period, reference: periodOf(year(2025)), counted: [] }])).toEqual([]);
});

test('a holiday that one of several earlier days has as well is on one side', () => {
  const period = periodOf(monday('2026-04-06'));
  const counted = ['2026-03-30', '2026-03-23', '2025-04-21'].map(monday);
  expect(holidayWarnings([{ period, counted }])).toMatchObject([
    { period: [{ day: '2026-04-06', name: 'Easter Monday' }], reference: [] },
  ]);
  expect(holidayWarnings([{ period, counted: counted.slice(2) }])).toEqual([]);
  expect(holidayWarnings([{ period, counted: [] }])).toEqual([]);
});

test('the buckets of a trend are warned of once', () => {
  const days = ['2026-05-04', '2026-05-05', '2026-05-06'];
  const spans = days.map((day) => ({
    period: periodOf(monday(day)),
    reference: periodOf(monday(addDays(day, -7))),
    counted: [],
  }));
  expect(holidayWarnings(spans)).toMatchObject([
    { period: [{ name: 'Liberation Day' }], reference: [{ name: "King's Day" }] },
  ]);
});

describe('dayParts', () => {
  const days = ['2026-11-16', '2026-11-17', '2026-11-09', '2026-11-10'];
  const reports = days.map((day, at) => ({
    day,
    payload: { revenue: { total_turnover_wt: at } },
  }));
  const week = { from: '2026-11-16', to: '2026-11-17' };

  test('stand beside the same days of each other period', () => {
    const parts = dayParts([week, { from: '2026-11-09', to: '2026-11-10' }], reports, undefined);
    expect(parts.map(({ part, values }) => [part, ...values.map(Number)])).toEqual([
      ['Mon 2026-11-16', 0, 2],
      ['Tue 2026-11-17', 1, 3],
    ]);
  });

  test.each([
    ['other weekdays', { from: '2026-11-10', to: '2026-11-11' }],
    ['days that were not read', { from: '2026-11-02', to: '2026-11-03' }],
  ])('are none beside %s', (_, other) => {
    expect(dayParts([week, other], reports, undefined)).toEqual([]);
  });
});
