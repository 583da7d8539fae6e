import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeAccess } from '../../../../src/cli/commands/doctor/access.ts';
import { endpoints } from '../../../../src/endpoints/index.ts';

const all = {
  'location.list': true,
  'location.view': true,
  'inventory.view_local': true,
  'inventory.view_other_locations': true,
};

function me(authorization: object): object {
  return { account: { name: 'winkel' }, authorization };
}

describe('judgeAccess', () => {
  test('says who holds what', () => {
    expect(judgeAccess(me({ role: 'owner', capabilities: all }), endpoints)).toEqual({
      verdict: 'ok',
      detail:
        'role owner of account winkel; holds location.list, location.view, inventory.view_local, inventory.view_other_locations',
    });
  });

  test('asks for one of several capabilities where one is enough', () => {
    const { 'inventory.view_other_locations': _, ...local } = all;
    expect(judgeAccess(me({ capabilities: local }), endpoints).verdict).toBe('ok');
  });

  test('counts a capability that is spelt out as false for none', () => {
    const { remedy } = judgeAccess(
      me({ capabilities: { ...all, 'location.list': false } }),
      endpoints,
    );
    expect(remedy).toBe(
      'Until an administrator widens the role, these will be refused: list_locations (needs location.list).',
    );
  });

  test('is silent about tools that are not on offer', () => {
    const orders = endpoints.filter(({ toolset }) => toolset === 'orders');
    expect(judgeAccess(me({ capabilities: {} }), orders)).toMatchObject({
      verdict: 'ok',
      detail: expect.stringContaining('holds no capabilities'),
    });
  });

  test.each([
    [{ location: [2, 3] }, 'bound to location 2, 3', 'warning'],
    [{ location: { ids: [2] } }, 'bound to location 2', 'ok'],
    [{ location: { except: [5] } }, 'bound to all locations except 5', 'warning'],
    [{ location: { ids: [] } }, 'bound to no location', 'warning'],
    [{}, 'location.view', 'ok'],
  ])('reads bindings %j', (bindings, detail, verdict) => {
    expect(judgeAccess(me({ capabilities: all, bindings }), endpoints)).toMatchObject({
      verdict,
      detail: expect.stringContaining(detail),
    });
  });

  test('reads whatever the open fields of the answer hold', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (authorization) => {
        expect(judgeAccess({ authorization }, endpoints).detail).not.toBe('');
      }),
    );
  });
});
