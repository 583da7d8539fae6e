import { describe, expect, test } from 'vitest';
import { compareTotal } from '../../../src/analysis/endpoint/companions.ts';
import { endpointMessages } from '../../../src/analysis/endpoint/messages.ts';
import { part } from '../../mcp/questions.ts';
import { requestsTo, sharedServer } from '../../server-over.ts';

const line = (kind: string, total_wt: number) => ({ kind, total_wt });

describe('lines held against the total of their order', () => {
  test.each([
    [50, [line('product', 50)], 'add up to total_wt 50.00 of the order'],
    [
      45,
      [line('product', 50), line('discount', -5)],
      'add up to total_wt 45.00 of the order, discount included: do not subtract it again',
    ],
    [
      45,
      [line('product', 45), line('discount', -5)],
      'add up to total_wt 45.00 of the order without those of kind discount, which the others include: do not add them twice',
    ],
    [
      20,
      [line('payment', 20), line('invoice_payment', 20)],
      'of kind invoice_payment add up to total_wt 20.00 of the order; payment lines are the same money: do not add them',
    ],
    [
      278.15,
      [line('product', 270), line('shipping', 8.15), line('payment', 278.15)],
      'of kind product and shipping add up to total_wt 278.15 of the order; payment lines are the same money: do not add them',
    ],
    [
      45,
      [line('product', 45), line('discount', -5), line('payment', 45)],
      'of kind product and discount add up to total_wt 45.00 of the order without those of kind discount, which the others include: do not add them twice; payment lines are the same money: do not add them',
    ],
    [45, [line('product', 50)], 'add up to 50.00, not to total_wt 45.00 of the order'],
  ])('say how they make %d: %j', (total_wt, lines, said) => {
    expect(compareTotal({ total_wt, discount_value_wt: 5 }, lines)).toEqual({ lines: said });
  });

  test('say nothing where they and their order share no amount, or there are none', () => {
    expect(compareTotal({ total_wt: 5 }, [{ kind: 'product', amount: 5 }])).toBeUndefined();
    expect(compareTotal({ total_wt: 5 }, [])).toBeUndefined();
  });
});

describe('an answer with a companion', () => {
  const shared = sharedServer();
  const { ask } = shared;
  const anOrder = () =>
    shared()
      .sandbox.world.orders('2026-11-09', '2026-11-15')
      .find(({ lines }) => lines.length > 2) ?? expect.unreachable();

  test('is an order with its lines where they are asked for, by two requests', async () => {
    const { id, lines, totalWtCents } = anOrder();
    const items = '/api/order/{id}/item';
    const requests = await requestsTo(shared(), items, async () => {
      const whole = await ask('get_order', { order_id: id, lines: true });
      expect(whole.body.lines).toHaveLength(lines.length);
      const total = (totalWtCents / 100).toFixed(2);
      expect(whole.text).toContain(`# lines add up to total_wt ${total} of the order`);
    });
    expect(requests).toBe(1);
    expect((await ask('get_order', { order_id: id })).body).not.toHaveProperty('lines');
  });

  test('is lines with the amounts of their order', async () => {
    const { id, totalWtCents } = anOrder();
    const { context } = await ask('list_order_items', { order_id: id });
    expect(part(context, 'order')).toMatchObject({ id, total_wt: totalWtCents / 100 });
  });

  test('is products with their sale prices, by one more request', async () => {
    const server = shared();
    const requests = await requestsTo(server, '/api/product-price', async () => {
      const { rows, context } = await ask('search_products', { prices: true, limit: 3 });
      expect(rows.map(({ sale_price }) => sale_price)).toEqual(
        rows.map(({ price_wt }) => expect.objectContaining({ price_wt })),
      );
      expect(context.next).toMatchObject({ arguments: { prices: true, start: 3 } });
    });
    expect(requests).toBe(1);
  });

  test('prices the first of a sorted list, and not the rows that are kept beside them', async () => {
    const given = { prices: true, sort: '-title', top: 2 };
    const { rows, context } = await ask('search_products', given);
    expect(rows.map(({ sale_price }) => typeof sale_price)).toEqual(['object', 'object']);
    const { id: result_id } = part(context, 'result');
    const kept = await ask('read_rows', { result_id, start: 2, limit: 1 });
    expect(kept.rows[0]).not.toHaveProperty('sale_price');
  });

  test.each([{ all: true }, { sort: 'title' }, { top: 201 }])(
    'refuses prices of a whole catalogue: %j',
    async (input) => {
      const { text, isError } = await ask('search_products', { prices: true, ...input });
      expect(isError).toBe(true);
      expect(text).toContain(endpointMessages.too_many_prices({ max: 200 }).text);
    },
  );
});
