import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  foldName,
  listNames,
  type ReferenceEntry,
  type ReferenceKind,
  spaceByKind,
} from '../../../src/analysis/reference/reference.ts';
import {
  entriesNamed,
  misplacedIds,
  rankOf,
  resolveReference,
} from '../../../src/analysis/reference/resolve.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { fakeServices, smallBusiness } from '../fake-services.ts';

const closedLocations = { ...smallBusiness, '/api/location': 'forbidden' as const };

function entry(id: number, name: string, ...aliases: string[]): ReferenceEntry {
  return { kind: 'shop', id, name, aliases, row: { id, name } };
}

function resolve(kind: ReferenceKind, given: string, lists = smallBusiness, open?: Set<'orders'>) {
  const { services, asked } = fakeServices(lists);
  const reference = open ? services.reference.forCaller(open) : services.reference;
  const found = resolveReference(reference, spaceByKind[kind], given, undefined);
  return { found, asked };
}

describe('entriesNamed', () => {
  const shops = [
    entry(3, 'Utrecht Centraal'),
    entry(7, 'Utrecht Oost'),
    entry(9, 'Webshop', 'online', 'WS-NL'),
    entry(10, 'Café Zwolle'),
    entry(11, 'Zwolle'),
    entry(12, 'Zwolle Zuid'),
    entry(13, 'Oosterbeek'),
  ];

  test.each([
    ['  webSHOP ', [9]],
    ['CAFE  zwolle', [10]],
    ['Online', [9]],
    ['ws-nl', [9]],
    ['Zwolle', [11]],
    ['utrecht c', [3]],
    ['oost', [7, 13]],
    ['zuid', [12]],
    ['utrecht', [3, 7]],
    ['shop', []],
    ['7 utrecht oost', [7]],
    [' Utrecht Oost  (7)', [7]],
    ['Oost (7)', [7]],
    ['7 utrecht', [7]],
    ['3 Utrecht Oost', []],
    ['Utrecht Oost (3)', []],
  ])('takes %j for shops %j', (given, ids) => {
    expect(entriesNamed(given, shops).map(({ id }) => id)).toEqual(ids);
  });

  test('finds every entry by its own name', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((it) => foldName(it) !== '');
    fc.assert(
      fc.property(fc.uniqueArray(name, { selector: foldName, minLength: 1 }), (names) => {
        const entries = names.map((it, index) => entry(index + 1, it));
        for (const one of entries) expect(entriesNamed(` ${one.name} `, entries)).toContain(one);
      }),
    );
  });
});

test.each([
  ['10', 0],
  ['1', -1],
  ['10 caf', 1],
  ['zwolle', 2],
  ['wolle', 3],
])('%j answers to Café Zwolle (10) with rank %i', (wanted, rank) => {
  expect(rankOf(entry(10, 'Café Zwolle'), wanted)).toBe(rank);
});

describe('resolveReference', () => {
  test.each<[kind: ReferenceKind, given: string, id: number]>([
    ['shop', 'webshop', 9],
    ['location', '12 Zwolle', 12],
    ['tax_rate', 'NL 21%', 1],
    ['tax_rate', 'Hoog', 1],
  ])('takes a %s by name: %s', async (kind, given, id) => {
    expect(await resolve(kind, given).found).toMatchObject({ id, resolved: { given, id } });
  });

  test('takes a bare id without a request', async () => {
    const { found, asked } = resolve('shop', ' 7 ');
    expect([await found, asked]).toEqual([{ id: 7 }, []]);
  });

  test.each<[kind: ReferenceKind, given: string, says: string | RegExp]>([
    [
      'shop',
      'utrecht',
      '"utrecht" names 2 shops: Utrecht Centraal (3), Utrecht Oost (7). Give one of these ids as shop_id.',
    ],
    [
      'shop',
      'Assen',
      'no shop that this key may see is called "Assen". The shops are: Utrecht Centraal (3), Utrecht Oost (7), Webshop (9).',
    ],
    [
      'location',
      'utrecht centraal',
      '3 is the shop Utrecht Centraal, not a location: its location_id is Utrecht (11). Turnover of a shop is compare_turnover by: "shop". The locations are: Utrecht (11), Zwolle (12).',
    ],
    ['shop', 'Zwolle', '12 is the location Zwolle, not a shop. The shops are'],
    ['shop', `x\n${'y'.repeat(500)}`, /"x\\ny+…"/],
  ])('refuses a %s %j with what there is', async (kind, given, says) => {
    await expect(resolve(kind, given).found).rejects.toThrow(says);
  });

  test.each(['Assen', 'utrecht'])('lists nothing to whom the list is closed: %s', async (given) => {
    const { found } = resolve('shop', given, smallBusiness, new Set(['orders']));
    await expect(found).rejects.toThrow(/^(?!.*Centraal).*Give the id as shop_id\.$/);
  });

  test('says that an id would do where a name cannot be looked up', async () => {
    const { found } = resolve('location', 'Utrecht', closedLocations);
    await expect(found).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(
        /^the name of the location could not be looked up \(.*\) Give its id as location_id instead\.$/,
      ),
    });
  });

  test('refuses a name all the same where the other list cannot be read', async () => {
    const { found } = resolve('shop', 'Zwolle', closedLocations);
    await expect(found).rejects.toThrow(/^(?!.*is the location)/);
  });
});

describe('misplacedIds', () => {
  const noSegment = 'No customer segment that this key may see has id 4.';

  test.each<[given: JsonObject, says: string[], lists?: typeof smallBusiness]>([
    [{ shop_id: '3', location_id: 11, order_id: 999, from: '2026-11-20' }, []],
    [{ shop_id: 'Webshop' }, []],
    [{ location_id: 3 }, [], closedLocations],
    [
      { location_id: 9 },
      [
        'No location that this key may see has id 9.',
        '9 is the shop Webshop, not a location. Turnover of a shop is compare_turnover by: "shop".',
        'The locations are: Utrecht (11), Zwolle (12).',
      ],
    ],
    [
      { shop_id: 11 },
      [
        'No shop that this key may see has id 11.',
        '11 is the location Utrecht, not a shop: its shop_id is Utrecht Centraal (3), Utrecht Oost (7).',
        'The shops are: Utrecht Centraal (3), Utrecht Oost (7), Webshop (9).',
      ],
    ],
    [{ segment_id: 4 }, [noSegment, 'The customer segments are: Stamgasten (40).']],
  ])('says of %j what is wrong', async (given, says, lists = smallBusiness) => {
    const { reference } = fakeServices(lists).services;
    expect(await misplacedIds(reference, given)).toEqual(says);
  });

  test('stops when the call is cancelled', async () => {
    const { reference } = fakeServices().services;
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(misplacedIds(reference, { shop_id: 11 }, signal)).rejects.toThrow('gone');
  });
});

test('a sentence lists as many names as it bears', () => {
  const many = Array.from({ length: 15 }, (_, index) => entry(index + 1, `S${index + 1}`));
  expect(listNames(many)).toMatch(/^S1 \(1\), .*S12 \(12\) and 3 more$/);
  expect(listNames([entry(9, '9')])).toBe('9');
});

describe('a name that a shop and a location share', () => {
  const haarlem = {
    ...smallBusiness,
    '/api/shop': [{ id: 4, name: 'Lunchroom Haarlem', location_id: 2 }],
    '/api/location': [{ id: 2, name: 'Haarlem' }],
  };

  test('says both where the shop was found by a part of its name', async () => {
    const { found } = resolve('shop', 'Haarlem', haarlem);
    expect((await found).resolved).toMatchObject({
      ...{ id: 4, name: 'Lunchroom Haarlem' },
      note: 'while the location Haarlem is 2',
    });
  });

  test('says one where it is the name of what was asked for', async () => {
    const { found } = resolve('location', 'haarlem', haarlem);
    expect((await found).resolved).toEqual({ given: 'haarlem', id: 2, name: 'Haarlem' });
  });

  test.each([
    ['with the tools of analysis', ['reference', 'analysis'], true],
    ['without them', ['reference'], false],
  ] as const)('is sent to compare_turnover only %s', async (_, toolsets, isSent) => {
    const { reference } = fakeServices().services;
    const { location } = spaceByKind;
    const open = reference.forCaller(new Set(toolsets));
    const refused = resolveReference(open, location, 'Webshop', undefined);
    const message = await refused.then(String, String);
    expect(message).toContain('9 is the shop Webshop, not a location');
    expect(message.includes('compare_turnover')).toBe(isSent);
  });
});
