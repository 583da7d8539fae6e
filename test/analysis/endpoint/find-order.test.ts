import { describe, expect, test } from 'vitest';
import { findOrder } from '../../../src/analysis/endpoint/prepare-request.ts';
import type { Client } from '../../../src/client/client.ts';
import { resolvePeriod } from '../../../src/core/periods.ts';
import { fakeServices } from '../../analysis/fake-services.ts';

const period = resolvePeriod({ period: '2026-08-22..2026-11-20' }, Date.parse('2026-11-20T12:00Z'));

/** Services over a list of orders, newest first, whose numbers are `W` and their place. */
function overOrders(count: number, total = count, named: Record<number, string> = {}) {
  const places: number[] = [];
  let [active, most] = [0, 0];
  const get: Client['get'] = async (_, { query = {} } = {}) => {
    const start = Number(query.start);
    places.push(start);
    most = Math.max(most, ++active);
    await new Promise(setImmediate);
    active--;
    const length = Math.max(0, Math.min(Number(query.limit), count - start));
    const rows = Array.from({ length }, (_, at) => ({
      id: 100_000 + start + at,
      order_number: named[start + at] ?? `W${start + at}`,
    }));
    return { body: { total, data: rows }, rows, readAtMs: 0, cached: false };
  };
  const { client } = fakeServices();
  const progressDeadline = () => ({ untilMs: () => 0, noteProgress: () => {} }) as never;
  const services = { client: { ...client, get, progressDeadline }, maxRows: 10_000 };
  return { services, places, most: () => most };
}

const find = (of: ReturnType<typeof overOrders>, number: string) =>
  findOrder(of.services, 'get_order', number, period, {});

describe('findOrder', () => {
  test('reads one page for an order of the newest 500, whatever the case of its number', async () => {
    const orders = overOrders(6000);
    expect(await find(orders, ' w499 ')).toMatchObject({
      given: 'w499',
      id: 100_499,
      name: 'W499',
    });
    expect(orders.places).toEqual([0]);
  });

  test('reads four pages at once after the first, and few beyond the one that has it', async () => {
    const orders = overOrders(6000);
    expect(await find(orders, 'W1700')).toMatchObject({ id: 101_700 });
    expect(orders.most()).toBe(4);
    expect(orders.places.length).toBeLessThanOrEqual(8);
  });

  test('takes the newest of two orders with one number', async () => {
    const orders = overOrders(6000, 6000, { 1200: 'Twice', 1600: 'Twice' });
    expect(await find(orders, 'twice')).toMatchObject({ id: 101_200 });
  });

  test('reads no further than one call may, and says how far that was', async () => {
    const orders = overOrders(135_000);
    await expect(find(orders, 'W-0')).rejects.toThrow(
      'get_order: none of the newest 10,000 of 135,000 orders of 2026-08-22 to 2026-11-20 has the number "W-0". Give the period in which it was placed, or its id as order_id.',
    );
    expect(orders.places.length).toBe(20);
  });

  test('stops where pages come empty, whatever the total says', async () => {
    const orders = overOrders(700, 1_000_000);
    await expect(find(orders, 'W-0')).rejects.toThrow(/has the number "W-0"/);
    expect(orders.places.length).toBeLessThanOrEqual(6);
  });
});
