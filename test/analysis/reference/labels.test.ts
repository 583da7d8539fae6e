import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelPayload } from '../../../src/analysis/reference/reference.ts';
import { fakeServices, smallBusiness } from '../fake-services.ts';

describe('labelPayload', () => {
  test('names every reference id, wherever nested', async () => {
    const { services } = fakeServices();
    const report = {
      turnover_by_group: [{ product_group_id: 5, shops: [{ shop_id: 3 }, { shop_id: '9' }] }],
      direct_paid: {
        rates: { high: { tax_rate_id: 1 } },
        payments: [{ provider_method_type_id: 22 }],
      },
      location_id: 11,
      customer: { segment_id: 40 },
    };
    expect(await labelPayload(services, report)).toEqual({
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

  test('reads only the lists of ids that occur', async () => {
    const { services, asked } = fakeServices();
    await labelPayload(services, { rows: [{ shop_id: 3, id: 5, order_id: 1 }] });
    expect(asked).toEqual(['/api/shop']);
    await labelPayload(services, { total: 5 });
    expect(asked).toEqual(['/api/shop']);
  });

  test('takes ids as numbers, texts and lists, whatever a payload is', async () => {
    const { services } = fakeServices();
    const shops = [{ shop_id: 3 }, { shop_id: [9, '9', null] }, { deeper: { shop_id: 'Webshop' } }];
    const { labels } = await labelPayload(services, { shops, location_id: 1.5 });
    expect(labels).toEqual({ shop_id: { '3': 'Utrecht Centraal', '9': 'Webshop' } });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (payload) => {
        await labelPayload(services, { shop_id: payload, payload });
      }),
    );
  });

  test('leaves out ids that no list knows, and lists without names', async () => {
    const { services } = fakeServices({ '/api/shop': [{ id: 3 }] });
    expect(await labelPayload(services, { shop_id: 3, location_id: 99 })).toEqual({
      labels: {},
      warnings: [],
    });
  });

  test('costs an answer a warning, no more, where names cannot be read', async () => {
    const { services } = fakeServices({ ...smallBusiness, '/api/location': 'forbidden' });
    const { labels, warnings } = await labelPayload(services, {
      shop_id: 3,
      location_id: 11,
    });
    expect(labels).toEqual({ shop_id: { '3': 'Utrecht Centraal' } });
    expect(warnings).toEqual([
      'location_id has no names: the locations could not be read (GET /api/location failed.).',
    ]);
  });

  test('stops when the call is cancelled', async () => {
    const { services } = fakeServices();
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(labelPayload(services, { shop_id: 3 }, signal)).rejects.toThrow('gone');
  });
});
