import { describe, expect, test } from 'vitest';
import type { Message, Warning } from '../../../../src/core/message.ts';
import { periodMessages } from '../../../../src/core/periods.ts';
import {
  gatherWarnings,
  modelReader,
  writeWarning,
} from '../../../../src/mcp/answers/catalogue/catalogue.ts';

const model = modelReader(() => true);
const days = { from: '2026-11-21', to: '2026-11-30' };
const shops = [
  { id: 3, name: 'Utrecht Centraal' },
  { id: 7, name: 'Utrecht Oost' },
];
const instead = {
  kind: 'location',
  noun: 'location',
  idField: 'location_id',
  entries: [{ id: 11, name: 'Utrecht' }],
  count: 2,
  isBound: false,
  comparison: { period: 'yesterday', against: 'none', shop_id: '9' },
} as const;

/** Each message with what is said of it to a model. */
test.each<[Message, string]>([
  [
    { code: 'balance_differs', path: 'direct_paid.balance_check', difference: '-2.40' },
    'Payments do not balance with the total (direct_paid.balance_check). The difference is -2.40 euros. Pass the figures on as given and say so.',
  ],
  [
    { code: 'all_zero', period: days },
    'Every figure of 2026-11-21 to 2026-11-30 is zero: no orders and no payments on those days.',
  ],
  [
    {
      code: 'ambiguous_name',
      idField: 'shop_id',
      noun: 'shop',
      text: 'utrecht',
      count: 2,
      entries: shops,
    },
    '"utrecht" names 2 shops: Utrecht Centraal (3), Utrecht Oost (7). Give one of these ids as shop_id.',
  ],
  [
    { code: 'unknown_name', idField: 'shop_id', noun: 'shop', text: 'Assen' },
    'no shop that this key may see is called "Assen". Give the id as shop_id.',
  ],
  [
    {
      code: 'unknown_id',
      noun: 'location',
      id: 9,
      instead: { ...instead, twin: { id: 9, name: 'Webshop', kind: 'shop', related: shops } },
    },
    'No location that this key may see has id 9. 9 is the shop Webshop, not a location: its location_id is Utrecht Centraal (3), Utrecht Oost (7). Turnover of a shop: compare_turnover period: "yesterday" against: "none" shop_id: "9". The locations are: Utrecht (11) and 1 more.',
  ],
])('a model is told of $code', (message, text) => {
  expect(model.say(message)).toBe(text);
});

test('a warning in a picture or a file leaves out that figures are to be passed on', () => {
  const warning = { code: 'balance_differs', path: 'a' } as const;
  expect(writeWarning(warning, model, true)).toEqual({
    ...warning,
    text: 'Payments do not balance with the total (a).',
  });
});

describe('gatherWarnings', () => {
  const differs = (day: number): Warning => ({
    ...({ code: 'balance_differs', path: 'balance_check' } as const),
    difference: `${day}.00`,
  });
  const noNames = (idField: string): Warning => ({
    ...({ code: 'no_names', idField, noun: 'shop' } as const),
    reason: { code: 'not_known_yet' },
  });
  const inFuture = (day: string) => periodMessages.in_future({ days: { from: day, to: day } });

  test('gives each once, two alike one by one, and many alike as one with their number', () => {
    const days = Array.from({ length: 161 }, (_, day) => differs(day));
    const both = [inFuture('2026-11-21'), inFuture('2026-11-22')];
    expect(gatherWarnings([...both, ...days, ...both])).toEqual([
      ...both,
      { ...differs(0), alike: 160 },
    ]);
    expect(writeWarning({ ...differs(1), alike: 160 }, model).text).toMatch(
      / \(160 more are like this one\.\)$/,
    );
  });

  test('lists each of a code whose texts name different things', () => {
    const names = ['shop_id', 'tax_rate_id', 'location_id'].map(noNames);
    expect(gatherWarnings(names)).toEqual(names);
  });

  test('gives six at most, and says how many are left out', () => {
    const kinds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(noNames);
    expect(gatherWarnings(kinds)).toEqual([
      ...kinds.slice(0, 5),
      { code: 'more_warnings', count: 3 },
    ]);
    expect(gatherWarnings(kinds.slice(0, 6))).toEqual(kinds.slice(0, 6));
  });
});
