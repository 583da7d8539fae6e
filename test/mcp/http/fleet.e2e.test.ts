import { describe, expect, test, vi } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import { missingRedis } from '../../redis-server.ts';
import { askFor, callTool, openFleetHere, orderIds } from './fleet-servers.ts';
import type { SpawnedServer } from './spawn-http.ts';

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
  test('bring 60 calls through one quota without a 429', async () => {
    const { sandbox, replicas } = await openFleetHere({ quota: 50, windowSeconds: 10 });
    const ids = orderIds(sandbox, 60);
    const asking = replicas.map(({ url }, at) => askFor(url, share(ids, at)));
    expect(await Promise.all(asking)).toEqual(replicas.map(() => ({ answered: 30, failed: [] })));
    expect(sandbox.stats.refused).toBe(0);
    expect(sandbox.stats.exchanges).toBe(2);
  }, 90_000);

  test('go on with a share while Redis is away, say so, and share again', async () => {
    const { sandbox, redis, replicas } = await openFleetHere({ quota: 50, windowSeconds: 4 });
    const [first = expect.unreachable()] = replicas;
    const ids = orderIds(sandbox, 200);
    const asking = Promise.all(replicas.map(({ url }, at) => askFor(url, share(ids, at))));
    await vi.waitFor(() => expect(sandbox.stats.requests).toBeGreaterThan(15), patience);
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
    await vi.waitFor(async () => {
      expect(await metric(first, 'fleet_shared')).toBe(1);
    }, patience);
    expect(await asking).toEqual(replicas.map(() => ({ answered: 100, failed: [] })));
    // Usually none; what had left elsewhere when Redis went is known to nobody for a moment.
    expect(sandbox.stats.refused).toBeLessThanOrEqual(8);
  }, 90_000);

  test('answer for each other’s kept rows, each with a token of its own', async () => {
    const { sandbox, redis, replicas } = await openFleetHere({
      quota: 10_000,
      windowSeconds: 60,
    });
    const [first, second] = replicas;
    if (!first || !second) return expect.unreachable();
    const drained = await callTool(first.url, 'list_orders', { period: 'last_week', all: true });
    const id = resultId(drained);
    const before = sandbox.stats.requests;
    sandbox.control.expireTokens();
    const read = await callTool(second.url, 'read_rows', { result_id: id, limit: 1 });
    expect(read).toMatchObject({ result: { structuredContent: { data: [{}] } } });
    const counted = await callTool(second.url, 'query', {
      sql: `SELECT count(*) FROM result('${id}')`,
    });
    expect(counted).toMatchObject({ result: { structuredContent: { data: [{}] } } });
    expect(sandbox.stats.requests).toBe(before);
    // One each when they were started; none for what the other had read.
    expect(sandbox.stats.exchanges).toBe(2);
    await callTool(second.url, 'get_me', {});
    expect(sandbox.stats.exchanges).toBe(3);
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
