import { z } from 'zod';
import { groupBy } from '../../../core/json.ts';
import type { Customer } from '../../world/business/customers.ts';
import { covers, requireCapability } from '../access.ts';
import { endpoint, list, showPage } from '../endpoint.ts';
import { countryCode, freeText, id, paging } from '../parameters.ts';
import { notFound } from '../problem.ts';

export const listShops = endpoint({
  path: '/api/shop',
  answer: (_values, { world }) =>
    list(
      world.shops.map(({ id, name, locationId, trade }) => {
        const type = trade === 'web' ? 'webshop' : 'pos';
        return { id, name, location_id: locationId, type };
      }),
    ),
});

export const listLocations = endpoint({
  path: '/api/location',
  answer(_values, { world, caller: { role } }) {
    requireCapability(role, 'location.list');
    return list(world.locations.filter(({ id }) => covers(role.scope, id)));
  },
});

export const getLocation = endpoint({
  path: '/api/location/{id}',
  answer({ id }, { world, caller: { role } }) {
    requireCapability(role, 'location.view');
    const location = world.locations.find((each) => each.id === id);
    if (location === undefined || !covers(role.scope, id)) throw notFound('location');
    return location;
  },
});

export const listTaxRates = endpoint({
  path: '/api/tax-rate',
  query: z.object({ country_code: countryCode }),
  answer: ({ country_code }, { world }) =>
    list(
      world.taxRates.filter((rate) => rate.country_code === (country_code ?? rate.country_code)),
    ),
});

export const listTurnoverGroups = endpoint({
  path: '/api/turnover-group',
  answer: (_values, { world }) => list(world.turnoverGroups),
});

export const listPaymentMethods = endpoint({
  path: '/api/payment-method',
  answer: (_values, { world }) =>
    list(
      world.paymentMethods
        .toSorted((a, b) => a.name.localeCompare(b.name, 'nl'))
        .map(({ id, alias, name }) => ({ provider_method_type_id: id, type_alias: alias, name })),
    ),
});

/** The owner and the rights of the token (docs/platform.md#me). */
export const getMe = endpoint({
  path: '/api/me',
  answer(_values, { world, caller: { role, expiresMs } }) {
    const { clientId, name, user, scope, title, capabilities } = role;
    const locked = world.locations.find(({ id }) => id === user?.lockedLocationId);
    const isBound = scope.kind !== 'all';
    return {
      account: { id: 4711, name: 'sandbox' },
      subaccount: { id: 1, name: 'Winkel & Keuken B.V.' },
      token: {
        client_id: clientId,
        expires_in: Math.max(0, Math.floor((expiresMs - world.now()) / 1000)),
      },
      authorization: {
        role: name,
        title,
        capabilities: Object.fromEntries(capabilities.map((each) => [each, true])),
        requires_bindings: isBound ? ['location'] : [],
        bindings: isBound
          ? { location: { [scope.kind === 'only' ? 'ids' : 'except']: scope.ids } }
          : {},
      },
      user: user ? { id: user.id, name: user.name } : null,
      roles: user ? [{ module: 'backoffice', role: title }] : null,
      locked_location: locked ? { id: locked.id, name: locked.name } : null,
      ...(user ? {} : { profile_error: 'The profile of this user could not be read.' }),
    };
  },
});

function showRow({ phone: _, address: __, ...row }: Customer) {
  return row;
}

export const searchCustomers = endpoint({
  path: '/api/customer',
  query: z.object({
    q: freeText('Free text over name, e-mail and other contact fields.'),
    segment_id: id('Members of one customer segment.'),
    ...paging(50, 500),
  }),
  answer({ q, segment_id, ...paging }, { world }) {
    const customers = world
      .customers()
      .filter((each) => each.segment_id === (segment_id ?? each.segment_id))
      .filter((each) => !q || searchText(each).includes(q.toLowerCase()));
    return showPage(customers, paging, showRow);
  },
});

export const getCustomer = endpoint({
  path: '/api/customer/{id}',
  answer({ id }, { world }) {
    const customer = world.customer(id);
    if (customer === undefined) throw notFound('customer');
    return customer;
  },
});

export const listCustomerSegments = endpoint({
  path: '/api/customer-segment',
  answer(_values, { world }) {
    const members = groupBy(world.customers(), (customer) => String(customer.segment_id));
    const byName = world.segments.toSorted((a, b) => a.name.localeCompare(b.name, 'nl'));
    return list(
      byName.map(({ id, name, customPrices }) => {
        const customer_count = members.get(String(id))?.length ?? 0;
        return { id, name, customer_count, product_prices_count: customPrices };
      }),
    );
  },
});

function searchText({ name, first_name, last_name, email, phone, address }: Customer): string {
  return `${name} ${first_name} ${last_name} ${email} ${phone} ${address.city}`.toLowerCase();
}
