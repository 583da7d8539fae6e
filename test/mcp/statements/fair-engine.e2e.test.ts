import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { account, type SpawnedServer, spawnHttp } from '../../spawn.ts';
import { bearer, lastMessage, message, post } from '../http/messages.ts';

const honest = bearer('honest-token-0000');
const hostile = bearer('hostile-token-000');
const endless =
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT count(*) FROM r';

let sandbox: Sandbox;
let server: SpawnedServer;

beforeAll(async () => {
  sandbox = await startSandbox({ quota: 10_000, ordersPerDay: 10 });
  server = await spawnHttp({
    ...account(sandbox),
    COMMERCE_HTTP_TOKENS: 'honest:honest-token-0000;hostile:hostile-token-000',
  });
});

afterAll(async () => {
  await server.stop();
  await sandbox.close();
});

async function query(
  caller: Record<string, string>,
  sql: string,
  signal?: AbortSignal,
): Promise<string> {
  const body = message('tools/call', { name: 'query', arguments: { sql } });
  const { result } = await lastMessage(await post(server.url, body, caller, signal));
  const { content, isError } = isRecord(result) ? result : {};
  return `${isError === true ? 'refused' : 'answered'} ${JSON.stringify(content)}`;
}

test('four endless statements of one caller leave another one answers at once', async () => {
  await query(honest, 'SELECT 1');
  const ending = new AbortController();
  const held = Array.from({ length: 4 }, () => query(hostile, endless, ending.signal));
  const ended = Promise.allSettled(held);
  try {
    // The first of them are computing by the time that this one, sent after them, is answered.
    for (let asked = 0; asked < 3; asked += 1) {
      expect(await query(honest, `SELECT ${asked}`)).toMatch(/^answered/);
      expect(await Promise.race([...held, 'still there'])).toBe('still there');
    }
  } finally {
    ending.abort();
    await ended;
  }
});
