import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serverOver } from '../../../server-over.ts';
import { bearer, message, post } from '../messages.ts';

const alice = 'alice-has-a-long-token';
const orders = 'orders-only-long-token';

describe('a server with a file of tokens', () => {
  async function openWithFile(text: string) {
    const folder = await mkdtemp(join(tmpdir(), 'tokens-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'tokens');
    await writeFile(file, text);
    const server = await serverOver('http', { settings: { COMMERCE_HTTP_TOKENS_FILE: file } });
    const statusOf = async (token: string) =>
      (await post(server.url, message('ping'), bearer(token))).status;
    return { server, file, statusOf };
  }

  test('reads it again when it is written', async () => {
    const { file, statusOf } = await openWithFile(`# who may\nalice:${alice}\n`);
    expect(await statusOf(alice)).toBe(200);
    await writeFile(file, `bob:${orders}\n`);
    expect([await statusOf(alice), await statusOf(orders)]).toEqual([401, 200]);
  });

  test('reads it again when another is put in its place', async () => {
    const { file, statusOf } = await openWithFile(`alice:${alice}`);
    await writeFile(`${file}.new`, `alice:${orders}`);
    await rename(`${file}.new`, file);
    expect([await statusOf(alice), await statusOf(orders)]).toEqual([401, 200]);
  });

  test('lets nobody in when its last token is taken out', async () => {
    const { file, statusOf } = await openWithFile(`alice:${alice}`);
    await writeFile(file, '');
    expect(await statusOf(alice)).toBe(401);
  });

  test('stays with what it knew while the file is wrong or away, and says so', async () => {
    const { server, file, statusOf } = await openWithFile(`alice:${alice}`);
    await writeFile(file, `alice ${orders}`);
    expect(await statusOf(alice)).toBe(200);
    await rm(file);
    expect(await statusOf(alice)).toBe(200);
    const errors = server.log.filter(({ level }) => level === 'error');
    expect(errors.map(({ facts }) => facts.reason)).toEqual([
      expect.stringContaining('entry 1 is not name:token'),
      expect.stringContaining('ENOENT'),
    ]);
    expect(JSON.stringify(server.log)).not.toContain(orders);
  });

  test('says so in /readyz and /metrics, whether anybody calls or not', async () => {
    const { server, file } = await openWithFile(`alice:${alice}`);
    const isBroken = async () => {
      const reply = await fetch(`${server.origin}/metrics`, { headers: bearer(alice) });
      return /^commerce_mcp_tokens_file_broken (\d)$/m.exec(await reply.text())?.[1];
    };
    expect(await isBroken()).toBe('0');
    await rm(file);
    expect(await isBroken()).toBe('1');
    expect(await (await fetch(`${server.origin}/readyz`)).json()).toMatchObject({
      checks: { tokens_file: 'the tokens file cannot be used; the tokens stay as they were' },
    });
  });

  test('refuses to start without it', async () => {
    const settings = { COMMERCE_HTTP_TOKENS_FILE: join(tmpdir(), 'no-such-file') };
    await expect(serverOver('http', { settings })).rejects.toThrow(
      'COMMERCE_HTTP_TOKENS_FILE cannot be read: ENOENT',
    );
  });
});
