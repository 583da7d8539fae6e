import type { Progress } from '@modelcontextprotocol/client';
import { describe, expect, test, vi } from 'vitest';
import { sandboxAt, serverOver } from '../../server-over.ts';
import { account, readFrame, request, type Sandbox, spawnServer } from '../../spawn.ts';

/** Waits until the sandbox shows what is expected of it. */
const seen = (check: () => void) => vi.waitFor(check, { interval: 5, timeout: 10_000 });

const wholeQuarter = { period: 'last_90_days', all: true };
const ordersAsked = ({ stats }: Sandbox) => stats.byPath['/api/order'] ?? 0;

// One of each library, of which the newest speaks the newest revision.
describe.each(['the 1.x SDK', 'the 2.x client pinned to 2026-07-28'] as const)(
  'with %s',
  (client) => {
    test('a long list reports how far it is, and stops asking when it is cancelled', async () => {
      const settings = { COMMERCE_CONCURRENCY: '2' };
      const connection = await serverOver('stdio', { client, settings, ordersPerDay: 60 });
      const { sandbox } = connection;
      await connection.listTools();
      await connection.call('list_shops');
      sandbox.control.setLatency(120);
      const steps: Progress[] = [];
      const answer = await connection.call('list_orders', wholeQuarter, {
        onprogress: (step) => steps.push(step),
      });
      const total = Number(answer.body.total);
      expect(total).toBeGreaterThan(4000);
      const seenSoFar = steps.map(({ progress }) => progress);
      expect(seenSoFar).toEqual(seenSoFar.toSorted((a, b) => a - b));
      // Between them it may say that it waits; such a step goes on by a little.
      const read = steps.filter(({ message = '' }) =>
        /^read [\d,]+ of [\d,]+ orders$/.test(message),
      );
      expect(read.length).toBeGreaterThan(3);
      expect(read.at(-1)).toMatchObject({ total });
      expect(Math.floor(read.at(-1)?.progress ?? 0)).toBe(total);

      sandbox.control.setLatency(250);
      const before = ordersAsked(sandbox);
      const stopping = new AbortController();
      const ending = connection.call('list_orders', wholeQuarter, { signal: stopping.signal });
      const refused = expect(ending).rejects.toThrow();
      await seen(() => expect(ordersAsked(sandbox) - before).toBeGreaterThan(2));
      stopping.abort(new Error('never mind'));
      await refused;
      const other = await connection.call('get_me');
      expect(other.isError).toBe(false);
      await seen(() => expect(sandbox.stats.inFlight).toBe(0));
      const asked = ordersAsked(sandbox);
      await connection.call('list_customer_segments');
      expect(ordersAsked(sandbox)).toBe(asked);
      // 90 days of 60 orders are eleven pages at least.
      expect(asked - before).toBeLessThan(9);
    });
  },
);

test('a call that waits says so', async () => {
  const faults = 'slow:ms=1500,path=/api/report/daily-close';
  const { call } = await serverOver('memory', { faults, now: Date.now });
  const said: (string | undefined)[] = [];
  const date = 'yesterday';
  await call('get_daily_close', { date }, { onprogress: ({ message }) => said.push(message) });
  expect(said[0]).toMatch(/^waiting for the platform \(\d s\)$/);
});

test('a call that is cancelled gets no answer, and the others theirs', async () => {
  const sandbox = await sandboxAt({ now: Date.now, faults: 'slow:path=/api/report/daily-close' });
  const server = spawnServer(['stdio'], account(sandbox));
  await server.initialize();
  server.call(1, 'list_shops');
  await server.answer(1);
  server.call(2, 'get_daily_close', { date: 'yesterday' });
  server.call(3, 'get_payment_report', { period: 'last_month' });
  await seen(() => expect(sandbox.stats.byPath['/api/report/daily-close']).toBe(1));
  const params = { requestId: 2, reason: 'never mind' };
  server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  expect(JSON.stringify(await server.answer(3))).toContain('get_payment_report: ');
  server.send(request(4, 'ping'));
  await server.answer(4);
  server.end();
  const { stdout, code } = await server.ended;
  const ids = stdout
    .trimEnd()
    .split('\n')
    .map((line) => readFrame(line).id);
  expect(ids.filter((id) => id !== undefined)).toEqual([0, 1, 3, 4]);
  expect(code).toBe(0);
});
