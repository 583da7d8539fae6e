/** A process on the same Redis is a caller like any other. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { connectNew, type NewConnection } from '../../clients.ts';
import { missingRedis, startRedis } from '../../redis-server.ts';
import { sandboxAt, serverOver } from '../../server-over.ts';
import { closeAfterwards } from '../../setup/closing.ts';
import { bearer } from '../http/messages.ts';

const tokens = { ann: 'a-token-of-ann-alone', bob: 'a-token-of-bob-alone' };
const order = { period: 'yesterday', limit: 1 };

/** Keeps rows and gives their id. */
async function keep(
  { call }: NewConnection,
  tool = 'list_orders',
  input: JsonObject = order,
): Promise<string> {
  const { text } = await call(tool, { ...input, all: true });
  return /\br_[0-9a-z]{10}/.exec(text)?.[0] ?? expect.unreachable(text);
}

describe.skipIf(missingRedis)(
  'a process over stdio beside a server over HTTP, on one Redis',
  () => {
    let whole: NewConnection;
    let narrow: NewConnection;
    /** Everybody who asks, with what they have kept. */
    let everybody: [who: string, asking: NewConnection, kept: string][];

    beforeAll(async () => {
      const redis = await startRedis();
      closeAfterwards(redis.close);
      const sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 10 });
      const settings = { COMMERCE_REDIS_URL: redis.url };
      const { ann, bob } = tokens;
      const http = await serverOver('http', {
        sandbox,
        settings: { ...settings, COMMERCE_HTTP_TOKENS: `ann:${ann};bob:${bob}` },
      });
      const overHttp = async (token: string) => {
        const requestInit = { headers: bearer(token) };
        const transport = new StreamableHTTPClientTransport(new URL(http.url), { requestInit });
        const connection = await connectNew(transport, 'legacy');
        closeAfterwards(connection.close);
        return connection;
      };
      // Over stdio the process itself is the caller, whatever carries its frames.
      whole = await serverOver('memory', { sandbox, settings, now: Date.now });
      narrow = await serverOver('memory', {
        sandbox,
        now: Date.now,
        settings: { ...settings, COMMERCE_TOOLSETS: 'orders' },
      });
      const asking: [string, NewConnection][] = [
        ['a process', whole],
        ['a process with the toolset of orders alone', narrow],
        ['one caller over HTTP', await overHttp(ann)],
        ['another caller over HTTP', await overHttp(bob)],
      ];
      everybody = await Promise.all(
        asking.map(
          async ([who, each]): Promise<(typeof everybody)[number]> => [who, each, await keep(each)],
        ),
      );
    });

    test('each lists its own rows alone', async () => {
      for (const [who, { complete }, kept] of everybody)
        expect(await complete('commerce://results/{result_id}', 'result_id', ''), who).toEqual([
          kept,
        ]);
    });

    test('each reads its own rows alone, by whichever way', async () => {
      for (const [who, { read, call }, own] of everybody)
        for (const [whose, , kept] of everybody) {
          const ways: (() => Promise<unknown>)[] = [
            () => read(`commerce://results/${kept}`),
            () => read(`commerce://results/${kept}.csv`),
          ];
          if (!who.includes('orders alone'))
            ways.push(
              () => call('read_rows', { result_id: kept }),
              () => call('query', { sql: `FROM result('${kept}')` }),
            );
          for (const way of ways) {
            const said = await way().then(JSON.stringify, JSON.stringify);
            const isRefused = said.includes('"code":"result_gone"');
            expect(isRefused, `${who}, what ${whose} keeps: ${said}`).toBe(kept !== own);
          }
        }
    });

    test('COMMERCE_TOOLSETS holds for what comes out of Redis', async () => {
      const customers = await keep(whole, 'search_customers', { q: 'jansen' });
      const reading = narrow.read(`commerce://results/${customers}`);
      await expect(reading).rejects.toMatchObject({ data: { code: 'result_gone' } });
      for (const [name, input] of [
        ['read_rows', { result_id: customers }],
        ['search_customers', { q: 'jansen' }],
      ] as const)
        await expect(narrow.call(name, input)).rejects.toMatchObject({ code: -32_602 });
      const { tools } = await narrow.listTools();
      expect(tools.map(({ name }) => name)).not.toContain('search_customers');
    });
  },
);
