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
    [{}, { sort: undefined, showAtMost: undefined, isTop: false, isWhole: false }],
    [{ limit: 50 }, { sort: undefined, showAtMost: 50, isTop: false, isWhole: false }],
    [
      { all: true, limit: 50 },
      { sort: undefined, showAtMost: 50, isTop: false, isWhole: true },
    ],
    [
      { sort: '-total_wt' },
      { sort: '-total_wt', showAtMost: undefined, isTop: false, isWhole: true },
    ],
    [{ top: 10 }, { sort: undefined, showAtMost: 10, isTop: true, isWhole: true }],
    [
      { sort: 'id', top: 3, limit: 50 },
      { sort: 'id', showAtMost: 3, isTop: true, isWhole: true },
    ],
    [{ limit: 0 }, { sort: undefined, showAtMost: 0, isTop: false, isWhole: true }],
  ])('is read from %j', async (given, form) => {
    const prepared = await prepare(given);
    expect(prepared.form).toEqual(form);
    expect(prepared.pinned.all).toBe(form.isWhole || undefined);
  });

  test.each([
    [{ sort: 'total_wt', start: 288, limit: 1 }, /^start does not go with sort, which looks/],
    [{ sort: 'id', top: 3, start: 1 }, /sort and top, which look at the whole list/],
    [{ limit: 0, start: 10 }, /limit: 0/],
  ])(
    'refuses %j, which would leave out rows of what is sorted or profiled',
    async (given, text) => {
      await expect(prepare(given)).rejects.toThrow(text);
    },
  );

  test.each([
    [{ sort: 'id', start: 0 }],
    [{ sort: 'id', all: true, start: 100_000 }],
    [{ start: 100, limit: 100 }],
  ])('takes %j', async (given) => {
    await expect(prepare(given)).resolves.toMatchObject({ query: { from: '2026-11-19' } });
  });
});
