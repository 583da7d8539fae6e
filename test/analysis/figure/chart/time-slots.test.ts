import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timeSlots } from '../../../../src/analysis/figure/chart/time-slots.ts';
import { addDays, isoWeekOf } from '../../../../src/core/calendar.ts';

describe('timeSlots', () => {
  test.each([
    ['day', ['2026-11-02', '2026-11-05'], ['2026-11-02', '2026-11-05']],
    [
      'day',
      ['2026-11-02', '2026-11-03', '2026-11-05'],
      ['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05'],
    ],
    [
      'day',
      ['2026-03-28', '2026-03-29', '2026-03-31'],
      ['2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31'],
    ],
    [
      'day',
      ['2026-11-02', '2026-11-09', '2026-11-23'],
      ['2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23'],
    ],
    [
      'day',
      ['2026-01-01', '2026-02-01', '2026-04-01'],
      ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'],
    ],
    ['month', ['2025-11', '2025-12', '2026-02'], ['2025-11', '2025-12', '2026-01', '2026-02']],
    [
      'week',
      ['2026-W52', '2026-W53', '2027-W02'],
      ['2026-W52', '2026-W53', '2027-W01', '2027-W02'],
    ],
    ['name', ['b', 'a'], ['b', 'a']],
    ['day', ['2026-11-05', '2026-11-02', '2026-11-03'], ['2026-11-05', '2026-11-02', '2026-11-03']],
    ['day', ['2020-01-01', '2020-01-02', '2026-01-01'], ['2020-01-01', '2020-01-02', '2026-01-01']],
    ['day', ['2026-11-02'], ['2026-11-02']],
  ] as const)('of %s %j are %j', (type, labels, slots) => {
    expect(timeSlots(type, labels)).toEqual(slots);
  });

  test.each(['day', 'week'] as const)('keep every %s, in order, at one step', (type) => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(700), { minLength: 1, maxLength: 40 }), (offsets) => {
        const days = offsets.sort((a, b) => a - b).map((offset) => addDays('2024-12-28', offset));
        const labels = [...new Set(type === 'day' ? days : days.map(isoWeekOf))];
        const slots = timeSlots(type, labels);
        expect(slots.filter((slot) => labels.includes(slot))).toEqual(labels);
        expect([...slots].sort()).toEqual(slots);
        expect(slots.at(0)).toBe(labels.at(0));
        expect(slots.at(-1)).toBe(labels.at(-1));
      }),
    );
  });
});
