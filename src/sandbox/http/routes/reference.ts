/** Reference data: shops, locations, tax rates, turnover groups, payment methods. */
import { z } from 'zod';
import { covers, requireCapability } from '../access.ts';
import { endpoint, list } from '../endpoint.ts';
import { countryCode } from '../parameters.ts';
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
    const found = world.locations.find((each) => each.id === id);
    if (found === undefined || !covers(role.scope, id)) throw notFound('location');
    return found;
  },
});

export const listTaxRates = endpoint({
  path: '/api/tax-rate',
  query: z.object({ country_code: countryCode }),
  answer: ({ country_code: wanted }, { world }) =>
    list(world.taxRates.filter(({ country_code }) => country_code === (wanted ?? country_code))),
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

/** Who the token belongs to and what it may do (docs/platform.md#me). */
export const getMe = endpoint({
  path: '/api/me',
  answer(_values, { world, caller: { token, role } }) {
    const { user, scope, title, capabilities } = role;
    const locked = world.locations.find(({ id }) => id === user?.lockedLocationId);
    const isBound = scope.kind !== 'all';
    return {
      account: { id: 4711, name: 'sandbox' },
      subaccount: { id: 1, name: 'Winkel & Keuken B.V.' },
      token: {
        client_id: token.clientId,
        expires_in: Math.max(0, Math.floor((token.expiresMs - world.now()) / 1000)),
      },
      authorization: {
        role: token.roleName,
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
