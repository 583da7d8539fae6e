import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { ProgressStep } from '../../clients.ts';
import { type StdioServer, sandboxAt, serverOver } from '../../server-over.ts';
import { account, readFrame, request, spawnServer } from '../../spawn.ts';

/** Waits until the sandbox shows what is expected of it. */
const seen = (check: () => void) => vi.waitFor(check, { interval: 5, timeout: 10_000 });

const drainedQuarter = { period: 'last_90_days', all: true };

// One of each library, of which the newest speaks the newest revision.
describe.each(['the 1.x SDK', 'the 2.x client pinned to 2026-07-28'] as const)(
  'with %s',
  (client) => {
    let sandbox: Sandbox;
    let connection: StdioServer;

    beforeAll(async () => {
      const settings = { COMMERCE_CONCURRENCY: '2' };
      connection = await serverOver('stdio', { client, settings, ordersPerDay: 60 });
      ({ sandbox } = connection);
      await connection.listTools();
      await connection.call('list_shops');
    });

    test('a drain reports how far it is, always growing, up to the end', async () => {
      sandbox.control.setLatency(120);
      const steps: ProgressStep[] = [];
      const answer = await connection.call('list_orders', drainedQuarter, {
        onprogress: (step) => steps.push(step),
      });
      const total = Number(answer.body.total);
      expect(total).toBeGreaterThan(4000);
      expect(steps.map(({ progress }) => progress)).toEqual(
        steps.map(({ progress }) => progress).sort((a, b) => a - b),
      );
      // Between them it may say that it waits; such a step goes on by a little.
      const read = steps.filter(({ message }) =>
        /^read [\d,]+ of [\d,]+ orders$/.test(message ?? ''),
      );
      expect(read.length).toBeGreaterThan(3);
      expect(read.at(-1)).toMatchObject({ total });
      expect(Math.floor(read.at(-1)?.progress ?? 0)).toBe(total);
    });

    test('a call that is cancelled stops asking and frees its place', async () => {
      sandbox.control.setLatency(250);
      const before = ordersAsked(sandbox);
      const stopping = new AbortController();
      const ending = connection.call('list_orders', drainedQuarter, { signal: stopping.signal });
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

function ordersAsked({ stats }: Sandbox): number {
  return stats.byPath['/api/order'] ?? 0;
}

describe('a call that waits', () => {
  test('says so every second', async () => {
    const connection = await serverOver('memory', {
      faults: 'slow:ms=5000,path=/api/report/daily-close',
      now: Date.now,
    });
    const steps: ProgressStep[] = [];
    await connection.call(
      'get_daily_close',
      { date: 'yesterday' },
      { onprogress: (step) => steps.push(step) },
    );
    expect(steps.length).toBeGreaterThanOrEqual(2);
    expect(steps[0]?.message).toMatch(/^waiting for the platform \(\d s\)$/);
  });
});

describe('cancelling', () => {
  test('sends no answer and leaves the others alone', async () => {
    const sandbox = await sandboxAt({ now: Date.now, faults: 'slow:path=/api/report/daily-close' });
    const server = spawnServer(['stdio'], account(sandbox));
    await server.initialize();
    server.call(1, 'list_shops');
    await server.answer(1);
    server.call(2, 'get_daily_close', { date: 'yesterday' });
    server.call(3, 'get_payment_report', { period: 'last_month' });
    await seen(() => expect(sandbox.stats.byPath['/api/report/daily-close']).toBe(1));
    server.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 2, reason: 'never mind' },
    });
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
});
