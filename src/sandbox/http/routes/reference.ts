/** Reference data: shops, locations, tax rates, turnover groups, payment methods. */
import { z } from 'zod';
import type { Address, Location } from '../../world/business/places.ts';
import { endpoint, list, wholeList } from '../endpoint.ts';
import { countryCode } from '../parameters.ts';
import { notFound } from '../problem.ts';
import { covers, requireCapability } from '../scope.ts';

/** A postal address. */
export const address = z.object({
  street: z.string().describe('Street.'),
  house_number: z.string().describe('House number.'),
  zipcode: z.string().describe('Postal code.'),
  city: z.string().describe('Town.'),
  country_code: z.string().describe('ISO 3166-1 alpha-2.'),
});

const shop = z.object({
  id: z.int().describe('Shop id, never a location id.'),
  name: z.string().describe('Name.'),
  location_id: z.int().describe('The location it belongs to.'),
  type: z.string().describe('webshop or pos.'),
});

const location = z.object({
  id: z.int().describe('Location id, never a shop id.'),
  name: z.string().describe('Name.'),
  phone: z.string().describe('Telephone.'),
  address,
});

const taxRate = z.object({
  id: z.int().describe('What `tax_rate_id` means.'),
  name: z.string().describe('Name.'),
  country_code: z.string().describe('ISO 3166-1 alpha-2.'),
  percentage: z.number().describe('Such as 21.'),
});

const turnoverGroup = z.object({
  id: z.int().describe('What `product_group_id` means.'),
  name: z.string().describe('Name.'),
  ledger_code: z.string().describe('Revenue ledger.'),
});

const paymentMethod = z.object({
  provider_method_type_id: z.int().describe('Valid on this account only.'),
  type_alias: z.string().describe('Stable key, such as Cash.'),
  name: z.string().describe('Name.'),
});

const listShops = endpoint({
  path: '/api/shop',
  summary: 'Sales channels, each with the location it belongs to',
  payload: list(shop),
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

const listLocations = endpoint({
  path: '/api/location',
  summary: 'The physical sites that the caller may see',
  payload: list(location),
  problems: [403],
  answer(_values, { world, caller: { role } }) {
    requireCapability(role, 'location.list');
    return wholeList(world.locations.filter(({ id }) => covers(role.scope, id)).map(showLocation));
  },
});

const getLocation = endpoint({
  path: '/api/location/{id}',
  summary: 'One location; one out of scope answers as one that does not exist',
  payload: location,
  problems: [403],
  answer({ id }, { world, caller: { role } }) {
    requireCapability(role, 'location.view');
    const found = world.locations.find((each) => each.id === id);
    if (found === undefined || !covers(role.scope, id)) throw notFound('location');
    return showLocation(found);
  },
});

const listTaxRates = endpoint({
  path: '/api/tax-rate',
  summary: 'VAT rates of one country, or the registry of all countries',
  query: z.object({ country_code: countryCode }),
  payload: list(taxRate),
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

const listTurnoverGroups = endpoint({
  path: '/api/turnover-group',
  summary: 'Turnover groups, which double as revenue-ledger keys',
  payload: list(turnoverGroup),
  answer: (_values, { world }) =>
    wholeList(
      world.turnoverGroups.map(({ ledgerCode, ...group }) => ({
        ...group,
        ledger_code: ledgerCode,
      })),
    ),
});

const listPaymentMethods = endpoint({
  path: '/api/payment-method',
  summary: 'Payment method types, alphabetical by name',
  payload: list(paymentMethod),
  answer: (_values, { world }) =>
    wholeList(
      world.paymentMethods
        .map(({ id, alias, name }) => ({ provider_method_type_id: id, type_alias: alias, name }))
        .sort((a, b) => a.name.localeCompare(b.name, 'nl')),
    ),
});

/** The endpoints of reference data. */
export const reference = [
  listShops,
  listLocations,
  getLocation,
  listTaxRates,
  listTurnoverGroups,
  listPaymentMethods,
];

/** An address as it is shown everywhere. */
export function showAddress({ street, houseNumber, zipcode, city, countryCode }: Address) {
  return { street, house_number: houseNumber, zipcode, city, country_code: countryCode };
}

function showLocation({ id, name, phone, address }: Location) {
  return { id, name, phone, address: showAddress(address) };
}
