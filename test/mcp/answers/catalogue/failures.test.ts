import { expect, test } from 'vitest';
import { errorMessages } from '../../../../src/core/errors.ts';
import type { Message } from '../../../../src/core/message.ts';
import { modelReader } from '../../../../src/mcp/answers/catalogue/catalogue.ts';

const utrecht = [
  { id: 2, name: 'Utrecht Centraal' },
  { id: 3, name: 'Utrecht Oost' },
];

/** What to do about a call that failed, with what is said of it to a model. */
test.each<[Message, string]>([
  [
    { code: 'correct_argument' },
    'Correct the argument that the detail names; unchanged, it will be refused again.',
  ],
  [
    { code: 'known_values', argument: 'status', values: ['new', 'complete'] },
    'Known values of status: new, complete; there may be more.',
  ],
  [
    { code: 'key_revoked' },
    'A fresh token was refused too: the API key was revoked or rolled. A person must issue a new key on the platform and put it in COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET; trying again will not help.',
  ],
  [
    { code: 'not_found_here', tool: 'list_order_items' },
    'It does not exist on this account, or lies outside the locations of this key. An order_number is not an order id: give it as order_number.',
  ],
  [
    { code: 'not_found_here', tool: 'get_customer' },
    'A customer id is the relation_data_id of orders; search_customers finds it.',
  ],
  [
    { code: 'not_found_here', tool: 'get_product' },
    'get_product takes the shop_product_id, not the inner id; search_products shows both.',
  ],
  [
    { code: 'not_found_here', tool: 'list_stock' },
    'It does not exist on this account, or lies outside what this key may see.',
  ],
  [
    { code: 'usually_passing' },
    'This is usually passing: try again in a little while, or for a shorter period.',
  ],
  [
    { code: 'answered_oddly' },
    'The platform, or something in front of it, answered oddly. Try once more.',
  ],
  [
    { code: 'ask_for_less' },
    'Ask for less at once: a shorter period, one shop or location, a smaller limit.',
  ],
  [
    { code: 'lacks_capability', lacking: ['inventory.view_local'], sentence: '' },
    'This key lacks inventory.view_local. get_me shows what it holds; an administrator can widen the role.',
  ],
  [
    { code: 'sees_nothing', refusal: errorMessages.other_error({ words: '403' }) },
    'This key may see nothing here; an administrator gives it a role. (403)',
  ],
  [{ code: 'see_role' }, 'get_me shows the role and the locations it is bound to.'],
  [
    { code: 'name_location', locations: utrecht, count: 2 },
    "This key sees 2 of the company's locations: no figure of the whole company can be had with it. Name one location: location_id may be Utrecht Centraal (2), Utrecht Oost (3).\nget_me shows the role and the locations it is bound to.",
  ],
])('a model is told what to do: $code', (message, text) => {
  expect(modelReader(() => true).say(message)).toBe(text);
});
