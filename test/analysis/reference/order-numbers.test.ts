import { describe, expect, test } from 'vitest';
import { checkOrderId, createOrderNumbers } from '../../../src/analysis/reference/order-numbers.ts';

function seen(...rows: unknown[]) {
  const numbers = createOrderNumbers();
  numbers.remember(rows);
  return numbers;
}

describe('checkOrderId', () => {
  test('warns of a number that is the number of another order', () => {
    expect(checkOrderId(seen({ id: 900, order_number: 77 }), 77)).toEqual([
      '77 is also the order_number of another order, whose id is 900. This answer is the order with the id 77; if the number was meant, give it as order_number.',
    ]);
  });

  test('knows a number however it is written', () => {
    expect(checkOrderId(seen({ id: '900', order_number: '77' }), '77')).toHaveLength(1);
  });

  test.each<[what: string, row: unknown, given: unknown]>([
    ['an id that was not seen as a number', { id: 900, order_number: 77 }, 900],
    ['an order whose number is its id', { id: 77, order_number: 77 }, 77],
    ['a number that no id can be', { id: 900, order_number: 'W2026-77' }, 'W2026-77'],
    ['a row without a number', { id: 900 }, undefined],
    ['a row without an id', { order_number: 77 }, 77],
    ['what is no row', null, 77],
  ])('says nothing of %s', (_, row, given) => {
    expect(checkOrderId(seen(row), given)).toEqual([]);
  });
});
