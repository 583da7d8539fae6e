import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addDays } from '../../../src/core/calendar.ts';
import { isRecord } from '../../../src/core/json.ts';
import { missingRedis, type RedisServer, startRedis } from '../../redis-server.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import { closeAfterwards } from '../../setup/closing.ts';
import { account, type Sandbox, type SpawnedServer, spawnHttp } from '../../spawn.ts';
import { callTool, resultIdIn } from './messages.ts';

/** Long enough for a busy machine. */
const patience = { timeout: 30_000, interval: 100 };

/** The check `fleet` of /readyz. */
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

// How the quota is shared and used is told on a fake clock (client/fleet/).
describe.skipIf(missingRedis)('servers with one Redis (needs redis-server)', () => {
  let sandbox: Sandbox;
  let redis: RedisServer;
  let first: SpawnedServer;
  let second: SpawnedServer;

  beforeAll(async () => {
    // A busy machine must not stretch a call over half a window.
    sandbox = await startSandbox({ quota: 50, windowSeconds: 10, latencyMs: 20 });
    redis = await startRedis();
    const settings = {
      ...account(sandbox),
      COMMERCE_REDIS_URL: redis.url,
      COMMERCE_MAX_WAIT_SECONDS: '600',
    };
    [first, second] = await Promise.all([spawnHttp(settings), spawnHttp(settings)]);
  });

  afterAll(async () => {
    await Promise.all([first?.stop('SIGKILL'), second?.stop('SIGKILL')]);
    await Promise.all([redis?.close(), sandbox?.close()]);
  });

  test('share a quota without a 429, go on with a part of it while Redis is away, and share again', async () => {
    const replicas = [first, second];
    const { world } = sandbox;
    const ids = world.orders(addDays(world.today(), -30), world.today()).map(({ id }) => id);
    const asking = Promise.all([
      askFor(first.url, ids.slice(0, 40)),
      askFor(second.url, ids.slice(40, 80)),
    ]);
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
    const { requests } = sandbox.stats;
    await redis.kill();
    // On a busy machine what was asked before may all be answered by now.
    const later = askFor(first.url, ids.slice(80, 110));
    await vi.waitFor(async () => {
      expect(await metric(first, 'fleet_shared')).toBe(0);
    }, patience);
    await vi.waitFor(() => expect(sandbox.stats.requests).toBeGreaterThan(requests + 25), patience);
    await redis.start();
    // Each replica comes back by itself, in its own time.
    for (const replica of replicas)
      await vi.waitFor(async () => {
        expect(await metric(replica, 'fleet_shared')).toBe(1);
      }, patience);
    expect([...(await asking), await later]).toEqual([[], [], []]);
    // Usually none; what had left elsewhere when Redis went is known to nobody for a moment.
    expect(sandbox.stats.refused - refused).toBeLessThanOrEqual(8);
  }, 90_000);

  test('answer for each other’s kept rows, each with a token of its own', async () => {
    // With is_internal nothing has to be looked at in the background.
    const asked = { period: 'last_week', all: true, is_internal: false };
    const list = await callTool(first.url, 'list_orders', asked);
    const id = resultIdIn(list);
    const { requests, exchanges } = sandbox.stats;
    sandbox.control.expireTokens();
    const read = await callTool(second.url, 'read_rows', { result_id: id, limit: 1 });
    expect(read).toMatchObject({ result: { structuredContent: { data: [{}] } } });
    expect(sandbox.stats.requests).toBe(requests);
    expect(sandbox.stats.exchanges).toBe(exchanges);
    await callTool(second.url, 'get_me', {});
    expect(sandbox.stats.exchanges).toBe(exchanges + 1);
    redis.pause();
    const alone = await callTool(second.url, 'read_rows', { result_id: id, limit: 1 });
    expect(alone).toMatchObject({ result: { structuredContent: { data: [{}] } } });
    redis.resume();
  }, 60_000);

  test('open the links to files that the other has signed, also as the first thing they do', async () => {
    const third = await spawnHttp({ ...account(sandbox), COMMERCE_REDIS_URL: redis.url });
    closeAfterwards(() => third.stop());
    const sql = 'SELECT id, name FROM shops';
    const exported = await callTool(first.url, 'export_rows', { sql, format: 'csv' });
    const [, link = ''] = /"url":"([^"]+)"/.exec(JSON.stringify(exported)) ?? [];
    const { pathname } = new URL(link);
    const texts = [first, second, third].map(async ({ url }) => {
      return (await fetch(new URL(pathname, url))).text();
    });
    const [text, ...others] = await Promise.all(texts);
    expect(text).toMatch(/^id,name\n\d+,/);
    expect(others).toEqual([text, text]);
  }, 60_000);
});

/** Asks for orders at once. @returns answers that failed */
async function askFor(url: string, ids: readonly number[]): Promise<unknown[]> {
  const answers = await Promise.all(ids.map((id) => callTool(url, 'get_order', { order_id: id })));
  return answers.filter(({ result }) => !isRecord(result) || result.isError === true);
}
