/** GET /api/me: who the token belongs to and what it may do (section 2, Me). */

import type { Caller } from '../../access/keyring.ts';
import type { Role, Scope } from '../../access/role.ts';
import type { World } from '../../world/world.ts';
import { defineRoute } from '../route.ts';

export const getMe = defineRoute({
  path: '/api/me',
  summary: 'Token introspection: account, lifetime, user, roles and the role document',
  parameters: {},
  payload: 'Me',
  otherStatuses: [],
  answer: (_values, { caller, world }) => ({
    account: { id: 4711, name: 'sandbox' },
    subaccount: { id: 1, name: 'Winkel & Keuken B.V.' },
    token: {
      client_id: caller.token.clientId,
      expires_in: Math.max(0, Math.floor((caller.token.expiresMs - world.now()) / 1000)),
    },
    authorization: authorization(caller),
    ...profile(caller.role, world),
  }),
});

function authorization({ token, role }: Caller) {
  const capabilities = role.capabilities.map((capability) => [capability, true] as const);
  return {
    role: token.roleName,
    title: role.title,
    capabilities: Object.fromEntries(capabilities),
    requires_bindings: role.scope.kind === 'all' ? [] : ['location'],
    bindings: bindings(role.scope),
  };
}

function bindings(scope: Scope) {
  if (scope.kind === 'all') return {};
  return { location: scope.kind === 'only' ? { ids: scope.ids } : { except: scope.ids } };
}

function profile({ user, title }: Role, world: World) {
  if (user === undefined) {
    const reason = 'The profile of this user could not be read.';
    return { user: null, roles: null, locked_location: null, profile_error: reason };
  }
  const store = world.locations.find(({ id }) => id === user.lockedLocationId);
  return {
    user: { id: user.id, name: user.name },
    roles: [{ module: 'backoffice', role: title }],
    locked_location: store === undefined ? null : { id: store.id, name: store.name },
  };
}
