import { describe, expect, test } from 'vitest';
import {
  countryCode,
  flag,
  id,
  languageCode,
  number,
  productIds,
  readParameters,
  requiredDay,
  since,
  statusList,
  text,
} from '../../../src/sandbox/wire/parameter.ts';
import { ProblemError } from '../../../src/sandbox/wire/problem.ts';
import { parseDay } from '../../../src/sandbox/world/business/calendar.ts';

const limit = number('Rows.', { minimum: 1, maximum: 500, default: 100 });

describe('a parameter', () => {
  test.each([
    ['an id', id('Id.'), '17', 17],
    ['an absent id', id('Id.'), undefined, undefined],
    ['a limit', limit, '500', 500],
    ['an absent limit', limit, undefined, 100],
    ['a day', requiredDay('Day.'), '2026-02-28', parseDay('2026-02-28')],
    ['a flag of 1', flag('Flag.'), '1', true],
    ['a flag of false', flag('Flag.'), 'false', false],
    ['an absent flag', flag('Flag.'), undefined, undefined],
    ['statuses', statusList, 'new, shipped', ['new', 'shipped']],
    ['product ids', productIds, '1001,1002', [1001, 1002]],
    ['a text', text('Text.'), ' mok ', 'mok'],
    ['an empty text', text('Text.'), '', undefined],
    ['an absent language', languageCode, undefined, 'nl'],
    ['a country', countryCode, 'NL', 'NL'],
    ['a day as since', since, '2026-07-01', Date.parse('2026-06-30T22:00:00Z')],
    [
      'a time with offset as since',
      since,
      '2026-07-01T12:00:00+02:00',
      Date.parse('2026-07-01T10:00:00Z'),
    ],
    [
      'a time without offset as since',
      since,
      '2026-07-01T12:00:00',
      Date.parse('2026-07-01T10:00:00Z'),
    ],
    ['UTC as since', since, '2026-07-01T12:00:00.5Z', Date.parse('2026-07-01T12:00:00.500Z')],
  ])('reads %s', (_what, parameter, given, expected) => {
    expect(parameter.read(given, 'name')).toEqual(expected);
  });

  test.each([
    ['an id', id('Id.'), ['0', '-1', '1.5', 'x', '', ' 1', '1e3', '9999999999999999']],
    ['a limit', limit, ['0', '501', 'many', '']],
    ['a day', requiredDay('Day.'), [undefined, '2026-02-29', '01-02-2026', 'today', '']],
    ['a flag', flag('Flag.'), ['yes', '2', '', 'TRUE']],
    ['a status list', statusList, ['', 'lost', 'new,', 'new,lost']],
    ['product ids', productIds, ['', '1,', '1,0', '1,x', '1.5', '-1']],
    ['a language', languageCode, ['NL', 'nld', '']],
    ['a country', countryCode, ['nl', 'NLD', '']],
    [
      'since',
      since,
      ['yesterday', '2026-02-30', '2026-07-01 12:00', '2026-07-01T12:00:00 02:00', ''],
    ],
  ])('refuses %s that cannot be read, naming it', (_what, parameter, texts) => {
    for (const given of texts) {
      const read = () => parameter.read(given, 'the_name');
      expect(read, `${given}`).toThrow(ProblemError);
      expect(read, `${given}`).toThrow(/^the_name: /);
    }
  });
});

describe('reading the parameters of a call', () => {
  const read = (query: string) => readParameters({ limit }, new URLSearchParams(query));

  test('ignores parameters that nobody knows', () => {
    expect(read('limit=5&colour=red')).toEqual({ limit: 5 });
  });

  test('refuses a parameter given twice', () => {
    expect(() => read('limit=5&limit=6')).toThrow(/^limit: is given more than once/);
  });
});
