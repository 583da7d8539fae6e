/** GET /api/me: who the token belongs to and what it may do (docs/platform.md#me). */
import { endpoint } from '../endpoint.ts';

const getMe = endpoint({
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

/** The endpoint of token introspection. */
export const me = [getMe];
