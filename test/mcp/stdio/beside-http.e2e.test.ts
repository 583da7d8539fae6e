/** Whoever has a process of their own on the same Redis is a caller like any other. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { missingRedis, type RedisServer, startRedis } from '../../redis-server.ts';
import {
  account,
  type RawServer,
  request,
  type SpawnedServer,
  spawnHttp,
  spawnServer,
} from '../../spawn.ts';
import { ask, bearer } from '../http/messages.ts';

/** Sends a request and gives back what was answered. */
type Ask = (method: string, params?: unknown) => Promise<unknown>;

const ann = 'a-token-of-ann-alone';
const bob = 'a-token-of-bob-alone';
const template = { type: 'ref/resource', uri: 'commerce://results/{result_id}' };
const completion = { ref: template, argument: { name: 'result_id', value: '' } };
const order = { period: 'yesterday', limit: 1, all: false };

function askOverStdio(server: RawServer): Ask {
  let id = 100;
  return async (method, params) => {
    server.send(request(++id, method, params));
    return server.answer(id);
  };
}

function askOverHttp({ url }: SpawnedServer, token: string): Ask {
  return (method, params) => ask(url, method, params, bearer(token));
}

const call = (asking: Ask, name: string, input: unknown) =>
  asking('tools/call', { name, arguments: input });

/** Keeps rows and gives their id. */
async function keep(asking: Ask, tool = 'list_orders', input: JsonObject = order): Promise<string> {
  const said = JSON.stringify(await call(asking, tool, { ...input, all: true }));
  return /commerce:\/\/results\/(r_[0-9a-z]{10})/.exec(said)?.[1] ?? expect.unreachable(said);
}

describe.skipIf(missingRedis)(
  'a process over stdio beside a server over HTTP, on one Redis',
  () => {
    let redis: RedisServer;
    let sandbox: Sandbox;
    let http: SpawnedServer;
    let stdio: RawServer;
    let narrow: RawServer;
    /** Everybody who asks, with what they have kept. */
    let everybody: [who: string, ask: Ask, kept: string][];

    beforeAll(async () => {
      [redis, sandbox] = await Promise.all([
        startRedis(),
        startSandbox({ quota: 6000, ordersPerDay: 10 }),
      ]);
      const shared = { ...account(sandbox), COMMERCE_REDIS_URL: redis.url };
      http = await spawnHttp({ ...shared, COMMERCE_HTTP_TOKENS: `ann:${ann};bob:${bob}` });
      stdio = spawnServer(['stdio'], shared);
      narrow = spawnServer(['stdio'], { ...shared, COMMERCE_TOOLSETS: 'orders' });
      await Promise.all([stdio.initialize(), narrow.initialize()]);
      const asks: [string, Ask][] = [
        ['a process', askOverStdio(stdio)],
        ['a process with the toolset of orders alone', askOverStdio(narrow)],
        ['one caller over HTTP', askOverHttp(http, ann)],
        ['another caller over HTTP', askOverHttp(http, bob)],
      ];
      everybody = await Promise.all(
        asks.map(async ([who, ask]) => [who, ask, await keep(ask)] as [string, Ask, string]),
      );
    }, 120_000);

    afterAll(async () => {
      for (const server of [stdio, narrow]) server?.end();
      await Promise.all([stdio?.ended, narrow?.ended, http?.stop('SIGKILL')]);
      await Promise.all([redis?.close(), sandbox?.close()]);
    });

    test('each lists its own rows alone', async () => {
      for (const [who, ask, kept] of everybody) {
        const answer = await ask('completion/complete', completion);
        expect(answer, who).toMatchObject({ result: { completion: { values: [kept], total: 1 } } });
      }
    });

    test('each reads its own rows alone, by whichever way', async () => {
      for (const [who, ask, own] of everybody)
        for (const [whose, , kept] of everybody) {
          const ways: [string, unknown][] = [
            ['resources/read', { uri: `commerce://results/${kept}` }],
            ['resources/read', { uri: `commerce://results/${kept}.csv` }],
            ...(who.includes('orders alone')
              ? []
              : ([
                  ['tools/call', { name: 'read_rows', arguments: { result_id: kept } }],
                  ['tools/call', { name: 'query', arguments: { sql: `FROM result('${kept}')` } }],
                ] as [string, unknown][])),
          ];
          for (const [method, params] of ways) {
            const said = JSON.stringify(await ask(method, params));
            const isRefused = said.includes('nothing is kept under');
            expect(isRefused, `${who} by ${method} what ${whose} keeps: ${said}`).toBe(
              kept !== own,
            );
          }
        }
    });

    test('COMMERCE_TOOLSETS holds for what comes out of Redis', async () => {
      const [[, whole] = expect.unreachable(), [, part] = expect.unreachable()] = everybody;
      const customers = await keep(whole, 'search_customers', { q: 'jansen' });
      const read = await part('resources/read', { uri: `commerce://results/${customers}` });
      expect(read).toMatchObject({
        error: { message: expect.stringContaining('nothing is kept') },
      });
      for (const [name, input] of [
        ['read_rows', { result_id: customers }],
        ['search_customers', { q: 'jansen' }],
      ] as const)
        expect(await call(part, name, input)).toMatchObject({ error: { code: -32_602 } });
      expect(JSON.stringify(await part('tools/list'))).not.toContain('search_customers');
    });
  },
);
