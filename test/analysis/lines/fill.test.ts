import { expect, test } from 'vitest';
import { fill } from '../../../src/analysis/lines/fill.ts';
import type { OrderLines } from '../../../src/analysis/lines/order-lines.ts';
import type { Client } from '../../../src/client/client.ts';
import { clientMessages } from '../../../src/client/messages.ts';
import { CommerceError, PlatformError } from '../../../src/core/errors.ts';
import { lineMessages } from '../../../src/lines/kept-lines.ts';
import { reasonOf } from '../../reasons.ts';

const options = {
  period: '2026-11-02',
  now: () => Date.parse('2026-11-20T12:00:00+01:00'),
  signal: new AbortController().signal,
  onTrouble: () => {},
};

test('a daily limit of the platform ends the filling at once', async () => {
  const closed = clientMessages.request_cancelled({ endpoint: 'GET /api/order' });
  let lists = 0;
  const client = {
    readAllPages() {
      lists += 1;
      throw new PlatformError('rate_limited', closed, { retryAfterMs: 7_200_000 });
    },
  } as unknown as Client;
  const lines = {} as unknown as OrderLines;
  await expect(fill({ ...options, client, lines })).rejects.toThrow(reasonOf(closed));
  expect(lists).toBe(1);
});

test('a folder that takes no more ends the filling at once: what was read is not read again', async () => {
  const asked = { lists: 0, orders: 0 };
  const rows = Array.from({ length: 20 }, (_, at) => ({ id: at + 1, date_updated: null }));
  const client = {
    async readAllPages() {
      asked.lists += 1;
      return { rows, complete: true };
    },
    async get() {
      asked.orders += 1;
      return { rows: [{ id: 1 }], readAtMs: 0 };
    },
  } as unknown as Client;
  const full = lineMessages.lines_failed({ failure: 'No space left on device' });
  const kept = {
    find: async () => ({ rows: new Map() }),
    keep: () => Promise.reject(new CommerceError('bad_config', full)),
  };
  const lines = {
    open: async () => kept,
    keptOrder: (order: object) => order,
  } as unknown as OrderLines;
  await expect(fill({ ...options, client, lines })).rejects.toThrow(reasonOf(full));
  expect(asked).toEqual({ lists: 1, orders: 20 });
});
