import { describe, expect, test } from 'vitest';
import { sharedServer } from '../server-over.ts';

const shared = sharedServer();
const { ask } = shared;

describe('an order given by its number', () => {
  test.each(['get_order', 'list_order_items'])('is found by %s', async (tool) => {
    const { sandbox } = shared();
    const { rows } = await ask('list_orders', {
      period: 'last_7_days',
      limit: 5,
      fields: ['id', 'order_number'],
    });
    const { id, order_number } = rows[3] ?? {};
    expect(sandbox.world.order(Number(id))).toBeDefined();
    const byId = await ask(tool, { order_id: id });
    const byNumber = await ask(tool, { order_number, period: 'last_7_days' });
    expect(byNumber.isError, byNumber.text).toBe(false);
    const { context: _, ...payload } = byNumber.body;
    expect(byId.body).toMatchObject(payload);
    expect(byNumber.text).toContain(
      `order_number ${String(order_number)} has the id ${String(id)}, looked for among the orders of 2026-11-13 to 2026-11-19`,
    );
  });

  test('is looked for over the days that the refusal names', async () => {
    const { text } = await ask('get_order', { order_number: 'W-0' });
    expect(text).toMatch(
      /^get_order: no order of 2026-08-22 to 2026-11-20 has the number "W-0"\. Give the period/,
    );
    const day = await ask('get_order', { order_number: 'W-0', period: '2020-01-01' });
    expect(day.text).toContain('get_order: no order of 2020-01-01 has the number "W-0".');
  });

  test.each([
    [{}, 'neither came'],
    [{ order_id: 5, order_number: '5' }, 'both came'],
  ])('is one of two ways to name it: %j', async (given, came) => {
    const { text, isError } = await ask('get_order', given);
    expect(isError).toBe(true);
    expect(text).toContain(`get_order takes exactly one of order_id and order_number; ${came}.`);
  });

  test('is advised to whoever gave the number as an id', async () => {
    const { text } = await ask('get_order', { order_id: 1 });
    expect(text).toContain('An order_number is not an order id: give it as order_number.');
  });
});
