import { expect, test } from 'vitest';
import type { Message } from '../../../../src/core/message.ts';
import { modelReader } from '../../../../src/mcp/answers/catalogue/catalogue.ts';

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
