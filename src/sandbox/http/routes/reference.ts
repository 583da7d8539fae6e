/** Reference data: shops, locations, tax rates, turnover groups, payment methods. */

import { wholeList } from '../../wire/envelope.ts';
import { countryCode } from '../../wire/parameter.ts';
import { notFound } from '../../wire/problem.ts';
import type { Location } from '../../world/business/places.ts';
import { defineRoute } from '../route.ts';
import { covers, requireCapability } from '../scope.ts';
import { addressFields } from './address.ts';

export const listShops = defineRoute({
  path: '/api/shop',
  summary: 'Sales channels, each with the location it belongs to',
  parameters: {},
  payload: 'ShopList',
  otherStatuses: [],
  answer: (_values, { world }) =>
    wholeList(
      world.shops.map(({ id, name, locationId, trade }) => ({
        id,
        name,
        location_id: locationId,
        type: trade === 'web' ? 'webshop' : 'pos',
      })),
    ),
});

export const listLocations = defineRoute({
  path: '/api/location',
  summary: 'The physical sites that the caller may see',
  parameters: {},
  payload: 'LocationList',
  otherStatuses: [403],
  answer(_values, { world, caller: { role } }) {
    requireCapability(role, 'location.list');
    return wholeList(world.locations.filter(({ id }) => covers(role.scope, id)).map(location));
  },
});

export const getLocation = defineRoute({
  path: '/api/location/{id}',
  summary: 'One location; one out of scope answers as one that does not exist',
  parameters: {},
  payload: 'Location',
  otherStatuses: [403, 404],
  answer(_values, { world, id, caller: { role } }) {
    requireCapability(role, 'location.view');
    const found = world.locations.find((each) => each.id === id);
    if (found === undefined || !covers(role.scope, id)) throw notFound('location');
    return location(found);
  },
});

export const listTaxRates = defineRoute({
  path: '/api/tax-rate',
  summary: 'VAT rates of one country, or the registry of all countries',
  parameters: { country_code: countryCode },
  payload: 'TaxRateList',
  otherStatuses: [400],
  answer: ({ country_code }, { world }) =>
    wholeList(
      world.taxRates
        .filter((rate) => rate.countryCode === (country_code ?? rate.countryCode))
        .map(({ id, name, countryCode, percentage }) => ({
          id,
          name,
          country_code: countryCode,
          percentage,
        })),
    ),
});

export const listTurnoverGroups = defineRoute({
  path: '/api/turnover-group',
  summary: 'Turnover groups, which double as revenue-ledger keys',
  parameters: {},
  payload: 'TurnoverGroupList',
  otherStatuses: [],
  answer: (_values, { world }) =>
    wholeList(
      world.turnoverGroups.map(({ id, name, ledgerCode }) => ({
        id,
        name,
        ledger_code: ledgerCode,
      })),
    ),
});

export const listPaymentMethods = defineRoute({
  path: '/api/payment-method',
  summary: 'Payment method types, alphabetical by name',
  parameters: {},
  payload: 'PaymentMethodList',
  otherStatuses: [],
  answer: (_values, { world }) =>
    wholeList(
      world.paymentMethods
        .map(({ id, alias, name }) => ({ provider_method_type_id: id, type_alias: alias, name }))
        .sort((a, b) => a.name.localeCompare(b.name, 'nl')),
    ),
});

function location({ id, name, phone, address }: Location) {
  return { id, name, phone, address: addressFields(address) };
}
