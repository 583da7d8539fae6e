/**
 * API keys, tokens and roles, and the data that a role may see (docs/platform.md#api-keys, docs/platform.md#access).
 */
import { randomUUID } from 'node:crypto';
import type { Location, Shop } from '../world/business/account.ts';
import { notFound, ProblemError } from './problem.ts';

const LOCATION_VIEWS = ['location.list', 'location.view'] as const;
const STOCK = ['inventory.view_local', 'inventory.view_other_locations'] as const;
const CAPABILITIES = [...LOCATION_VIEWS, ...STOCK];

export type Capability = (typeof CAPABILITIES)[number];

/** The locations of a caller; `only` without ids covers none. */
export type Scope = { kind: 'all' } | { kind: 'only' | 'except'; ids: readonly number[] };

export interface ApiKey {
  /** `PREFIX_ACCOUNT.KEY`. */
  clientId: string;
  clientSecret: string;
}

/** The role of a key; `user` is undefined where the profile cannot be read. */
export interface Role extends ApiKey {
  name: string;
  title: string;
  capabilities: readonly Capability[];
  scope: Scope;
  user: { id: number; name: string; lockedLocationId?: number } | undefined;
}

const ALL: Scope = { kind: 'all' };
const LOCAL = [...LOCATION_VIEWS, 'inventory.view_local'] as const;

/** A role with a key for every rule about scopes and capabilities. */
export const ROLES = {
  owner: role('owner', 'Owner', CAPABILITIES, ALL, { id: 1, name: 'Marijke van Dam' }),
  /** Locked to Utrecht Centraal. */
  manager: role(
    'manager',
    'Store manager',
    LOCAL,
    { kind: 'only', ids: [2] },
    { id: 2, name: 'Joost Prins', lockedLocationId: 2 },
  ),
  /** Bound to both Utrecht locations: reports need a location_id. */
  regional: role(
    'regional',
    'Regional manager',
    LOCAL,
    { kind: 'only', ids: [2, 3] },
    { id: 3, name: 'Ayşe Kaya' },
  ),
  /** Bound to all locations except Amsterdam Noord, by an open set. */
  auditor: role(
    'auditor',
    'Auditor',
    CAPABILITIES,
    { kind: 'except', ids: [5] },
    { id: 4, name: 'Koen Wolters' },
  ),
  /** Holds capabilities, but its binding covers no location. */
  unbound: role(
    'unbound',
    'Trainee',
    CAPABILITIES,
    { kind: 'only', ids: [] },
    { id: 5, name: 'Lotte Haan' },
  ),
  clerk: role('clerk', 'Clerk', LOCATION_VIEWS, ALL, { id: 6, name: 'Sem Kok' }),
  powerless: role('powerless', 'Guest', [], ALL, { id: 7, name: 'Gast' }),
  /** Sees everything, but has no readable profile. */
  faceless: role('faceless', 'Integration', CAPABILITIES, ALL, undefined),
};

function role(
  name: string,
  title: string,
  capabilities: readonly Capability[],
  scope: Scope,
  user: Role['user'],
): Role {
  const key = { clientId: `ck_sandbox.${name}`, clientSecret: `sandbox-secret-of-${name}` };
  return { ...key, name, title, capabilities, scope, user };
}

/** The caller of a token. The rate budget belongs to the key of the role. */
export interface Caller {
  role: Role;
  expiresMs: number;
}

export class Keyring {
  readonly lifetimeMs: number;
  readonly #now: () => number;
  readonly #callers = new Map<string, Caller>();

  constructor(lifetimeSeconds: number, now: () => number) {
    this.lifetimeMs = lifetimeSeconds * 1000;
    this.#now = now;
  }

  exchange(clientId: string, clientSecret: string): string | undefined {
    const role = Object.values(ROLES).find((role) => role.clientId === clientId);
    return role?.clientSecret === clientSecret ? this.mint(role) : undefined;
  }

  mint(role: Role): string {
    const token = `sbx_${randomUUID()}`;
    this.#callers.set(token, { role, expiresMs: this.#now() + this.lifetimeMs });
    return token;
  }

  /** The caller of a token, or the reason of its refusal. */
  recognise(token: string): Caller | string {
    const caller = this.#callers.get(token);
    if (caller === undefined) return 'The access token is not known.';
    if (caller.expiresMs <= this.#now()) return 'The access token has expired.';
    return caller;
  }
}

export function covers(scope: Scope, locationId: number): boolean {
  if (scope.kind === 'all') return true;
  return scope.ids.includes(locationId) === (scope.kind === 'only');
}

/** @throws ProblemError 403 when the role lacks the capability */
export function requireCapability(role: Role, capability: Capability): void {
  if (!role.capabilities.includes(capability)) {
    throw new ProblemError(403, `The role ${role.title} lacks the capability ${capability}.`);
  }
}

/** @throws ProblemError 403 when the role is bound to no location at all */
export function requireBinding(role: Role, locations: readonly Location[]): void {
  if (!locations.some(({ id }) => covers(role.scope, id))) {
    throw new ProblemError(403, `The binding of the role ${role.title} covers no location.`);
  }
}

/**
 * The location of a report, or undefined for all (docs/platform.md#report-scope).
 * @throws ProblemError 403 when the scope is not one location, 404 when the location is outside it
 */
export function reportLocation(
  role: Role,
  requested: number | undefined,
  locations: readonly Location[],
): number | undefined {
  const { scope } = role;
  requireBinding(role, locations);
  if (requested !== undefined) {
    const isSeen = covers(scope, requested) && locations.some(({ id }) => id === requested);
    if (!isSeen) throw notFound('location');
    return requested;
  }
  if (scope.kind === 'all') return undefined;
  const [only, ...others] = scope.ids;
  if (scope.kind === 'only' && others.length === 0) return only;
  throw new ProblemError(
    403,
    `The scope of the role ${role.title} is not one location: pass location_id naming one.`,
  );
}

/** @throws ProblemError 403 without the capability for this stock (docs/platform.md#stock-by-location) */
export function requireStockView(role: Role, locationId: number | undefined): void {
  if (locationId === undefined || seesStock(role, locationId)) return;
  const isOwn = covers(role.scope, locationId);
  requireCapability(role, isOwn ? 'inventory.view_local' : 'inventory.view_other_locations');
}

export function seesStock({ scope, capabilities }: Role, locationId: number): boolean {
  const isOwn = covers(scope, locationId) && capabilities.includes('inventory.view_local');
  return isOwn || capabilities.includes('inventory.view_other_locations');
}

/** Shops whose orders a role may see, of one shop or of all. */
export function visibleShops(
  role: Role,
  shops: readonly Shop[],
  shopId: number | undefined,
): number[] {
  return shops
    .filter(({ id }) => id === (shopId ?? id))
    .filter(({ locationId }) => covers(role.scope, locationId))
    .map(({ id }) => id);
}
