import { describe, expect, test } from 'vitest';
import {
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
  severalShops,
} from '../../../src/analysis/reference/resolve.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { reasonOf } from '../../reasons.ts';
import { fakeServices, smallBusiness } from '../fake-services.ts';

const shops = [
  { id: 3, name: 'Utrecht Centraal' },
  { id: 7, name: 'Utrecht Oost' },
  { id: 9, name: 'Webshop' },
];
const locations = [
  { id: 11, name: 'Utrecht' },
  { id: 12, name: 'Zwolle' },
];
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

  test.each<[kind: ReferenceKind, given: string, reason: object]>([
    ['shop', 'utrecht', { code: 'ambiguous_name', count: 2, entries: shops.slice(0, 2) }],
    ['shop', 'Assen', { code: 'unknown_name', instead: { entries: shops } }],
    [
      'location',
      'utrecht centraal',
      {
        code: 'unknown_name',
        instead: {
          entries: locations,
          comparison: { against: 'none', shop_id: '3' },
          twin: { id: 3, name: 'Utrecht Centraal', kind: 'shop', related: [locations[0]] },
        },
      },
    ],
    ['shop', 'Zwolle', { instead: { twin: { id: 12, name: 'Zwolle', related: [] } } }],
  ])('refuses a %s %j with what there is', async (kind, given, reason) => {
    const space = spaceByKind[kind];
    await expect(resolve(kind, given).found).rejects.toMatchObject({
      reason: { ...reason, given, idField: space.idField, noun: space.noun },
    });
  });

  test.each(['Assen', 'utrecht'])('lists nothing to whom the list is closed: %s', async (given) => {
    const { found } = resolve('shop', given, smallBusiness, new Set(['orders']));
    const error: unknown = await found.catch((error: unknown) => error);
    expect(error).toMatchObject({ reason: { idField: 'shop_id' } });
    expect(JSON.stringify(Object(error).reason)).not.toMatch(/Centraal|entries/);
  });

  test('says that an id would do where a name cannot be looked up', async () => {
    const { found } = resolve('location', 'Utrecht', closedLocations);
    await expect(found).rejects.toMatchObject({
      code: 'forbidden',
      reason: { code: 'name_not_looked_up', idField: 'location_id', noun: 'location' },
    });
  });

  test('refuses a name all the same where the other list cannot be read', async () => {
    const { found } = resolve('shop', 'Zwolle', closedLocations);
    await expect(found).rejects.toThrow(reasonOf({ code: 'unknown_name', given: 'Zwolle' }));
    await expect(found).rejects.not.toHaveProperty('reason.instead.twin');
  });
});

describe('misplacedIds', () => {
  test.each<[given: JsonObject, found: object[], lists?: typeof smallBusiness]>([
    [{ shop_id: '3', location_id: 11, order_id: 999, from: '2026-11-20' }, []],
    [{ shop_id: 'Webshop' }, []],
    [{ location_id: 3 }, [], closedLocations],
    [
      { location_id: 9 },
      [
        {
          noun: 'location',
          id: 9,
          instead: {
            entries: locations,
            comparison: { against: 'none', shop_id: '9' },
            twin: { id: 9, name: 'Webshop', kind: 'shop', related: [] },
          },
        },
      ],
    ],
    [
      { shop_id: 11 },
      [
        {
          noun: 'shop',
          id: 11,
          instead: {
            entries: shops,
            twin: { id: 11, name: 'Utrecht', kind: 'location', related: shops.slice(0, 2) },
          },
        },
      ],
    ],
    [
      { segment_id: 4 },
      [{ noun: 'customer segment', id: 4, instead: { entries: [{ id: 40, name: 'Stamgasten' }] } }],
    ],
  ])('finds what is wrong with %j', async (given, found, lists = smallBusiness) => {
    const { reference } = fakeServices(lists).services;
    const misplaced = await misplacedIds(reference, given);
    expect(misplaced).toMatchObject(found.map((it) => ({ code: 'unknown_id', ...it })));
    expect(misplaced).toHaveLength(found.length);
  });

  test('stops when the call is cancelled', async () => {
    const { reference } = fakeServices().services;
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(misplacedIds(reference, { shop_id: 11 }, signal)).rejects.toThrow('gone');
  });
});

describe('severalShops', () => {
  const call = { tool: 'turnover_trend', arguments: { bucket: 'week' } };
  const utrecht = { given: 'utrecht', id: 11, name: 'Utrecht' };
  const renamed = {
    ...smallBusiness,
    '/api/shop': shops.map(({ id, name }) => {
      return { id, name: name.replace(' Oost', ''), location_id: 11 };
    }),
  };

  test.each([
    ['names the first', utrecht, smallBusiness, shops.slice(0, 2), undefined, '3'],
    ['names the one called like the location', utrecht, renamed, undefined, 'Utrecht', '7'],
  ])('%s, with its call', async (_, location, lists, listed, namesake, shop_id) => {
    const { reference } = fakeServices(lists).services;
    const [warning] = await severalShops(reference, location, call, undefined);
    expect(warning).toMatchObject({
      ...{ code: 'shop_or_location', given: 'utrecht', count: listed?.length ?? 3 },
      ...(listed && { shops: listed }),
      call: { ...call, arguments: { bucket: 'week', shop_id } },
    });
    expect(warning).toHaveProperty('namesake', namesake && { id: 7, name: namesake });
  });

  test('says nothing of one shop, and nothing where the list is closed', async () => {
    const { reference } = fakeServices().services;
    const zwolle = { given: 'Zwolle', id: 12, name: 'Zwolle' };
    const closed = reference.forCaller(new Set(['orders']));
    const withoutCalls = reference.forCaller(new Set(['reference']));
    expect(await severalShops(reference, zwolle, call, undefined)).toEqual([]);
    expect(await severalShops(closed, utrecht, call, undefined)).toEqual([]);
    const [warning] = await severalShops(withoutCalls, utrecht, call, undefined);
    expect(warning).toMatchObject({ count: 2, call: undefined });
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
      id: 4,
      name: 'Lunchroom Haarlem',
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
    const args = { date: 'yesterday', location_id: 'Webshop' };
    const refused = resolveReference(open, location, 'Webshop', undefined, args);
    const comparison = { period: 'yesterday', against: 'none', shop_id: '9' };
    const instead = { twin: { id: 9, kind: 'shop' }, ...(isSent && { comparison }) };
    if (!isSent)
      await refused.catch(({ reason }) => expect(reason.instead).not.toHaveProperty('comparison'));
    await expect(refused).rejects.toMatchObject({ reason: { instead } });
  });
});
