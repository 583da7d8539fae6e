import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { sandboxAt } from '../../server-over.ts';
import { account, type RawServer, readFrame, request, spawnServer } from '../../spawn.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await sandboxAt({ now: Date.now });
});

async function open(settings: Record<string, string> = {}): Promise<RawServer> {
  const server = spawnServer(['stdio'], { ...account(sandbox), ...settings });
  await server.initialize();
  return server;
}

type Farewell = 'the end of its input' | 'SIGINT' | 'SIGTERM';

/** Tells a server to leave. */
function dismiss(server: RawServer, by: Farewell): void {
  if (by === 'the end of its input') server.end();
  else server.signal(by);
}

describe('stdout', () => {
  test.each<[level: string, by: Farewell]>([
    ['trace', 'the end of its input'],
    ['silent', 'SIGTERM'],
  ])(
    'carries frames alone at log level %s, up to %s, and the exit code is 0',
    async (level, by) => {
      const server = await open({ COMMERCE_LOG_LEVEL: level });
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
      dismiss(server, by);
      const { code, stdout, stderr } = await server.ended;
      expect(code).toBe(0);
      const frames = stdout.trimEnd().split('\n').map(readFrame);
      expect(frames.length).toBeGreaterThanOrEqual(9);
      expect(stdout.endsWith('\n')).toBe(true);
      for (const printed of [stdout, stderr])
        expect(printed).not.toMatch(/sandbox-secret|Bearer|Basic |sbx_/);
      // What a client sent stands in the log without a character that acts or hides, and no value of a query.
      if (level === 'silent') return expect(stderr).toBe('');
      for (const part of ['"platform"', 'a protocol frame was not served', 'u{202e}'])
        expect(stderr).toContain(part);
      for (const part of [...nasty, 'janssen-the-secret-one']) expect(stderr).not.toContain(part);
    },
  );
});

describe('a server over stdio', () => {
  test('leaves with 0 when its input ends before anything was said', async () => {
    const server = spawnServer(['stdio', '--sandbox']);
    server.end();
    expect(await server.ended).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test.each<Farewell>(['the end of its input', 'SIGINT', 'SIGTERM'])(
    'leaves with 0 on %s with calls in flight',
    async (by) => {
      const slow = await sandboxAt({ now: Date.now, faults: 'slow:path=/api/report*' });
      const server = spawnServer(['stdio'], account(slow));
      await server.initialize();
      server.call(1, 'list_shops');
      await server.answer(1);
      server.call(2, 'get_daily_close', { date: 'yesterday' });
      server.call(3, 'get_payment_report', { period: 'last_month' });
      await vi.waitFor(() => expect(slow.stats.inFlight).toBe(2), { interval: 5, timeout: 20_000 });
      dismiss(server, by);
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
    dismiss(server, 'SIGINT');
    expect((await server.ended).code).toBe(0);
  });

  test.each<[what: string, bytes: string | Uint8Array]>([
    ['a line that is no JSON', 'hello\n'],
    ['half a JSON object', '{"jsonrpc":"2.0","id":1,"meth\n'],
    ['empty lines', '\n\r\n   \n'],
    ['a string', '"tools/list"\n'],
    ['a number', '42\n'],
    ['null', 'null\n'],
    ['an array', '[]\n'],
    ['a batch', '[{"jsonrpc":"2.0","id":7,"method":"ping"}]\n'],
    ['an empty object', '{}\n'],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}\n'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":5}\n'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}\n'],
    ['parameters that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}\n'],
    ['a tool call without a name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}\n'],
    [
      'arguments that are a number',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":3}}\n',
    ],
    ['a method that does not exist', '{"jsonrpc":"2.0","id":1,"method":"tools/burn"}\n'],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":99,"result":{}}\n'],
    ['an error to nothing', '{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}\n'],
    ['a cancellation of nothing', `${JSON.stringify(cancelled(99))}\n`],
    ['progress of nothing', '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n'],
    ['bytes that are no UTF-8', Uint8Array.of(0xff, 0xfe, 0, 0xc3, 0x28, 0x0a)],
    ['__proto__', '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"a":1}}\n'],
  ])('goes on after %s', async (what, bytes) => {
    server.write(bytes);
    server.send(request(`after ${what}`, 'ping'));
    expect(await server.answer(`after ${what}`)).toMatchObject({ result: {} });
  });

  test('answers frames that are joined in one write, each', async () => {
    server.write(['a', 'b', 'c'].map((id) => `${JSON.stringify(request(id, 'ping'))}\n`).join(''));
    for (const id of ['a', 'b', 'c']) expect(await server.answer(id)).toMatchObject({ result: {} });
  });

  test('puts frames together that arrive in pieces, within a character too', async () => {
    const args = { shop_id: 'Café', period: 'x' };
    const frame = Buffer.from(
      JSON.stringify(request(4, 'tools/call', { name: 'list_orders', arguments: args })),
    );
    for (const byte of frame) server.write(Uint8Array.of(byte));
    server.write('\n');
    expect(JSON.stringify(await server.answer(4))).toContain('is not a period');
  });

  test('answers an unknown method with the protocol error for it', async () => {
    server.send(request(5, 'tools/burn'));
    expect(await server.answer(5)).toMatchObject({ error: { code: -32601 } });
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

  test('goes on after a line of more than ten megabytes', async () => {
    server.write(`{"jsonrpc":"2.0","id":10,"x":"${'x'.repeat(11_000_000)}"}\n`);
    server.send(request(11, 'ping'));
    expect(await server.answer(11)).toMatchObject({ result: {} });
  });
});

function cancelled(requestId: number) {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
}
