import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { type RedisServer, startRedis } from '../../redis-server.ts';
import { account, type SpawnedServer, spawnHttp } from '../../spawn.ts';
import { lastMessage, message, post } from './messages.ts';

/** Two servers as processes on one key, with one Redis and one platform. */
export interface Fleet {
  sandbox: Sandbox;
  redis: RedisServer;
  replicas: readonly [SpawnedServer, SpawnedServer];
  close(): Promise<void>;
}

export interface FleetOptions {
  quota: number;
  windowSeconds: number;
}

/** Starts it all. */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const sandbox = await startSandbox({ ...options, latencyMs: 20 });
  const redis = await startRedis();
  const settings = {
    ...account(sandbox),
    COMMERCE_REDIS_URL: redis.url,
    COMMERCE_MAX_WAIT_SECONDS: '600',
  };
  const replicas = await Promise.all([spawnHttp(settings), spawnHttp(settings)]);
  return {
    sandbox,
    redis,
    replicas,
    async close() {
      await Promise.all(replicas.map((replica) => replica.kill()));
      await Promise.all([redis.close(), sandbox.close()]);
    },
  };
}

/** Asks one server for many orders, some at a time; how many were answered and how many failed. */
export async function askFor(url: string, ids: readonly number[]) {
  const left = [...ids];
  const outcome = { answered: 0, failed: [] as string[] };
  const worker = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      try {
        const { result, error } = await callTool(url, 'get_order', { order_id: id });
        if (isError(result) || error) outcome.failed.push(JSON.stringify(error ?? result));
        else outcome.answered++;
      } catch (error) {
        outcome.failed.push(String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: 50 }, worker));
  return outcome;
}

/** One tool call, as the older revisions make it. */
export async function callTool(url: string, name: string, input: Record<string, unknown>) {
  return lastMessage(await post(url, message('tools/call', { name, arguments: input })));
}

/** Ids of orders of the last months. */
export function orderIds({ world }: Sandbox, count: number): number[] {
  const from = new Date(Date.now() - 100 * 86_400_000).toISOString().slice(0, 10);
  return world
    .orders(from, world.today())
    .slice(0, count)
    .map(({ id }) => id);
}

function isError(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'isError' in result && !!result.isError;
}
