import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { asksOf, tableArguments } from '../../../src/analysis/tables/asks.ts';

const tool = {
  input: z.strictObject({
    period: z.string().optional(),
    shop_id: z.string().optional(),
    kinds: z.array(z.string()).optional(),
    product_ids: z.string().optional(),
    all: z.boolean().optional(),
    start: z.int().optional(),
    limit: z.int().optional(),
    fields: z.array(z.string()).optional(),
    sort: z.string().optional(),
    top: z.int().optional(),
  }),
  batchArgument: 'product_ids',
};

describe('the arguments of a table', () => {
  test('are those of its tool but for the form of an answer', () => {
    expect(tableArguments(tool)).toEqual(['period', 'shop_id', 'kinds', 'product_ids']);
  });
});

describe('the calls for a table', () => {
  test.each([
    ['one without arguments', {}, [{ input: {}, carried: {} }]],
    [
      'one for plain values',
      { period: { value: 'today' }, shop_id: { value: 3 } },
      [{ input: { period: 'today', shop_id: 3 }, carried: {} }],
    ],
    ['none of it for null', { shop_id: { value: null } }, [{ input: {}, carried: {} }]],
    [
      'one for each of a list, which the rows carry',
      { shop_id: { value: ['1', '2', '1', null] } },
      [
        { input: { shop_id: '1' }, carried: { shop_id: '1' } },
        { input: { shop_id: '2' }, carried: { shop_id: '2' } },
      ],
    ],
    [
      'one for each of a subquery',
      { shop_id: { values: [7, 8], from: 'subquery' } },
      [
        { input: { shop_id: 7 }, carried: { shop_id: 7 } },
        { input: { shop_id: 8 }, carried: { shop_id: 8 } },
      ],
    ],
    ['none for a subquery without rows', { shop_id: { values: [], from: 'subquery' } }, []],
    [
      'one for an argument that is a list by nature',
      { kinds: { value: ['shop', 'location'] } },
      [{ input: { kinds: ['shop', 'location'] }, carried: {} }],
    ],
    [
      'one for a batch of ids, each once',
      { product_ids: { values: [5, 6, 5], from: 'lateral' } },
      [{ input: { product_ids: '5,6' }, carried: {} }],
    ],
    [
      'each pair of two lists',
      { period: { value: ['a', 'b'] }, shop_id: { value: ['1', '2'] } },
      ['a', 'b'].flatMap((period) =>
        ['1', '2'].map((shop_id) => ({ input: { period, shop_id }, carried: { period, shop_id } })),
      ),
    ],
  ] as const)('are %s', (_, args, asks) => {
    expect(asksOf(tool, args)).toEqual(asks);
  });

  test('share a hundred ids of a batched argument at most, and lose none', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 1e6 }), { maxLength: 450 }), (ids) => {
        const asks = asksOf(tool, { product_ids: { values: ids, from: 'subquery' } });
        const batches = asks.map(({ input }) => String(input.product_ids).split(',').map(Number));
        expect(batches.flat()).toEqual(ids);
        expect(batches).toHaveLength(Math.ceil(ids.length / 100));
        for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(100);
      }),
    );
  });
});
