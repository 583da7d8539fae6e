/** GET /api/me: who the token belongs to and what it may do (docs/platform.md#me). */
import { z } from 'zod';
import type { Caller } from '../../access/keyring.ts';
import { endpoint } from '../endpoint.ts';
import {
  each,
  integer,
  part,
  partOrNull,
  type Request,
  record,
  type Shape,
  text,
} from '../payload.ts';

const named = record<{ id: number; name: string }>({
  id: integer('Id.', ({ id }) => id),
  name: text('Name.', ({ name }) => name),
});

const token = record<Caller>({
  client_id: text('The API key behind the token.', (caller) => caller.token.clientId),
  expires_in: integer('Remaining lifetime in seconds.', ({ token }, { world }) =>
    Math.max(0, Math.floor((token.expiresMs - world.now()) / 1000)),
  ),
});

const capabilities: Shape<Caller> = {
  schema: z.record(z.string(), z.boolean()).describe('Held; empty when the role holds nothing.'),
  show: ({ role }) => Object.fromEntries(role.capabilities.map((each) => [each, true])),
};

const bindings: Shape<Caller> = {
  schema: z.record(z.string(), z.any()).describe('By resource type: `ids`, or an open `except`.'),
  show: ({ role: { scope } }) =>
    scope.kind === 'all'
      ? {}
      : { location: { [scope.kind === 'only' ? 'ids' : 'except']: scope.ids } },
};

const authorization = record<Caller>({
  role: text('Name of the role.', (caller) => caller.token.roleName),
  title: text('The role in words.', ({ role }) => role.title),
  capabilities,
  requires_bindings: {
    schema: z.array(z.string()).describe('What the capabilities are bound by.'),
    show: ({ role }) => (role.scope.kind === 'all' ? [] : ['location']),
  },
  bindings,
});

const roles = record<string>({
  module: text('Module.', () => 'backoffice'),
  role: text('Role.', (title) => title),
});

const getMe = endpoint({
  path: '/api/me',
  summary: 'Token introspection: account, lifetime, user, roles and the role document',
  payload: record<Caller>({
    account: part(named, () => ({ id: 4711, name: 'sandbox' })),
    subaccount: part(named, () => ({ id: 1, name: 'Winkel & Keuken B.V.' })),
    token: part(token, (caller) => caller),
    authorization: part(authorization, (caller) => caller),
    user: partOrNull(named, ({ role }) => role.user),
    roles: {
      schema: each(roles, () => []).schema.nullable(),
      show: ({ role }) => (role.user ? [{ module: 'backoffice', role: role.title }] : null),
    },
    locked_location: partOrNull(named, ({ role }, { world }) =>
      world.locations.find(({ id }) => id === role.user?.lockedLocationId),
    ),
    profile_error: text.optional('Why the profile is missing.', ({ role }) =>
      role.user ? undefined : 'The profile of this user could not be read.',
    ),
  }),
  answer: (_values, { caller }: Request) => caller,
});

/** The endpoint of token introspection. */
export const me = [getMe];
