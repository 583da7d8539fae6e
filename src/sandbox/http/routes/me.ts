/** GET /api/me: who the token belongs to and what it may do (docs/platform.md#me). */
import { z } from 'zod';
import type { Caller } from '../../access/keyring.ts';
import type { Role, Scope } from '../../access/role.ts';
import type { World } from '../../world/world.ts';
import { endpoint } from '../endpoint.ts';

const named = z.object({ id: z.int().describe('Id.'), name: z.string().describe('Name.') });

const introspection = z.object({
  account: named,
  subaccount: named,
  token: z.object({
    client_id: z.string().describe('The API key behind the token.'),
    expires_in: z.int().describe('Remaining lifetime in seconds.'),
  }),
  authorization: z.object({
    role: z.string().describe('Name of the role.'),
    title: z.string().describe('The role in words.'),
    capabilities: z
      .record(z.string(), z.boolean().describe('Held.'))
      .describe('Capabilities held; empty when the role holds nothing.'),
    requires_bindings: z
      .array(z.string().describe('Resource type.'))
      .describe('What the capabilities are bound by.'),
    bindings: z
      .record(z.string(), z.any())
      .describe('Per resource type either `ids` or an open `except` set.'),
  }),
  user: named.nullable(),
  roles: z
    .array(z.object({ module: z.string().describe('Module.'), role: z.string().describe('Role.') }))
    .nullable(),
  locked_location: named.nullable(),
  profile_error: z.string().describe('Why the profile is missing.').optional(),
});

const getMe = endpoint({
  path: '/api/me',
  summary: 'Token introspection: account, lifetime, user, roles and the role document',
  payload: introspection,
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

/** The endpoint of token introspection. */
export const me = [getMe];

function authorization({ token, role }: Caller) {
  return {
    role: token.roleName,
    title: role.title,
    capabilities: Object.fromEntries(role.capabilities.map((each) => [each, true])),
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
