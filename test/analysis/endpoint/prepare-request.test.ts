import { describe, expect, test } from 'vitest';
import { prepareRequest, resolveSince } from '../../../src/analysis/endpoint/prepare-request.ts';
import { InputError } from '../../../src/core/errors.ts';
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
    const { resolvedArguments } = await prepare(given);
    expect(resolvedArguments.all).toBe(isWhole || undefined);
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

// A Friday, five past two in the afternoon in Amsterdam.
const asked = Date.parse('2026-11-20T14:05:11+01:00');

describe('resolveSince', () => {
  test.each([
    ['today', '2026-11-20'],
    ['yesterday', '2026-11-19'],
    ['Last_Week', '2026-11-09'],
    ['this_month', '2026-11-01'],
    ['2026-11-19', '2026-11-19'],
    ['2026-11-19T10:00:00.5Z', '2026-11-19T11:00:00+01:00'],
    ['2026-11-19 10:00 +01', '2026-11-19T10:00:00+01:00'],
    ['2026-11-19T10:00', '2026-11-19T10:00:00+01:00'],
    ['2026-10-25T02:30', '2026-10-25T02:30:00+02:00'],
    ['2026-03-29T02:30', '2026-03-29T03:30:00+02:00'],
  ])('sends %s as %s', (text, since) => {
    expect(resolveSince(text, asked)).toBe(since);
  });

  test.each([
    ['2026-11-21', 'since: "2026-11-21" lies in the future; it is now 2026-11-20T14:05:11+01:00'],
    ['2026-11-20T14:05:12', 'lies in the future'],
    ['2026-02-30', 'since: "2026-02-30" is not a moment. Give YYYY-MM-DD, an ISO 8601 time'],
    ['tomorrow', 'or one of today, yesterday, this_week'],
    ['', 'is not a moment'],
  ])('refuses %j, saying what is accepted', (text, message) => {
    expect(() => resolveSince(text, asked)).toThrow(InputError);
    expect(() => resolveSince(text, asked)).toThrow(message);
  });
});
