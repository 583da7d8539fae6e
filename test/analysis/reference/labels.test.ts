import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelPayload } from '../../../src/analysis/reference/reference.ts';
import { fakeServices, smallBusiness } from '../fake-services.ts';

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
    expect(warnings).toEqual([
      {
        code: 'no_names',
        text: 'location_id has no names: the locations could not be read (GET /api/location failed.).',
      },
    ]);
  });

  test('stops when the call is cancelled', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    const { services } = fakeServices();
    await expect(labelPayload(services, { shop_id: 3 }, signal)).rejects.toThrow('gone');
  });
});
