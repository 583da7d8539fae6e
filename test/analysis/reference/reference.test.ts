import { describe, expect, test } from 'vitest';
import {
  type ReferenceKind,
  readEntries,
  referenceTtlMs,
} from '../../../src/analysis/reference/reference.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { settled } from '../../client/fake-clock.ts';
import { fakeServices, smallBusiness } from '../fake-services.ts';

describe('readEntries', () => {
  test.each<[kind: ReferenceKind, row: JsonObject, read: object]>([
    ['shop', { id: 9, name: 'Webshop', code: 'WS' }, { id: 9, name: 'Webshop', aliases: ['WS'] }],
    [
      'payment_method',
      { id: 900, provider_method_type_id: 21, type_alias: 'Cash', name: 'Contant' },
      { id: 21, name: 'Contant', aliases: ['Cash'] },
    ],
    ['shop', { id: 3, shop_id: 8, name: 'A' }, { id: 3 }],
    ['location', { location_id: 11, name: 'A' }, { id: 11 }],
    ['tax_rate', { id: 1, percentage: 21 }, { name: '1' }],
    ['tax_rate', { id: 1, percentage: 21, country_code: 'NL' }, { name: 'NL 21%' }],
    ['tax_rate', { id: 1, name: { toString: 1 }, code: ['NL'] }, { name: '1' }],
    ['shop', { id: 2, name: ' ' }, { name: '2' }],
  ])('reads a %s: %j', (kind, row, read) => {
    expect(readEntries(kind, [row])).toEqual([expect.objectContaining({ kind, row, ...read })]);
  });

  test.each<[where: string, { x: string } | object]>([
    ['title', { code: 'a', title: 'One' }],
    ['its only text', { x: 'One' }],
  ])('finds the name in %s, whatever the platform calls it', (_, row) => {
    expect(readEntries('tax_rate', [{ id: 1, ...row }])[0]?.name).toBe('One');
  });

  test('finds the name in the column that tells rows apart', () => {
    const rows = ['One', 'Two'].map((text, id) => ({ id, country: 'NL', omschrijving: text }));
    expect(readEntries('tax_rate', rows).map(({ name }) => name)).toEqual(['One', 'Two']);
  });

  test('leaves out what has no usable id', () => {
    const rows = [null, 5, 'a', [], {}, { id: 'x' }, { id: 1.5 }, { id: 2, name: 'A' }];
    expect(readEntries('shop', rows).map(({ id }) => id)).toEqual([2]);
  });
});

describe('ReferenceLists', () => {
  test('reads a list when first asked, and again when it is stale', async () => {
    let nowMs = 0;
    const { services, asked } = fakeServices(smallBusiness, () => nowMs);
    await services.reference.list('shop');
    nowMs = referenceTtlMs - 1;
    const names = (await services.reference.list('shop')).map(({ name }) => name);
    expect(names).toEqual(['Utrecht Centraal', 'Utrecht Oost', 'Webshop']);
    expect(asked).toEqual(['/api/shop']);
    nowMs = referenceTtlMs;
    await services.reference.list('shop');
    expect(asked).toEqual(['/api/shop', '/api/shop']);
  });

  test('reads beside a question what is not there, of what the caller may have', async () => {
    const { services, asked } = fakeServices();
    await services.reference.list('shop');
    const own = services.reference.within(new Set(['orders']));
    own.prefetch(['shop_id', 'segment_id', 'location_id', 'order_id']);
    await settled();
    expect(asked).toEqual(['/api/shop', '/api/location']);
    await own.entries('location');
    expect(asked).toHaveLength(2);
  });

  test('fails no question for what was read beside it', async () => {
    const { services } = fakeServices({ '/api/shop': 'upstream_failed' });
    services.reference.prefetch(['shop_id'], AbortSignal.abort());
    services.reference.prefetch(['shop_id']);
    await settled();
  });

  test('reads a list to its end when one answer was not all of it', async () => {
    const shops = Array.from({ length: 120 }, (_, index) => ({ id: index + 1, name: `S${index}` }));
    const { services } = fakeServices({ '/api/shop': shops });
    expect(await services.reference.list('shop')).toHaveLength(120);
  });

  test.each([
    ['remembers a refusal, so that an answer costs no second one', 'forbidden', 1],
    ['asks again after a failure that passes', 'upstream_failed', 2],
  ] as const)('%s', async (_, code, requests) => {
    const { services, asked } = fakeServices({ '/api/shop': code });
    for (let time = 0; time < 2; time++)
      await expect(services.reference.list('shop')).rejects.toMatchObject({ code });
    expect(asked).toHaveLength(requests);
  });
});
