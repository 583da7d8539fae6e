/**
 * API keys and the tokens minted from them (docs/platform.md#api-keys); roles, the capabilities they hold and the
 * locations they are bound to (docs/platform.md#access), and what a role may see.
 */
import { randomUUID } from 'node:crypto';
import type { Location, Shop } from '../world/business/account.ts';
import { notFound, ProblemError } from './problem.ts';

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

/** An API key: what a person hands to one integration. */
export interface ApiKey {
  /** A fixed prefix, the account name, a dot and a key id. */
  clientId: string;
  clientSecret: string;
}

/** A token as the platform keeps it. */
export interface Token {
  clientId: string;
  roleName: RoleName;
  expiresMs: number;
  /** Minted for a browser session: refused on every /api route. */
  isBrowserSession: boolean;
}

/** Who calls: the key that the rate budget belongs to, and its role. */
export interface Caller {
  token: Token;
  role: Role;
}

/** The demo keys, one for each role. */
export const KEYS: Readonly<Record<RoleName, ApiKey>> = {
  owner: apiKey('owner'),
  manager: apiKey('manager'),
  regional: apiKey('regional'),
  auditor: apiKey('auditor'),
  unbound: apiKey('unbound'),
  clerk: apiKey('clerk'),
  powerless: apiKey('powerless'),
  faceless: apiKey('faceless'),
};

/** Mints and recognises tokens; knows which keys are revoked. */
export class Keyring {
  readonly lifetimeMs: number;
  /** Ids of keys whose tokens and exchange answer 401. */
  readonly revoked = new Set<string>();
  readonly #now: () => number;
  readonly #tokens = new Map<string, Token>();

  constructor(lifetimeSeconds: number, now: () => number) {
    this.lifetimeMs = lifetimeSeconds * 1000;
    this.#now = now;
  }

  exchange(clientId: string, clientSecret: string): string | undefined {
    const roleName = ROLE_NAMES.find((name) => KEYS[name].clientId === clientId);
    if (roleName === undefined || KEYS[roleName].clientSecret !== clientSecret) return undefined;
    return this.revoked.has(clientId) ? undefined : this.mint(roleName, false);
  }

  mint(roleName: RoleName, isBrowserSession: boolean): string {
    const text = `sbx_${randomUUID()}`;
    const { clientId } = KEYS[roleName];
    const expiresMs = this.#now() + this.lifetimeMs;
    this.#tokens.set(text, { clientId, roleName, expiresMs, isBrowserSession });
    return text;
  }

  /** Who holds this token, or a sentence saying why it is refused. */
  recognise(text: string): Caller | string {
    const token = this.#tokens.get(text);
    if (token === undefined) return 'The access token is not known.';
    if (token.expiresMs <= this.#now()) return 'The access token has expired.';
    if (this.revoked.has(token.clientId)) return 'The API key of this token was revoked.';
    if (token.isBrowserSession) return 'The token was minted for a browser session.';
    return { token, role: ROLES[token.roleName] };
  }

  expireAll(): void {
    for (const token of this.#tokens.values()) token.expiresMs = 0;
  }
}

function apiKey(name: RoleName): ApiKey {
  return { clientId: `ck_sandbox.${name}`, clientSecret: `sandbox-secret-of-${name}` };
}

/** Whether a scope covers a location. */
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
 * The one location a report is about, or undefined for all (docs/platform.md#report-scope).
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

/** @throws ProblemError 403 without the capability for stock there (docs/platform.md#stock-by-location) */
export function requireStockView(role: Role, locationId: number | undefined): void {
  if (locationId === undefined || seesStock(role, locationId)) return;
  const needed: Capability = covers(role.scope, locationId)
    ? 'inventory.view_local'
    : 'inventory.view_other_locations';
  requireCapability(role, needed);
}

/** Whether the role may see the stock of a location. */
export function seesStock({ scope, capabilities }: Role, locationId: number): boolean {
  const isOwn = covers(scope, locationId) && capabilities.includes('inventory.view_local');
  return isOwn || capabilities.includes('inventory.view_other_locations');
}

/** Ids of the shops whose orders a role sees, of one shop or of all. */
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
