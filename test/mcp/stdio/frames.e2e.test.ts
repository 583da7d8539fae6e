import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sandboxAt } from '../../server-over.ts';
import {
  account,
  type RawServer,
  readFrame,
  request,
  type Sandbox,
  spawnServer,
} from '../../spawn.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await sandboxAt({ now: Date.now });
});

async function open(on = sandbox): Promise<RawServer> {
  const server = spawnServer(['stdio'], account(on));
  await server.initialize();
  return server;
}

test('stdout carries frames alone at log level trace, and neither channel a secret', async () => {
  const server = spawnServer(['stdio'], { ...account(sandbox), COMMERCE_LOG_LEVEL: 'trace' });
  // A client may begin with a byte-order mark.
  server.write('\uFEFF');
  expect(await server.initialize()).toMatchObject({ result: { serverInfo: {} } });
  const nasty = '\u202e\u2066\u0085\u3164';
  server.send({ ...request('nasty', 'ping'), [nasty]: 1 });
  server.send(request(1, 'tools/list'));
  server.call(2, 'get_daily_close', { date: 'yesterday' });
  server.call(3, 'list_orders', { period: 'last_month', all: true });
  server.call(4, 'list_orders', { period: 'nonsense' });
  server.call(5, 'no_such_tool');
  server.send(request(6, 'resources/read', { uri: 'commerce://access' }));
  server.send(request(7, 'prompts/get', { name: 'daily-turnover' }));
  server.call(8, 'search_customers', { q: 'janssen-the-secret-one' });
  for (const id of [1, 2, 3, 4, 5, 6, 7, 8]) await server.answer(id);
  server.end();
  const { code, stdout, stderr } = await server.ended;
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n').map(readFrame).length).toBeGreaterThanOrEqual(9);
  expect(stdout.endsWith('\n')).toBe(true);
  for (const printed of [stdout, stderr])
    expect(printed).not.toMatch(/sandbox-secret|Bearer|Basic |sbx_/);
  // The log shows frames without characters that act or hide, and no value of a query.
  for (const part of ['"platform"', 'a protocol frame was not served', 'u202e'])
    expect(stderr).toContain(part);
  for (const part of [...nasty, 'janssen-the-secret-one']) expect(stderr).not.toContain(part);
});

describe('a server over stdio', () => {
  test('leaves with 0 when its input ends before anything was said', async () => {
    const server = spawnServer(['stdio', '--sandbox']);
    server.end();
    expect(await server.ended).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test.each(['the end of its input', 'SIGTERM'] as const)(
    'leaves with 0 on %s with calls in flight',
    async (by) => {
      const slow = await sandboxAt({ now: Date.now, faults: 'slow:path=/api/report*' });
      const server = await open(slow);
      server.call(1, 'list_shops');
      await server.answer(1);
      server.call(2, 'get_daily_close', { date: 'yesterday' });
      server.call(3, 'get_payment_report', { period: 'last_month' });
      await vi.waitFor(() => expect(slow.stats.inFlight).toBe(2), { interval: 5, timeout: 20_000 });
      if (by === 'the end of its input') server.end();
      else server.signal(by);
      const { code, stdout, stderr } = await server.ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const line of stdout.trimEnd().split('\n')) readFrame(line);
    },
  );
});

describe('one server', () => {
  let server: RawServer;

  beforeAll(async () => {
    server = await open();
  });

  afterAll(async () => {
    // It leaves with 0 after a frame of more than 32 MB, and says so.
    server.write(`"${'x'.repeat(33 * 2 ** 20)}`);
    const { code, stderr } = await server.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/is longer/) });
  });

  const rpc = (rest: string) => `{"jsonrpc":"2.0",${rest}}`;
  test.each<[what: string, line: string]>([
    ['half a JSON object', '{"jsonrpc":"2.0","id":1,"meth'],
    ['empty lines', '\n\r\n   '],
    ['a batch', `[${rpc('"id":7,"method":"ping"')}]`],
    ['a method that does not exist', rpc('"id":1,"method":"tools/burn"')],
    ['__proto__', rpc('"id":1,"method":"ping","__proto__":{"a":1}')],
    ['more than ten megabytes', rpc(`"id":10,"x":"${'x'.repeat(11_000_000)}"`)],
  ])('goes on after %s', async (what, line) => {
    server.write(`${line}\n`);
    server.send(request(`after ${what}`, 'ping'));
    expect(await server.answer(`after ${what}`)).toMatchObject({ result: {} });
  });

  test('answers parameters that are null as none, and wrong ones under their id', async () => {
    server.write(`${rpc('"id":"null","method":"ping","params":null')}\n`);
    expect(await server.answer('null')).toMatchObject({ result: {} });
    server.write(`${rpc('"id":"wrong","method":"prompts/get","params":{"name":5}')}\n`);
    expect(await server.answer('wrong')).toMatchObject({ error: { code: -32_602 } });
  });

  test('puts frames together that arrive in pieces, within a character too', async () => {
    const args = { shop_id: 'Café', period: 'x' };
    const frame = Buffer.from(
      JSON.stringify(request(4, 'tools/call', { name: 'list_orders', arguments: args })),
    );
    for (const byte of frame) server.write(Uint8Array.of(byte));
    server.write('\n');
    expect(JSON.stringify(await server.answer(4))).toContain('"argument":"period"');
  });

  test('answers frames of a megabyte in few words', async () => {
    const long = 'x'.repeat(2 ** 20);
    server.call(6, 'list_orders', { period: long });
    server.call(7, 'list_orders', { [long]: 1 });
    server.call(8, 'list_orders', { period: 'yesterday', shop_id: long });
    server.call(9, long);
    for (const id of [6, 7, 8, 9])
      expect(JSON.stringify(await server.answer(id)).length).toBeLessThan(4000);
  });
});
