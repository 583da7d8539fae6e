import { describe, expect, test } from 'vitest';
import { ROLES, type RoleName } from '../../../src/sandbox/access/role.ts';
import { reportLocation, requireStockView, visibleShops } from '../../../src/sandbox/http/scope.ts';
import { ProblemError } from '../../../src/sandbox/wire/problem.ts';
import { LOCATIONS, SHOPS } from '../../../src/sandbox/world/business/places.ts';

/** What a decision gives: its value, or the status it refuses with. */
function outcome<T>(decide: () => T): T | number {
  try {
    return decide();
  } catch (error) {
    if (error instanceof ProblemError) return error.status;
    throw error;
  }
}

describe('the location of a report (section 4, rule 11)', () => {
  test.each<[RoleName, number | undefined, number | undefined]>([
    ['owner', undefined, undefined],
    ['owner', 2, 2],
    ['owner', 7, 404],
    ['manager', undefined, 2],
    ['manager', 2, 2],
    ['manager', 3, 404],
    ['regional', undefined, 403],
    ['regional', 3, 3],
    ['regional', 5, 404],
    ['auditor', undefined, 403],
    ['auditor', 3, 3],
    ['auditor', 5, 404],
    ['auditor', 99, 404],
    ['unbound', undefined, 403],
    ['unbound', 2, 403],
  ])('for the role %s asking for %s is %s', (role, requested, expected) => {
    expect(outcome(() => reportLocation(ROLES[role], requested, LOCATIONS))).toBe(expected);
  });

  test('is refused with a detail that says to pass location_id', () => {
    expect(() => reportLocation(ROLES.regional, undefined, LOCATIONS)).toThrow(/pass location_id/);
  });
});

describe('the view on stock (section 4, rule 9)', () => {
  test.each<[RoleName, number | undefined, number | undefined]>([
    ['owner', 5, undefined],
    ['manager', undefined, undefined],
    ['manager', 2, undefined],
    ['manager', 3, 403],
    ['auditor', 5, undefined],
    ['clerk', undefined, undefined],
    ['clerk', 2, 403],
    ['powerless', 2, 403],
  ])('of the role %s on location %s answers %s', (role, locationId, expected) => {
    expect(outcome(() => requireStockView(ROLES[role], locationId))).toBe(expected);
  });

  test.each<[RoleName, number, string]>([
    ['clerk', 2, 'inventory.view_local'],
    ['manager', 5, 'inventory.view_other_locations'],
  ])('refuses the role %s location %i by naming %s', (role, locationId, capability) => {
    expect(() => requireStockView(ROLES[role], locationId)).toThrow(capability);
  });
});

describe('the visible shops', () => {
  test.each<[RoleName, number | undefined, number[]]>([
    ['owner', undefined, [1, 2, 3, 4, 7, 8]],
    ['owner', 5, []],
    ['manager', undefined, [3, 4]],
    ['manager', 1, []],
    ['regional', undefined, [1, 3, 4, 7, 8]],
    ['auditor', undefined, [1, 3, 4, 7, 8]],
    ['unbound', undefined, []],
  ])('of the role %s asking for %s are %j', (role, shopId, expected) => {
    expect(visibleShops(ROLES[role], SHOPS, shopId)).toEqual(expected);
  });
});
