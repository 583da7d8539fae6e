import { describe, expect, test, vi } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import { missingRedis } from '../../redis-server.ts';
import { askFor, callTool, openFleetHere, orderIds } from './fleet-servers.ts';
import type { HttpServer } from './spawn-http.ts';

/** What a server says of the budget it shares. */
async function fleetCheck({ url }: HttpServer): Promise<unknown> {
  const reply = await fetch(new URL('/readyz', url));
  const body: unknown = await reply.json();
  return isRecord(body) && isRecord(body.checks) ? body.checks.fleet : undefined;
}

async function metric({ url }: HttpServer, name: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  const line = text.split('\n').find((it) => it.startsWith(`commerce_mcp_${name} `));
  return Number(line?.split(' ').at(-1));
}

describe.skipIf(missingRedis)('four servers with one Redis (needs redis-server)', () => {
  test('bring 500 calls through one quota without a 429, and use each window', async () => {
    // Few enough for a busy machine to offer: it is the sharing that is tested, not the speed.
    const quota = 120;
    const { sandbox, replicas, windows } = await openFleetHere({ quota, windowSeconds: 5 });
    const ids = orderIds(sandbox, 500);
    const outcomes = await Promise.all(replicas.map(({ url }, at) => askFor(url, share(ids, at))));
    for (const outcome of outcomes) expect(outcome).toEqual({ answered: 125, failed: [] });
    expect(sandbox.stats.refused).toBe(0);
    const [, ...full] = windows().slice(0, -1);
    expect(full.length).toBeGreaterThan(1);
    for (const used of full) expect(used).toBeGreaterThanOrEqual(quota * 0.95);
  }, 90_000);

  test('lose nothing but its own calls when one is killed, and learn a smaller quota', async () => {
    const { sandbox, replicas, windows } = await openFleetHere({ quota: 100, windowSeconds: 4 });
    const ids = orderIds(sandbox, 500);
    const asking = replicas.map(({ url }, at) => askFor(url, share(ids, at)));
    await vi.waitFor(() => expect(sandbox.stats.requests).toBeGreaterThan(125), 20_000);
    await replicas[0]?.kill();
    const refusedBefore = sandbox.stats.refused;
    await vi.waitFor(() => expect(sandbox.stats.requests).toBeGreaterThan(225), 20_000);
    sandbox.control.setQuota(75);
    const [killed, ...others] = await Promise.all(asking);
    expect(killed?.failed.length).toBeGreaterThan(0);
    for (const outcome of others) expect(outcome).toEqual({ answered: 125, failed: [] });
    expect(refusedBefore).toBe(0);
    // Requests under way, or probes of the next window, when the quota shrank.
    expect(sandbox.stats.refused).toBeLessThanOrEqual(12);
    const [, ...full] = windows().slice(0, -1);
    for (const used of full) expect(used).toBeGreaterThanOrEqual(75 * 0.95);
  }, 90_000);

  test('go on with a share while Redis is away, say so, and share again', async () => {
    const { sandbox, redis, replicas } = await openFleetHere({ quota: 200, windowSeconds: 4 });
    const [first = expect.unreachable()] = replicas;
    const ids = orderIds(sandbox, 1000);
    const asking = Promise.all(replicas.map(({ url }, at) => askFor(url, share(ids, at))));
    await vi.waitFor(() => expect(sandbox.stats.requests).toBeGreaterThan(250), 20_000);
    expect(await fleetCheck(first)).toBe('ok');
    expect(await metric(first, 'fleet_replicas')).toBe(4);
    await redis.kill();
    await vi.waitFor(async () => {
      expect(await metric(first, 'fleet_shared')).toBe(0);
    }, 5000);
    const requests = sandbox.stats.requests;
    await vi.waitFor(() => expect(sandbox.stats.requests).toBeGreaterThan(requests + 150), 20_000);
    await redis.start();
    await vi.waitFor(async () => {
      expect(await metric(first, 'fleet_shared')).toBe(1);
    }, 20_000);
    for (const outcome of await asking) expect(outcome).toEqual({ answered: 250, failed: [] });
    // Usually none; what had left elsewhere when Redis went is known to nobody for a moment.
    expect(sandbox.stats.refused).toBeLessThanOrEqual(8);
  }, 90_000);

  test('answer for each other’s kept rows, each with a token of its own', async () => {
    const { sandbox, redis, replicas } = await openFleetHere({
      quota: 10_000,
      windowSeconds: 60,
      replicas: 2,
    });
    const [first, second] = replicas;
    if (!first || !second) return expect.unreachable();
    const drained = await callTool(first.url, 'list_orders', { period: 'last_week', all: true });
    const id = resultId(drained);
    const before = sandbox.stats.requests;
    const read = await callTool(second.url, 'read_rows', { result_id: id, limit: 1 });
    expect(read).toMatchObject({ result: { structuredContent: { data: [{}] } } });
    const counted = await callTool(second.url, 'summarize_rows', { result_id: id });
    expect(counted).toMatchObject({ result: { structuredContent: { data: [{}] } } });
    expect(sandbox.stats.requests).toBe(before);
    expect(sandbox.stats.exchanges).toBe(1);
    await callTool(second.url, 'get_me', {});
    expect(sandbox.stats.exchanges).toBe(2);
    redis.pause();
    const alone = await callTool(second.url, 'read_rows', { result_id: id, limit: 1 });
    expect(alone).toMatchObject({ result: { structuredContent: { data: [{}] } } });
    redis.resume();
  }, 60_000);
});

function share(ids: readonly number[], at: number): number[] {
  return ids.filter((_, index) => index % 4 === at);
}

function resultId({ result }: Record<string, unknown>): string {
  const kept = ['structuredContent', 'context', 'result', 'id'].reduce<unknown>(
    (value, name) => (isRecord(value) ? value[name] : undefined),
    result,
  );
  return String(kept);
}
