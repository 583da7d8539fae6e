import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amsterdamDay, readTimestamp } from '../../src/core/calendar.ts';
import { instants, intlClock } from './second-calendar.ts';

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
