import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isRecord } from '../../../src/core/json.ts';
import { listOrders } from '../../../src/endpoints/orders.ts';
import { oddityIn } from '../../../src/mcp/answers/documented-form.ts';

const form = listOrders.output;

describe('the documented form of an answer', () => {
  test('lets through what the document does not name', () => {
    const row = { id: 1, total_wt: '12.50', new_field: { of: ['any', 1] } };
    expect(oddityIn({ total: 1, data: [row], context: {}, more: null }, form)).toBeUndefined();
  });

  test.each([
    [{ data: [{ id: 1 }, { id: 'one' }] }, /^data\.1\.id: .*number/],
    [{ data: [{ discount_value_wt: [] }] }, /^data\.0\.discount_value_wt: /],
    [{ data: 'none' }, /^data: .*array/],
    [{ total: '5' }, /^total: .*number/],
  ])('names the first field of %j that it does not fit', (answer, said) => {
    expect(oddityIn(answer, form)).toMatch(said);
  });

  test('is held to what a field of lists is held to', () => {
    const atLeastTwo = z.looseObject({ data: z.array(z.looseObject({ id: z.int() })).min(2) });
    expect(oddityIn({ data: [{ id: 1, name: 'a' }] }, atLeastTwo)).toMatch(/^data: /);
    expect(oddityIn({ data: [{ id: 1 }, { id: 2 }] }, atLeastTwo)).toBeUndefined();
  });

  test('says of any answer what its schema says', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (row, total) => {
        const answer = { total, data: [isRecord(row) ? row : { id: row }] };
        expect(oddityIn(answer, form) === undefined).toBe(form.safeParse(answer).success);
      }),
    );
  });
});
