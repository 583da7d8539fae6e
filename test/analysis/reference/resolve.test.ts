import { describe, expect, test } from 'vitest';
import { spaceOfKind } from '../../../src/analysis/reference/reference.ts';
import { resolveReference } from '../../../src/analysis/reference/resolve.ts';
import { fakeServices, smallBusiness } from '../fake-services.ts';

function resolve(kind: 'shop' | 'location' | 'tax_rate', given: string, lists = smallBusiness) {
  const { services, asked } = fakeServices(lists);
  const found = resolveReference(services.reference, 'a_tool', spaceOfKind(kind), given, undefined);
  return { found, asked };
}

describe('resolveReference', () => {
  test.each<[kind: 'shop' | 'location' | 'tax_rate', given: string, id: number]>([
    ['shop', '7 Utrecht Oost', 7],
    ['shop', 'Utrecht Oost (7)', 7],
    ['shop', ' utrecht oost  (7) ', 7],
    ['shop', 'webshop', 9],
    ['location', '12 Zwolle', 12],
    ['tax_rate', 'NL 21%', 1],
    ['tax_rate', '1 NL 21%', 1],
    ['tax_rate', 'Hoog', 1],
  ])('takes a %s as answers show it: %s', async (kind, given, id) => {
    expect(await resolve(kind, given).found).toMatchObject({ id, resolved: { given, id } });
  });

  test('takes a bare id without a request', async () => {
    const { found, asked } = resolve('shop', ' 7 ');
    expect(await found).toEqual({ id: 7 });
    expect(asked).toEqual([]);
  });

  test.each(['3 Utrecht Oost', 'Utrecht Oost (3)', '99 Utrecht Oost'])(
    'does not take %s, whose id and name are two shops',
    async (given) => {
      await expect(resolve('shop', given).found).rejects.toThrow(
        `no shop that this key may see is called "${given}"`,
      );
    },
  );

  test('says that a name is a shop, where a location was asked for', async () => {
    await expect(resolve('location', 'utrecht centraal').found).rejects.toThrow(
      'The locations are: Utrecht (11), Zwolle (12). Utrecht Centraal (3) is a shop: turnover of a shop is compare_turnover by: "shop"; lists take it as shop_id.',
    );
  });

  test('says that a name is a location, where a shop was asked for', async () => {
    await expect(resolve('shop', 'Zwolle').found).rejects.toThrow(
      'Zwolle (12) is a location: give it as location_id where the tool takes one.',
    );
  });

  test('refuses a name all the same where the other list cannot be read', async () => {
    const lists = { ...smallBusiness, '/api/location': 'forbidden' as const };
    await expect(resolve('shop', 'Zwolle', lists).found).rejects.toThrow(/^(?!.*is a location)/);
  });
});
