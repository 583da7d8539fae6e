import { findMessages } from '../../src/analysis/find-reference.ts';
import { productMessages } from '../../src/analysis/reference/product-ids.ts';
import { referenceMessages } from '../../src/analysis/reference/reference.ts';
import { type Alternatives, resolveMessages } from '../../src/analysis/reference/resolve.ts';
import { clientMessages } from '../../src/client/messages.ts';
import { sentencesOf } from './sentences-of.ts';

const shops = [
  { id: 3, name: 'Utrecht Centraal' },
  { id: 7, name: 'Utrecht Oost' },
];
const noLocation: Alternatives = {
  kind: 'location',
  noun: 'location',
  idField: 'location_id',
  entries: [{ id: 11, name: 'Utrecht' }],
  count: 2,
  isBound: false,
};
const shop = { idField: 'shop_id', noun: 'shop', given: 'utrecht' } as const;
const gone = clientMessages.no_list({ endpoint: 'GET /api/shop' });
const product = { id: 101, shopProductId: 202, title: 'Koffie' };

export const referenceSentences = [
  ...sentencesOf('reference', referenceMessages, {
    no_names: [{ idField: 'shop_id', noun: 'shop', reason: gone }],
  }),
  ...sentencesOf('resolve', resolveMessages, {
    ambiguous_name: [
      { ...shop, count: 2, entries: shops },
      { ...shop, count: 2 },
    ],
    unknown_name: [shop, { ...shop, instead: { ...noLocation, isBound: true } }],
    unknown_id: [
      { noun: 'location', id: 9, instead: noLocation },
      {
        noun: 'location',
        id: 9,
        instead: {
          ...noLocation,
          twin: { id: 9, name: 'Webshop', kind: 'shop', related: shops },
          comparison: { period: 'yesterday', against: 'none', shop_id: '9' },
        },
      },
    ],
    shop_or_location: [
      {
        ...{ given: 'oost', shops, count: 3, namesake: shops[1] },
        call: { tool: 'compare_turnover', arguments: { period: 'yesterday', shop_id: '7' } },
      },
      { given: 'Utrecht', shops, count: 2, call: { tool: 'turnover_trend', arguments: {} } },
      { given: 'Utrecht', shops, count: 2 },
      { idField: 'shop_id', given: 'Utrecht', kind: 'location', shops },
    ],
  }),
  ...sentencesOf('products', productMessages, {
    product_ids: [
      { product },
      { product, other: { id: 202, shopProductId: 303, title: 'Thee' } },
      { meant: product },
    ],
    other_product: [{ requested: 101, product }],
  }),
  ...sentencesOf(
    'find_reference',
    findMessages(() => true),
    { not_searched: [{ noun: 'shop', reason: gone }] },
  ),
  ...sentencesOf(
    'find_reference without other tools',
    findMessages(() => false),
    { not_searched: [{ noun: 'shop', reason: gone }] },
  ),
];
