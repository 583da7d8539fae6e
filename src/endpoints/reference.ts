import { z } from 'zod';
import { defineEndpoint, fieldsOf, integer, listOf, text } from './define.ts';
import { columns, locationRef, maxText } from './parameters.ts';

/** docs/platform.md#me: who the key belongs to and what it may see. */
export const getMe = defineEndpoint({
  tool: 'get_me',
  title: 'Who am I',
  description: 'Account, role, capabilities and location scope of this key. Ask it on a 403.',
  path: '/api/me',
  toolset: 'reference',
  input: z.strictObject({}),
  output: fieldsOf({}),
});

/** docs/platform.md#ids: sales channels. */
export const listShops = defineEndpoint({
  tool: 'list_shops',
  title: 'List shops',
  description:
    'Sales channels with their location_id. Shop ids and location ids are different id spaces.',
  path: '/api/shop',
  toolset: 'reference',
  input: z.strictObject({ ...columns('location_id') }),
  output: listOf({ id: integer, location_id: integer }),
  noun: 'shops',
  hasOpenParameters: true,
  cache: 'reference',
  namedIds: ['location_id'],
});

/** docs/platform.md#locations. */
export const listLocations = defineEndpoint({
  tool: 'list_locations',
  title: 'List locations',
  description: 'Physical sites this key may see.',
  path: '/api/location',
  toolset: 'reference',
  input: z.strictObject({ ...columns() }),
  output: listOf({ id: integer }),
  noun: 'locations',
  cache: 'reference',
  capabilities: { names: ['location.list'], sentence: 'location.list' },
});

/** docs/platform.md#locations. */
export const getLocation = defineEndpoint({
  tool: 'get_location',
  title: 'Get a location',
  description: 'One physical site, with address.',
  path: '/api/location/{id}',
  toolset: 'reference',
  input: z.strictObject({ location_id: locationRef }),
  output: fieldsOf({ id: integer }),
  pathId: 'location_id',
  capabilities: { names: ['location.view'], sentence: 'location.view' },
});

/** docs/platform.md#ids: without a country the whole multi-country registry comes. */
export const listTaxRates = defineEndpoint({
  tool: 'list_tax_rates',
  title: 'List tax rates',
  description: 'VAT rates. Without country_code: those of every country.',
  path: '/api/tax-rate',
  toolset: 'reference',
  input: z.strictObject({
    country_code: z
      .string()
      .max(maxText)
      .regex(/^[A-Za-z]{2}$/, 'must be a two-letter country code, such as NL')
      .toUpperCase()
      .optional()
      .describe('ISO 3166, e.g. NL'),
    ...columns(),
  }),
  output: listOf({ id: integer }),
  noun: 'tax rates',
  hasOpenParameters: true,
  cache: 'reference',
});

/** docs/platform.md#ids: turnover groups double as revenue-ledger keys. */
export const listTurnoverGroups = defineEndpoint({
  tool: 'list_turnover_groups',
  title: 'List turnover groups',
  description: 'Product groups of reports (product_group_id), also the revenue-ledger keys.',
  path: '/api/turnover-group',
  toolset: 'reference',
  input: z.strictObject({ ...columns() }),
  output: listOf({ id: integer }),
  noun: 'turnover groups',
  hasOpenParameters: true,
  cache: 'reference',
});

/** docs/platform.md#ids. */
export const listPaymentMethods = defineEndpoint({
  tool: 'list_payment_methods',
  title: 'List payment methods',
  description: 'Stable key: type_alias; provider_method_type_id differs per account.',
  path: '/api/payment-method',
  toolset: 'reference',
  input: z.strictObject({ ...columns('type_alias') }),
  output: listOf({ provider_method_type_id: integer, type_alias: text }),
  noun: 'payment methods',
  cache: 'reference',
});
