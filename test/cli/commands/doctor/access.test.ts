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

  test('reads whatever the open fields of the answer hold', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (authorization) => {
        expect(judgeAccess({ authorization }, endpoints).detail).not.toBe('');
      }),
    );
  });
});
