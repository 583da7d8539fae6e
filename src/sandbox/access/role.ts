/** Roles, the capabilities they hold and the locations they are bound to (docs/platform.md#access). */

const IN_SIGHT = ['location.list', 'location.view'] as const;
const STOCK = ['inventory.view_local', 'inventory.view_other_locations'] as const;
const CAPABILITIES = [...IN_SIGHT, ...STOCK];

/** The documented capabilities. */
export type Capability = (typeof CAPABILITIES)[number];

/** Which locations a caller is bound to; `only` with no ids covers no location. */
export type Scope = { kind: 'all' } | { kind: 'only' | 'except'; ids: readonly number[] };

/** The role document behind a key; `user` is undefined where the profile lookup fails. */
export interface Role {
  title: string;
  capabilities: readonly Capability[];
  scope: Scope;
  user: { id: number; name: string; lockedLocationId: number | null } | undefined;
}

/** The demo roles: one for every rule about scopes and capabilities. */
export const ROLES = {
  /** Sees everything. */
  owner: role('Owner', CAPABILITIES, { kind: 'all' }, user(1, 'Marijke van Dam')),
  /** Locked to Utrecht Centraal. */
  manager: role(
    'Store manager',
    [...IN_SIGHT, 'inventory.view_local'],
    { kind: 'only', ids: [2] },
    user(2, 'Joost Prins', 2),
  ),
  /** Bound to both Utrecht locations: reports need a location_id. */
  regional: role(
    'Regional manager',
    [...IN_SIGHT, 'inventory.view_local'],
    { kind: 'only', ids: [2, 3] },
    user(3, 'Ayşe Kaya'),
  ),
  /** Bound to all locations but Amsterdam Noord, by an open set. */
  auditor: role('Auditor', CAPABILITIES, { kind: 'except', ids: [5] }, user(4, 'Koen Wolters')),
  /** Holds capabilities, but its binding covers no location. */
  unbound: role('Trainee', CAPABILITIES, { kind: 'only', ids: [] }, user(5, 'Lotte Haan')),
  /** No inventory capabilities. */
  clerk: role('Clerk', IN_SIGHT, { kind: 'all' }, user(6, 'Sem Kok')),
  /** An empty capabilities map. */
  powerless: role('Guest', [], { kind: 'all' }, user(7, 'Gast')),
  /** Sees everything, but its profile lookup fails. */
  faceless: role('Integration', CAPABILITIES, { kind: 'all' }, undefined),
} as const satisfies Record<string, Role>;

export type RoleName = keyof typeof ROLES;

/** The names of all demo roles. */
export const ROLE_NAMES = Object.keys(ROLES) as readonly RoleName[];

function role(
  title: string,
  capabilities: readonly Capability[],
  scope: Scope,
  profile: Role['user'],
): Role {
  return { title, capabilities, scope, user: profile };
}

function user(id: number, name: string, lockedLocationId: number | null = null) {
  return { id, name, lockedLocationId };
}
