import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addDays, amsterdamDay } from '../../../src/core/calendar.ts';
import { isRecord } from '../../../src/core/json.ts';
import { missingRedis } from '../../redis-server.ts';
import type { SpawnedServer } from '../../spawn.ts';
import { askFor, callTool, type Fleet, openFleet, orderIds } from './fleet-servers.ts';

/** How long a busy machine may need for what takes a moment. */
const patience = { timeout: 30_000, interval: 100 };

/** What a server says of the budget it shares. */
async function fleetCheck({ url }: SpawnedServer): Promise<unknown> {
  const reply = await fetch(new URL('/readyz', url));
  const body: unknown = await reply.json();
  return isRecord(body) && isRecord(body.checks) ? body.checks.fleet : undefined;
}

async function metric({ url }: SpawnedServer, name: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  const line = text.split('\n').find((it) => it.startsWith(`commerce_mcp_${name} `));
  return Number(line?.split(' ').at(-1));
}

// How the quota is shared and used is told on a fake clock (client/fleet/) and measured by bench/fleet.mjs.
describe.skipIf(missingRedis)('servers with one Redis (needs redis-server)', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    // A busy machine must not stretch a call over half a window.
    fleet = await openFleet({ quota: 50, windowSeconds: 10 });
  });
  afterAll(() => fleet?.close());

  test('share a quota without a 429, go on with a part of it while Redis is away, and share again', async () => {
    const { sandbox, redis, replicas } = fleet;
    const [first] = replicas;
    const ids = orderIds(sandbox, 120);
    const asking = Promise.all(replicas.map(({ url }, at) => askFor(url, share(ids, at))));
    const { requests: begun, refused } = sandbox.stats;
    // More than one quota.
    await vi.waitFor(() => expect(sandbox.stats.requests).toBeGreaterThan(begun + 60), patience);
    expect(sandbox.stats.refused).toBe(refused);
    // One each when they were started.
    expect(sandbox.stats.exchanges).toBe(2);
    await vi.waitFor(async () => {
      expect(await fleetCheck(first)).toBe('ok');
      expect(await metric(first, 'fleet_replicas')).toBe(2);
    }, patience);
    await redis.kill();
    await vi.waitFor(async () => {
      expect(await metric(first, 'fleet_shared')).toBe(0);
    }, patience);
    const requests = sandbox.stats.requests;
    await vi.waitFor(() => expect(sandbox.stats.requests).toBeGreaterThan(requests + 25), patience);
    await redis.start();
    // Each replica comes back by itself, in its own time.
    for (const replica of replicas)
      await vi.waitFor(async () => {
        expect(await metric(replica, 'fleet_shared')).toBe(1);
      }, patience);
    expect(await asking).toEqual(replicas.map(() => ({ answered: 60, failed: [] })));
    // Usually none; what had left elsewhere when Redis went is known to nobody for a moment.
    expect(sandbox.stats.refused - refused).toBeLessThanOrEqual(8);
  }, 90_000);

  test('answer from what the other has cached', async () => {
    const [first, second] = fleet.replicas;
    let day = addDays(amsterdamDay(Date.now()), -30);
    // What one has read is there for the other a moment later.
    await vi.waitFor(async () => {
      day = addDays(day, -1);
      await callTool(first.url, 'get_daily_close', { date: day });
      const { result } = await callTool(second.url, 'get_daily_close', { date: day });
      expect(result).toMatchObject({ structuredContent: { context: { cached: true } } });
    }, patience);
  }, 60_000);

  test('answer for each other’s kept rows, each with a token of its own', async () => {
    const { sandbox, redis, replicas } = fleet;
    const [first, second] = replicas;
    const drained = await callTool(first.url, 'list_orders', { period: 'last_week', all: true });
    const id = resultId(drained);
    const { requests, exchanges } = sandbox.stats;
    sandbox.control.expireTokens();
    const read = await callTool(second.url, 'read_rows', { result_id: id, limit: 1 });
    expect(read).toMatchObject({ result: { structuredContent: { data: [{}] } } });
    const counted = await callTool(second.url, 'query', {
      sql: `SELECT count(*) FROM result('${id}')`,
    });
    expect(counted).toMatchObject({ result: { structuredContent: { data: [{}] } } });
    expect(sandbox.stats.requests).toBe(requests);
    expect(sandbox.stats.exchanges).toBe(exchanges);
    await callTool(second.url, 'get_me', {});
    expect(sandbox.stats.exchanges).toBe(exchanges + 1);
    redis.pause();
    const alone = await callTool(second.url, 'read_rows', { result_id: id, limit: 1 });
    expect(alone).toMatchObject({ result: { structuredContent: { data: [{}] } } });
    redis.resume();
  }, 60_000);
});

function share(ids: readonly number[], at: number): number[] {
  return ids.filter((_, index) => index % 2 === at);
}

function resultId({ result }: Record<string, unknown>): string {
  const kept = ['structuredContent', 'context', 'result', 'id'].reduce<unknown>(
    (value, name) => (isRecord(value) ? value[name] : undefined),
    result,
  );
  return String(kept);
}
