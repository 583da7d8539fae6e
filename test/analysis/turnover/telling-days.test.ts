import { expect, test } from 'vitest';
import { holidayWarnings } from '../../../src/analysis/turnover/telling-days.ts';
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
