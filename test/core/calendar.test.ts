import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  addDays,
  amsterdamClock,
  amsterdamDay,
  amsterdamIso,
  bucketSizes,
  buckets,
  cutBuckets,
  endOf,
  hourlyClock,
  isDay,
  lengthOf,
  readTimestamp,
  startOf,
} from '../../src/core/calendar.ts';
import { runs } from '../property-runs.ts';
import { dayNumber, days, instants, intlClock, numbered } from './second-calendar.ts';

describe('amsterdamIso', () => {
  test.each([
    ['2026-10-25T00:30:00Z', '2026-10-25T02:30:00+02:00'],
    ['2026-10-25T01:30:00Z', '2026-10-25T02:30:00+01:00'],
  ])('writes %s as %s', (instant, iso) => {
    expect(amsterdamIso(Date.parse(instant))).toBe(iso);
  });

  test('names the same second and the clock that Intl shows', () => {
    fc.assert(
      fc.property(instants, (ms) => {
        const iso = amsterdamIso(ms);
        expect(Date.parse(iso)).toBe(Math.floor(ms / 1000) * 1000);
        expect(iso.slice(0, 19)).toBe(intlClock(ms));
      }),
    );
  });
});

describe('amsterdamClock', () => {
  test.each([
    ['2026-10-24T23:59:59Z', '2026-10-25T01:59:59'],
    ['2026-10-25T00:00:00Z', '2026-10-25T02:00:00+02:00'],
    ['2026-10-25T01:59:59Z', '2026-10-25T02:59:59+01:00'],
    ['2026-10-25T02:00:00Z', '2026-10-25T03:00:00'],
    ['2026-03-29T00:59:59Z', '2026-03-29T01:59:59'],
    ['2026-03-29T01:00:00Z', '2026-03-29T03:00:00'],
  ])('shows %s as %s: with its offset where the clock shows the same twice', (text, clock) => {
    expect(amsterdamClock(text)).toBe(clock);
    expect(hourlyClock()(text)).toBe(clock);
  });

  test('shows many moments as it shows each alone', () => {
    const clockOf = hourlyClock();
    const zones = fc.constantFrom('Z', '.125Z', '+02:00', '-05:00', '+05:30', '+0100', '');
    fc.assert(
      fc.property(instants, zones, (ms, zone) => {
        const text = `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}${zone}`;
        expect(clockOf(text)).toBe(amsterdamClock(text));
      }),
    );
  });
});

/** The instant at which a day begins in Amsterdam. */
function startOfDayMs(day: string): number {
  return readTimestamp(day)?.ms ?? expect.unreachable(day);
}

test('a day begins at its first instant', () => {
  fc.assert(
    fc.property(days, (day) => {
      expect(amsterdamDay(startOfDayMs(day))).toBe(day);
      expect(amsterdamDay(startOfDayMs(day) - 1)).toBe(addDays(day, -1));
    }),
  );
});

describe('isDay', () => {
  test.each([
    ['2026-11-19', true],
    ['2028-02-29', true],
    ['2026-02-29', false],
    ['2026-13-01', false],
    ['2026-1-1', false],
    ['20261119', false],
    ['2026-11-19T10:00', false],
    ['2026-11-19\n', false],
    ['today', false],
    ['', false],
  ])('says of %j %s', (text, verdict) => {
    expect(isDay(text)).toBe(verdict);
  });
});

describe('day arithmetic', () => {
  test('agrees with counting days from 1970', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: -800, max: 800 }), (day, count) => {
        const other = addDays(day, count);
        expect(other).toBe(numbered(dayNumber(day) + count));
        if (count >= 0) expect(lengthOf({ from: day, to: other })).toBe(count + 1);
      }),
    );
  });
});

describe('calendar units', () => {
  test.each([
    ['week', '2027-01-01', '2026-12-28', '2027-01-03'],
    ['month', '2028-02-29', '2028-02-01', '2028-02-29'],
    ['quarter', '2026-11-20', '2026-10-01', '2026-12-31'],
    ['year', '2026-11-20', '2026-01-01', '2026-12-31'],
  ] as const)('bound the %s of %s by %s and %s', (unit, day, from, to) => {
    expect([startOf(unit, day), endOf(unit, day)]).toEqual([from, to]);
  });
});

describe('the zone of the machine', () => {
  afterEach(() => vi.unstubAllEnvs());

  test.each(['UTC', 'America/Los_Angeles', 'Asia/Tokyo', 'Pacific/Kiritimati', 'Europe/Amsterdam'])(
    'does not move a day: %s',
    (zone) => {
      vi.stubEnv('TZ', zone);
      expect(Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(zone);
      fc.assert(
        fc.property(instants, (ms) => {
          const day = amsterdamDay(ms);
          expect(day).toBe(intlClock(ms).slice(0, 10));
          expect(startOfDayMs(day)).toBeLessThanOrEqual(ms);
          expect(startOf('month', day)).toBe(`${day.slice(0, 7)}-01`);
          expect(addDays(day, 1)).toBe(numbered(dayNumber(day) + 1));
        }),
        { numRuns: runs(50) },
      );
    },
  );
});

describe('buckets', () => {
  test.each([
    ['day', '2026-10-24', '2026-10-26', ['2026-10-24 1', '2026-10-25 1', '2026-10-26 1']],
    ['week', '2026-11-11', '2026-11-20', ['2026-W46 5', '2026-W47 5']],
    ['week', '2026-12-28', '2027-01-04', ['2026-W53 7', '2027-W01 1']],
    ['month', '2026-01-31', '2026-03-01', ['2026-01 1', '2026-02 28', '2026-03 1']],
    ['month', '2026-11-20', '2026-11-20', ['2026-11 1']],
  ] as const)('cuts by %s from %s to %s', (size, from, to, pieces) => {
    const found = buckets({ from, to }, size).map((piece) => `${piece.bucket} ${lengthOf(piece)}`);
    expect(found).toEqual(pieces);
  });

  test('goes no further than it is told', () => {
    const days = { from: '1000-01-01', to: '2026-11-20' };
    expect(buckets(days, 'day', 3)).toHaveLength(4);
    expect(cutBuckets(days, 'week').map(({ bucket }) => bucket)).toEqual(['1000-W01', '2026-W47']);
  });

  test('end with the last day that can be written', () => {
    const days = { from: '9999-12-30', to: '9999-12-31' };
    expect(buckets(days, 'day').map(({ to }) => to)).toEqual(['9999-12-30', '9999-12-31']);
    expect(buckets(days, 'week')).toEqual([{ bucket: '9999-W52', ...days }]);
  });

  test('covers every day once, under labels of its own', () => {
    fc.assert(
      fc.property(
        days,
        fc.integer({ min: 0, max: 500 }),
        fc.constantFrom(...bucketSizes),
        (from, more, size) => {
          const to = numbered(dayNumber(from) + more);
          const pieces = buckets({ from, to }, size);
          const covered = pieces.flatMap((piece) =>
            Array.from({ length: lengthOf(piece) }, (_, index) => dayNumber(piece.from) + index),
          );
          expect(covered).toEqual(Array.from({ length: more + 1 }, (_, i) => dayNumber(from) + i));
          expect(new Set(pieces.map(({ bucket }) => bucket)).size).toBe(pieces.length);
        },
      ),
      { numRuns: runs(30) },
    );
  });
});

describe('readTimestamp', () => {
  test.each([
    ['2026-11-19T14:02:11+01:00', '2026-11-19T13:02:11Z'],
    ['2026-11-19T14:02:11.250Z', '2026-11-19T14:02:11.250Z'],
    ['2026-11-19T14:02Z', '2026-11-19T14:02:00Z'],
    ['2026-11-19 14:02:11', '2026-11-19T13:02:11Z'],
    ['2026-07-19T14:02:11', '2026-07-19T12:02:11Z'],
    ['2026-11-19T14:02:11+0530', '2026-11-19T08:32:11Z'],
    ['2026-11-19T14:02:11-05', '2026-11-19T19:02:11Z'],
    ['2026-11-19t14:02:11z', '2026-11-19T14:02:11Z'],
    ['2026-11-19T00:00:00.123456789+01:00', '2026-11-18T23:00:00.123Z'],
  ])('takes %s as %s', (text, instant) => {
    const moment = { ms: Date.parse(instant), hasTime: true };
    expect(readTimestamp(text)).toEqual(moment);
  });

  test('takes a plain day as its midnight, without a time', () => {
    const midnight = { ms: Date.parse('2026-11-18T23:00:00Z'), hasTime: false };
    expect(readTimestamp('2026-11-19')).toEqual(midnight);
  });

  test.each(['1850-06-01', '1900-01-01', '1938-02-01', '2099-12-31'])(
    'takes %s as that day in Amsterdam',
    (day) => {
      expect(amsterdamDay(readTimestamp(day)?.ms ?? 0)).toBe(day);
    },
  );

  test.each([
    ['the first time the clock shows it', '2026-10-25T02:30', '2026-10-25T00:30:00Z'],
    ['winter time after the second', '2026-10-25T03:00', '2026-10-25T02:00:00Z'],
    ['summer time before the first', '2026-10-25T01:59', '2026-10-24T23:59:00Z'],
    ['as if the clock had not gone forward', '2026-03-29T02:30', '2026-03-29T01:30:00Z'],
    ['winter time before the gap', '2026-03-29T01:59', '2026-03-29T00:59:00Z'],
    ['summer time after the gap', '2026-03-29T03:00', '2026-03-29T01:00:00Z'],
  ])('reads a clock without offset as %s: %s', (_reading, text, instant) => {
    expect(readTimestamp(text)?.ms).toBe(Date.parse(instant));
  });

  test.each([
    ['a number', 1_763_557_331_000],
    ['null', null],
    ['an empty text', ''],
    ['a day that does not exist', '2026-02-30'],
    ['such a day with a time', '2026-02-30T10:00:00Z'],
    ['hour 24', '2026-11-19T24:00:00'],
    ['an offset past any zone', '2026-11-19T10:00:00+25:00'],
    ['a month', '2026-11'],
    ['an order number', '20261119'],
    ['text after it', '2026-11-19T10:00:00Z or so'],
  ])('takes %s for no timestamp', (_what, value) => {
    expect(readTimestamp(value)).toBeUndefined();
  });

  test('finds an instant at which the clock shows that time', () => {
    fc.assert(
      fc.property(instants, (ms) => {
        const clock = intlClock(ms);
        expect(intlClock(readTimestamp(clock)?.ms ?? 0)).toBe(clock);
      }),
    );
  });
});
