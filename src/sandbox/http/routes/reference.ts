/** Reference data: shops, locations, tax rates, turnover groups, payment methods. */
import { z } from 'zod';
import type { TaxRate } from '../../world/business/ledgers.ts';
import type { Address, Location, Shop } from '../../world/business/places.ts';
import { endpoint } from '../endpoint.ts';
import { countryCode } from '../parameters.ts';
import { integer, list, number, part, record, text } from '../payload.ts';
import { notFound } from '../problem.ts';
import { covers, requireCapability } from '../scope.ts';

/** The fields of a postal address. */
export const addressFields = {
  street: text('Street.', (address: Address) => address.street),
  house_number: text('House number.', (address: Address) => address.houseNumber),
  zipcode: text('Postal code.', (address: Address) => address.zipcode),
  city: text('Town.', (address: Address) => address.city),
  country_code: text('ISO 3166-1 alpha-2.', (address: Address) => address.countryCode),
};

/** An address as it is shown everywhere. */
export const address = record(addressFields);

const listShops = endpoint({
  path: '/api/shop',
  summary: 'Sales channels, each with the location it belongs to',
  payload: list(
    record<Shop>({
      id: integer('Shop id, never a location id.', ({ id }) => id),
      name: text('Name.', ({ name }) => name),
      location_id: integer('The location it belongs to.', ({ locationId }) => locationId),
      type: text('webshop or pos.', ({ trade }) => (trade === 'web' ? 'webshop' : 'pos')),
    }),
  ),
  answer: (_values, { world }) => world.shops,
});

const location = record<Location>({
  id: integer('Location id, never a shop id.', ({ id }) => id),
  name: text('Name.', ({ name }) => name),
  phone: text('Telephone.', ({ phone }) => phone),
  address: part(address, ({ address }) => address),
});

const listLocations = endpoint({
  path: '/api/location',
  summary: 'The physical sites that the caller may see',
  payload: list(location),
  problems: [403],
  answer(_values, { world, caller: { role } }) {
    requireCapability(role, 'location.list');
    return world.locations.filter(({ id }) => covers(role.scope, id));
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
    return found;
  },
});

const listTaxRates = endpoint({
  path: '/api/tax-rate',
  summary: 'VAT rates of one country, or the registry of all countries',
  query: z.object({ country_code: countryCode }),
  payload: list(
    record<TaxRate>({
      id: integer('What `tax_rate_id` means.', ({ id }) => id),
      name: text('Name.', ({ name }) => name),
      country_code: text('ISO 3166-1 alpha-2.', ({ countryCode }) => countryCode),
      percentage: number('Such as 21.', ({ percentage }) => percentage),
    }),
  ),
  answer: ({ country_code: wanted }, { world }) =>
    world.taxRates.filter(({ countryCode }) => countryCode === (wanted ?? countryCode)),
});

const listTurnoverGroups = endpoint({
  path: '/api/turnover-group',
  summary: 'Turnover groups, which double as revenue-ledger keys',
  payload: list(
    record<{ id: number; name: string; ledgerCode: string }>({
      id: integer('What `product_group_id` means.', ({ id }) => id),
      name: text('Name.', ({ name }) => name),
      ledger_code: text('Revenue ledger.', ({ ledgerCode }) => ledgerCode),
    }),
  ),
  answer: (_values, { world }) => world.turnoverGroups,
});

const listPaymentMethods = endpoint({
  path: '/api/payment-method',
  summary: 'Payment method types, alphabetical by name',
  payload: list(
    record<{ id: number; name: string; alias: string }>({
      provider_method_type_id: integer('Valid on this account only.', ({ id }) => id),
      type_alias: text('Stable key, such as Cash.', ({ alias }) => alias),
      name: text('Name.', ({ name }) => name),
    }),
  ),
  answer: (_values, { world }) =>
    world.paymentMethods.toSorted((a, b) => a.name.localeCompare(b.name, 'nl')),
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
