import { expect, test } from 'vitest';
import { holidaysIn } from '../../src/core/holidays.ts';

test('a year has eleven holidays, of which Easter moves five', () => {
  const days = holidaysIn({ from: '2026-01-01', to: '2026-12-31' });
  expect(days.map(({ day, name }) => `${day} ${name}`)).toEqual([
    "2026-01-01 New Year's Day",
    '2026-04-05 Easter Sunday',
    '2026-04-06 Easter Monday',
    "2026-04-27 King's Day",
    '2026-05-05 Liberation Day',
    '2026-05-14 Ascension Day',
    '2026-05-24 Whit Sunday',
    '2026-05-25 Whit Monday',
    '2026-12-05 Sinterklaas eve',
    '2026-12-25 Christmas Day',
    '2026-12-26 Second Christmas Day',
  ]);
});

test.each([
  ['2025-04-26', '2025-04-27', ["2025-04-26 King's Day"]],
  ['2013-04-20', '2013-05-01', []],
  ['2016-05-05', '2016-05-05', ['2016-05-05 Liberation Day', '2016-05-05 Ascension Day']],
  ['2025-12-27', '2026-01-01', ["2026-01-01 New Year's Day"]],
  ['2026-11-01', '2026-11-30', []],
])('from %s to %s there are %j', (from, to, names) => {
  expect(holidaysIn({ from, to }).map(({ day, name }) => `${day} ${name}`)).toEqual(names);
});
