import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import {
  atWallClock,
  dayOf,
  dayStart,
  formatDay,
  formatMoment,
  monthsBefore,
  parseDay,
  weekday,
} from '../../../../src/sandbox/world/business/calendar.ts';
import { runs } from '../../../property-runs.ts';

const zone = 'Europe/Amsterdam';
const moments = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2040, 0) });

describe('the sandbox calendar', () => {
  test('agrees with luxon about the day and the offset of any moment', () => {
    fc.assert(
      fc.property(moments, (ms) => {
        const theirs = DateTime.fromMillis(ms, { zone });
        expect(formatDay(dayOf(ms))).toBe(theirs.toISODate());
        expect(formatMoment(ms)).toBe(
          theirs.startOf('second').toISO({ suppressMilliseconds: true }),
        );
        expect(weekday(dayOf(ms))).toBe(theirs.weekday);
      }),
      { numRuns: runs(500) },
    );
  });

  test('agrees with luxon about where every day of ten years begins', () => {
    for (let day = day0('2020-01-01'); day < day0('2030-01-01'); day += 1) {
      expect(dayStart(day)).toBe(DateTime.fromISO(formatDay(day), { zone }).toMillis());
    }
  });

  test.each([
    ['2026-03-29', 23],
    ['2026-10-25', 25],
    ['2026-06-01', 24],
  ])('gives %s %i hours', (date, hours) => {
    expect((dayStart(day0(date) + 1) - dayStart(day0(date))) / 3_600_000).toBe(hours);
  });

  test.each([
    ['2026-03-29', 9, false, '2026-03-29T09:00:00+02:00'],
    ['2026-03-29', 2, false, '2026-03-29T03:00:00+02:00'],
    ['2026-03-29', 2, true, '2026-03-29T03:00:00+02:00'],
    ['2026-10-25', 2, false, '2026-10-25T02:00:00+02:00'],
    ['2026-10-25', 2, true, '2026-10-25T02:00:00+01:00'],
    ['2026-10-25', 9, false, '2026-10-25T09:00:00+01:00'],
    ['2026-07-01', 23, true, '2026-07-01T23:00:00+02:00'],
  ])('reads %s %i:00 (repeated: %s) as %s', (date, hour, repeated, expected) => {
    expect(formatMoment(atWallClock(day0(date), hour * 3600, repeated))).toBe(expected);
  });

  test.each(['2026-02-30', '2026-13-01', '2026-1-1', 'yesterday', '', '20260101', '2026-01-01T00'])(
    'refuses %j as a day',
    (text) => {
      expect(parseDay(text)).toBeUndefined();
    },
  );

  test('counts months back to the first of a month', () => {
    expect(formatDay(monthsBefore(day0('2026-11-20'), 25))).toBe('2024-10-01');
  });
});

function day0(date: string): number {
  const day = parseDay(date);
  if (day === undefined) throw new Error(`${date} is not a day`);
  return day;
}
