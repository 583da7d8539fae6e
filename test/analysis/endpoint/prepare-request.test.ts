import { describe, expect, test } from 'vitest';
import { findOrder } from '../../../src/analysis/endpoint/find-record.ts';
import { prepareRequest, resolveSince } from '../../../src/analysis/endpoint/prepare-request.ts';
import type { Client } from '../../../src/client/client.ts';
import { responseOf } from '../../../src/client/request/get.ts';
import { InputError } from '../../../src/core/errors.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { resolvePeriod } from '../../../src/core/periods.ts';
import { listOrders } from '../../../src/endpoints/orders.ts';
import { reasonOf } from '../../reasons.ts';
import { fakeServices } from '../fake-services.ts';

const nowMs = Date.parse('2026-11-20T12:00:00+01:00');

async function prepare(input: JsonObject) {
  const { services } = fakeServices();
  return prepareRequest(services, listOrders, { period: '2026-11-19', ...input }, { nowMs });
}

describe('the form of an answer of rows', () => {
  test.each([
    [{}, false],
    [{ limit: 50 }, false],
    [{ all: true, limit: 50 }, true],
    [{ sort: '-total_wt' }, true],
    [{ sort: 'id', top: 10 }, true],
    [{ limit: 0 }, true],
  ])('%j needs the whole list: %s', async (given, isWhole) => {
    const { resolvedArguments } = await prepare(given);
    expect(resolvedArguments.all).toBe(isWhole || undefined);
  });

  test.each([
    [{ sort: 'total_wt', start: 288, limit: 1 }],
    [{ sort: 'id', top: 3, start: 1 }],
    [{ limit: 0, start: 10 }],
  ])('refuses %j, which would leave out rows of what is sorted or profiled', async (given) => {
    await expect(prepare(given)).rejects.toThrow(reasonOf({ code: 'start_of_sorted' }));
  });

  test.each([
    [{ sort: 'id', start: 0 }],
    [{ sort: 'id', all: true, start: 100_000 }],
    [{ start: 100, limit: 100 }],
  ])('takes %j', async (given) => {
    await expect(prepare(given)).resolves.toMatchObject({ how: { query: { from: '2026-11-19' } } });
  });
});

// A Friday, five past two in the afternoon in Amsterdam.
const asked = Date.parse('2026-11-20T14:05:11+01:00');

describe('resolveSince', () => {
  test.each([
    ['today', '2026-11-20'],
    ['yesterday', '2026-11-19'],
    ['Last_Week', '2026-11-09'],
    ['this_month', '2026-11-01'],
    ['2026-11-19', '2026-11-19'],
    ['2026-W44', '2026-10-26'],
    ['2026-11-19T10:00:00.5Z', '2026-11-19T11:00:00+01:00'],
    ['2026-11-19 10:00 +01', '2026-11-19T10:00:00+01:00'],
    ['2026-11-19T10:00', '2026-11-19T10:00:00+01:00'],
    ['2026-10-25T02:30', '2026-10-25T02:30:00+02:00'],
    ['2026-03-29T02:30', '2026-03-29T03:30:00+02:00'],
  ])('sends %s as %s', (text, since) => {
    expect(resolveSince(text, asked)).toBe(since);
  });

  test.each([
    ['2026-11-21', 'moment_in_future'],
    ['2026-11-20T14:05:12', 'moment_in_future'],
    ['2026-02-30', 'not_a_moment'],
    ['2026-12', 'not_a_moment'],
    ['tomorrow', 'not_a_moment'],
    ['', 'not_a_moment'],
  ] as const)('refuses %j', (text, code) => {
    const refused = { code, given: text, now: '2026-11-20T14:05:11+01:00' };
    expect(() => resolveSince(text, asked)).toThrow(InputError);
    expect(() => resolveSince(text, asked)).toThrow(reasonOf(refused));
  });
});

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
    return responseOf({ body: { total, data: rows }, readAtMs: 0, size: 0 }, false);
  };
  const { client } = fakeServices();
  const progressDeadline = () => ({ untilMs: () => 0, noteProgress: () => {} }) as never;
  const services = { client: { ...client, get, progressDeadline }, maxRows: 10_000 };
  return { services, places, most: () => most };
}

const find = (of: ReturnType<typeof overOrders>, number: string) =>
  findOrder(of.services, number, {}, period);

describe('findOrder', () => {
  test('reads one page for an order of the newest 500, whatever the case of its number', async () => {
    const orders = overOrders(6000);
    const found = { given: 'w499', id: 100_499, name: 'W499' };
    expect(await find(orders, ' w499 ')).toMatchObject(found);
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
      reasonOf({ code: 'no_such_order', number: 'W-0', looked: 10_000, total: 135_000 }),
    );
    expect(orders.places.length).toBe(20);
  });

  test('stops where pages come empty, whatever the total says', async () => {
    const orders = overOrders(700, 1_000_000);
    await expect(find(orders, 'W-0')).rejects.toThrow(reasonOf({ code: 'no_such_order' }));
    expect(orders.places.length).toBeLessThanOrEqual(6);
  });
});
