import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  labelPayload,
  type ReferenceKind,
  readEntries,
  referenceTtlMs,
} from '../../../src/analysis/reference/reference.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { settled } from '../../client/fake-clock.ts';
import { serverOver } from '../../server-over.ts';
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
    await services.reference.listForDisplay('shop');
    nowMs = referenceTtlMs - 1;
    const names = (await services.reference.listForDisplay('shop')).map(({ name }) => name);
    expect(names).toEqual(['Utrecht Centraal', 'Utrecht Oost', 'Webshop']);
    expect(asked).toEqual(['/api/shop']);
    nowMs = referenceTtlMs;
    await services.reference.listForDisplay('shop');
    expect(asked).toEqual(['/api/shop', '/api/shop']);
  });

  test('reads beside a question what is not there, of what the caller may have', async () => {
    const { services, asked } = fakeServices();
    await services.reference.listForDisplay('shop');
    const own = services.reference.forCaller(new Set(['orders']));
    own.prefetch(['shop_id', 'segment_id', 'location_id', 'order_id']);
    await settled();
    expect(asked).toEqual(['/api/shop', '/api/location']);
    await own.entriesForTranslation('location');
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
    expect(await services.reference.listForDisplay('shop')).toHaveLength(120);
  });

  test.each([
    ['remembers a refusal, so that an answer costs no second one', 'forbidden', 1],
    ['asks again after a failure that passes', 'upstream_failed', 2],
  ] as const)('%s', async (_, code, requests) => {
    const { services, asked } = fakeServices({ '/api/shop': code });
    for (let time = 0; time < 2; time++)
      await expect(services.reference.listForDisplay('shop')).rejects.toMatchObject({ code });
    expect(asked).toHaveLength(requests);
  });
});

async function labelsOf(payload: unknown, lists = smallBusiness) {
  const { services, asked } = fakeServices(lists);
  return { ...(await labelPayload(services, payload)), asked };
}

describe('labelPayload', () => {
  test('names every reference id, wherever nested', async () => {
    const report = {
      turnover_by_group: [{ product_group_id: 5, shops: [{ shop_id: 3 }, { shop_id: '9' }] }],
      direct_paid: {
        rates: { high: { tax_rate_id: 1 } },
        payments: [{ provider_method_type_id: 22 }],
      },
      location_id: 11,
      customer: { segment_id: 40 },
    };
    expect(await labelsOf(report)).toMatchObject({
      labels: {
        product_group_id: { '5': 'Koffie' },
        shop_id: { '3': 'Utrecht Centraal', '9': 'Webshop' },
        tax_rate_id: { '1': 'NL 21%' },
        provider_method_type_id: { '22': 'Pin' },
        location_id: { '11': 'Utrecht' },
        segment_id: { '40': 'Stamgasten' },
      },
      warnings: [],
    });
  });

  test('names no entry of a list outside the toolsets, though another caller has read it', async () => {
    const { services } = fakeServices();
    const ids = { shop_id: 3, segment_id: 40 };
    expect(Object.keys((await labelPayload(services, ids)).labels)).toEqual([
      'shop_id',
      'segment_id',
    ]);
    const reference = services.reference.forCaller(new Set(['orders']));
    expect((await labelPayload({ reference }, ids)).labels).toEqual({
      shop_id: { '3': 'Utrecht Centraal' },
    });
  });

  test('reads only the lists of ids that occur', async () => {
    const { asked } = await labelsOf({ rows: [{ shop_id: 3, id: 5, order_id: 1 }] });
    expect(asked).toEqual(['/api/shop']);
    expect((await labelsOf({ total: 5 })).asked).toEqual([]);
  });

  test('takes ids as numbers, texts and lists, whatever a payload is', async () => {
    const shops = [{ shop_id: 3 }, { shop_id: [9, '9', null] }, { deeper: { shop_id: 'Webshop' } }];
    const { labels } = await labelsOf({ shops, location_id: 1.5 });
    expect(labels).toEqual({ shop_id: { '3': 'Utrecht Centraal', '9': 'Webshop' } });
    const { services } = fakeServices();
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (payload) => {
        await labelPayload(services, { shop_id: payload, payload });
      }),
    );
  });

  test('leaves out ids that no list knows, and lists without names', async () => {
    const ids = { shop_id: 3, location_id: 99 };
    const { labels, warnings } = await labelsOf(ids, { '/api/shop': [{ id: 3 }] });
    expect([labels, warnings]).toEqual([{}, []]);
  });

  test('costs an answer a warning, no more, where names cannot be read', async () => {
    const lists = { ...smallBusiness, '/api/location': 'forbidden' as const };
    const { labels, warnings } = await labelsOf({ shop_id: 3, location_id: 11 }, lists);
    expect(labels).toEqual({ shop_id: { '3': 'Utrecht Centraal' } });
    expect(warnings).toMatchObject([
      {
        code: 'no_names',
        idField: 'location_id',
        noun: 'location',
        reason: { code: 'no_list', endpoint: 'GET /api/location' },
      },
    ]);
  });

  test('stops when the call is cancelled', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    const { services } = fakeServices();
    await expect(labelPayload(services, { shop_id: 3 }, signal)).rejects.toThrow('gone');
  });
});

test('names that come late hold no answer: they are read behind it, for the next one', async () => {
  const server = await serverOver('memory');
  server.sandbox.control.inject('slow=headers:path=/api/shop,times=1,ms=4000');
  const ask = () => server.ask('list_orders', { period: 'yesterday', fields: ['id', 'shop_id'] });
  const first = await ask();
  expect(first.rows.length).toBeGreaterThan(0);
  expect(first.warnings).toMatchObject([{ code: 'no_names', idField: 'shop_id' }]);
  const shops = server.sandbox.stats.byPath['/api/shop'];
  // The reading that goes on, and no other, gives them to a later answer.
  await expect.poll(async () => (await ask()).context.labels).toHaveProperty('shop_id');
  expect(server.sandbox.stats.byPath['/api/shop']).toBe(shops);
});

test('the entries of a cached list are read once, for all callers', async () => {
  const { app } = await serverOver('memory');
  const { reference, fence } = app.services;
  const shops = await reference.listForDisplay('shop');
  expect(shops).not.toHaveLength(0);
  expect(await reference.forCaller(fence).listForDisplay('shop')).toBe(shops);
});
