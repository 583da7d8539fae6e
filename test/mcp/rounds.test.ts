import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { spaceOf } from '../../src/analysis/reference/reference.ts';
import { isRecord } from '../../src/core/json.ts';
import { FakePlatform } from '../client/fake-platform.ts';
import { anOrder, argumentsOf, endpointSamples } from '../samples.ts';
import { sandboxAt } from '../server-over.ts';
import type { Sandbox } from '../spawn.ts';
import {
  type FarPlatform,
  type FarServer,
  farSandbox,
  latencyMs,
  openFarServer,
} from './far-server.ts';

let sandbox: Sandbox;
const servers: FarServer[] = [];

beforeAll(async () => {
  sandbox = await sandboxAt({ quota: 100_000 });
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ app }) => app.close()));
});

afterAll(() => sandbox.close());

/** A server that was started this long ago. */
async function startedFor(ms: number, platform: FarPlatform = farSandbox(sandbox)) {
  const server = await openFarServer(platform);
  servers.push(server);
  await server.clock.advance(ms);
  return server;
}

/** Requests at once (COMMERCE_CONCURRENCY). */
const concurrency = 8;

const idle = 3000;

/** The lists that were asked for along with a question, and name nothing in its answer. */
function needless(path: string, before: Record<string, number>, labels: unknown): string[] {
  const named = isRecord(labels) ? Object.keys(labels) : [];
  const needed = named.map((idField): string => spaceOf(idField)?.endpoint.path ?? '');
  const asked = Object.entries(sandbox.stats.byPath)
    .filter(([at, count]) => at.startsWith('/api/') && count > (before[at] ?? 0))
    .map(([at]) => at);
  return asked.filter((at) => at !== path && !needed.includes(at));
}

describe('the first question', () => {
  test('costs one round trip whatever it is, where the model thought for a while', async () => {
    const tooMuch: unknown[] = [];
    for (const sample of endpointSamples) {
      const server = await startedFor(idle);
      const before = { ...sandbox.stats.byPath };
      const input = argumentsOf(sample, { orderId: anOrder(sandbox.world) });
      const { rounds, context } = await server.ask(sample.tool, input);
      // The amounts of an order beside its lines are named in the context.
      const ofOrder = 'order' in context ? ['/api/order/{id}'] : [];
      // The report by which product sales are said to be less returns or not.
      const ofReturns = 'summary' in context ? ['/api/financial-report'] : [];
      const beside = [...ofOrder, ...ofReturns];
      const unused = needless(sample.path, before, context.labels).filter(
        (path) => !beside.includes(path),
      );
      if (rounds > 1.1 || unused.length > 0) tooMuch.push([sample.tool, rounds, ...unused]);
    }
    expect(tooMuch).toEqual([]);
  });

  test('costs three when it comes at once: discovery, exchange, and itself', async () => {
    const server = await startedFor(0);
    const { rounds } = await server.ask('get_financial_report', { period: 'yesterday' });
    expect(rounds).toBeLessThan(3.2);
  });

  test('costs one more where it gives a name', async () => {
    const { name } = sandbox.world.shops[0] ?? { name: '' };
    const server = await startedFor(idle);
    const named = { period: 'yesterday', shop_id: name };
    expect((await server.ask('list_orders', named)).rounds).toBeLessThan(2.1);
    const again = await server.ask('list_orders', { ...named, is_paid: true });
    expect(again.rounds).toBeLessThan(1.1);
  });
});

describe('a later question', () => {
  test('waits for no names, however long there were none to be asked for', async () => {
    const server = await startedFor(idle);
    for (const pauseMs of [1000, 200_000, 400_000, 200_000]) {
      const { rounds } = await server.ask('get_daily_close', { date: 'today' });
      expect(rounds).toBeLessThan(1.1);
      await server.clock.advance(pauseMs);
    }
  });
});

describe('a question of many requests', () => {
  test('reads the days of a week that lacks half a day of turnover in the time of one more', async () => {
    const server = await startedFor(idle);
    const { rounds } = await server.ask('compare_turnover', { period: 'last_week' });
    expect(rounds).toBeLessThan(2.1);
  });

  test('asks for a page of orders once, and for nothing about the account', async () => {
    const server = await startedFor(idle);
    const before = sandbox.stats.byPath['/api/order'] ?? 0;
    await server.ask('list_orders', { period: 'last_week' });
    await server.ask('list_orders', { period: 'last_month' });
    expect(sandbox.stats.byPath['/api/order']).toBe(before + 2);
  });

  test('compares two periods in the time of one', async () => {
    const server = await startedFor(idle);
    for (const by of ['total', 'shop', 'payment_method']) {
      const { rounds } = await server.ask('compare_turnover', { period: 'yesterday', by });
      expect(rounds).toBeLessThan(1.2);
    }
  });

  test.each(['total', 'shop'])('reads 30 days (%s) as many at once as it may', async (by) => {
    const server = await startedFor(idle);
    await server.ask('get_me');
    const ideal = Math.ceil(30 / concurrency);
    const { rounds } = await server.ask('turnover_trend', { period: 'last_30_days', by });
    expect(rounds).toBeLessThan(1.1 * ideal + 0.2);
  });

  test('reads 18 pages with the first alone and the others side by side', async () => {
    const server = await startedFor(idle, farOrders(18 * 500 - 1));
    const { rounds } = await server.ask('list_orders', { period: 'last_30_days', all: true });
    expect(rounds).toBeLessThan(1.1 * (1 + Math.ceil(17 / concurrency)));
  });
});

/** A platform that has so many orders and nothing else. */
function farOrders(count: number): FarPlatform {
  const orders = Array.from({ length: count }, (_, at) => ({ id: count - at, shop_id: 3 }));
  return {
    account: {
      baseUrl: 'https://api.example.com',
      authUrl: 'https://auth.example.com',
      clientId: 'acme.1',
      clientSecret: 's3cret',
    },
    sockets(clock) {
      const { send } = new FakePlatform(clock, {
        quota: 100_000,
        latencyMs: () => [latencyMs / 2, latencyMs / 2],
        answer({ pathname, searchParams }) {
          if (pathname !== '/api/order') return { data: [{ id: 3, name: 'Utrecht' }] };
          const start = Number(searchParams.get('start'));
          const limit = Number(searchParams.get('limit'));
          const data = orders.slice(start, start + limit);
          return { count: data.length, total: count, start, limit, data };
        },
      });
      return { send, hangUp: async () => {} };
    },
  };
}
