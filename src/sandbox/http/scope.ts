/** What a role may see: decisions about locations and capabilities, without side effects. */

import type { Capability, Role, Scope } from '../access/role.ts';
import type { Location, Shop } from '../world/business/places.ts';
import { notFound, ProblemError } from './problem.ts';

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
