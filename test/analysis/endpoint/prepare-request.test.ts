import { describe, expect, test } from 'vitest';
import { prepareRequest } from '../../../src/analysis/endpoint/prepare-request.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { listOrders } from '../../../src/endpoints/orders.ts';
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
    [{ top: 10 }, true],
    [{ limit: 0 }, true],
  ])('%j needs the whole list: %s', async (given, isWhole) => {
    const { pinned } = await prepare(given);
    expect(pinned.all).toBe(isWhole || undefined);
  });

  test.each([
    [{ sort: 'total_wt', start: 288, limit: 1 }],
    [{ sort: 'id', top: 3, start: 1 }],
    [{ limit: 0, start: 10 }],
  ])('refuses %j, which would leave out rows of what is sorted or profiled', async (given) => {
    await expect(prepare(given)).rejects.toThrow(/^start does not go with sort, top or limit: 0/);
  });

  test.each([
    [{ sort: 'id', start: 0 }],
    [{ sort: 'id', all: true, start: 100_000 }],
    [{ start: 100, limit: 100 }],
  ])('takes %j', async (given) => {
    await expect(prepare(given)).resolves.toMatchObject({ how: { query: { from: '2026-11-19' } } });
  });
});
