import { expect, test } from 'vitest';
import {
  person,
  personTexts,
  type Said,
} from '../../../../src/cli/terminal/catalogue/catalogue.ts';
import { texts } from '../../../../src/mcp/answers/catalogue/catalogue.ts';

const { say } = person;

/** Each message with what is said of it to a person. */
test.each<[Said, string]>([
  [{ code: 'given_twice', name: '--port' }, '--port is given twice'],
  [
    { code: 'flag_out_of_range', name: '--port', least: '0', most: '65535' },
    '--port must be a whole number from 0 to 65535',
  ],
  [
    { code: 'not_key_value', text: 'yesterday', names: ['date'], meant: 'date' },
    '"yesterday" is not key=value; did you mean date=yesterday?',
  ],
  [
    { code: 'not_key_value', text: 'x', names: ['from', 'to'] },
    '"x" is not key=value; it takes from, to',
  ],
  [
    { code: 'not_key_value', text: 'x', names: [] },
    '"x" is not key=value: this tool takes no arguments',
  ],
  [
    { code: 'unknown_account', name: 'gouda', path: 'a.yaml', names: ['utrecht', 'zeist'] },
    'There is no account gouda (--account). Those of a.yaml are: utrecht, zeist.',
  ],
  [
    { code: 'several_accounts', names: ['a', 'b'], titles: ['Cursor', 'Codex'] },
    'Several accounts are connected: a and b in Cursor and Codex. Set the variables of the one that is meant, COMMERCE_BASE_URL and so on.',
  ],
  [
    { code: 'unknown_client', name: 'curser', nearest: 'cursor', names: ['cursor', 'codex'] },
    'There is no client curser. Did you mean cursor?',
  ],
  [{ code: 'written', path: 'a.xlsx', rows: 1 }, 'Written: a.xlsx, 1 row'],
])('says %j', (message, text) => {
  expect(say(message)).toBe(text);
});

const later = { ms: 4 * 60_000, isWaiting: false };

test.each([
  [[0, 30, 0, 0], { ms: 0, isWaiting: false }, '0 of 30 days, 0 orders, 0 read'],
  [[0, 30, 0, 600], later, '0 of 30 days, 0 orders, 600 read, 150 a minute'],
  [
    [2, 30, 4000, 3000],
    later,
    '2 of 30 days, 4,000 orders, 3,000 read, 750 a minute, about 56 min to go',
  ],
  [
    [1, 61, 9, 9],
    { ...later, isWaiting: true },
    '1 of 61 days, 9 orders, 9 read, 2 a minute, about 4 h 0 min to go, waits for its share of the budget',
  ],
  [[2, 3, 10, 0], later, '2 of 3 days, 10 orders, 0 read'],
  [[3, 3, 10, 10], later, '3 of 3 days, 10 orders, 10 read, 3 a minute'],
] as const)('says that %j of a fill are done after %j', (counts, about, words) => {
  const [daysDone, days, orders, read] = counts;
  const progress = { daysDone, days, orders, read };
  expect(say({ code: 'fill_progress', progress, ...about })).toBe(words);
});

test('no code is one of the catalogue that all readers share', () => {
  expect(Object.keys(personTexts).filter((code) => code in texts)).toEqual([]);
});
