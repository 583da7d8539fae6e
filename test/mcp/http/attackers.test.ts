/** Callers that want more than their part, each beside an honest one. */
import { createSocket } from 'node:dgram';
import dns, { promises } from 'node:dns';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clientMessages } from '../../../src/client/messages.ts';
import { refusalMessages } from '../../../src/mcp/http/refusals.ts';
import { openInternet } from '../../../src/mcp/http/sign-in/documents.ts';
import { scripted } from '../../client/scripted-server.ts';
import { type HttpServer, serverOver } from '../../server-over.ts';
import { freePort } from '../../setup/free-port.ts';
import { account, spawnHttp } from '../../spawn.ts';
import { bearer, callTool, message, modern, modernHeaders, post, posted } from './messages.ts';
import { alice, signInSettings } from './sign-in/served.ts';

const bounds = { maxActive: 4, maxWaiting: 8, graceMs: 1000, arrivalMs: 1200, unreadMs: 1000 };
const settings = { COMMERCE_HTTP_TOKENS: 'honest:honest-token-0000;hostile:hostile-token-000' };
const honest = bearer('honest-token-0000');
const hostile = bearer('hostile-token-000');
const ping = message('tools/list');

function open(own = bounds): Promise<HttpServer> {
  return serverOver('http', { settings, bounds: own, ordersPerDay: 1 });
}

/** A connection that sends a text and does not read. */
function dial({ origin }: HttpServer, text: string): Socket {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.on('error', () => {});
  socket.write(text);
  onTestFinished(() => void socket.destroy());
  return socket;
}

function requestText(body: string, length = Buffer.byteLength(body)): string {
  const headers = { host: '127.0.0.1', ...posted, ...hostile, 'content-length': `${length}` };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

async function active(house: HttpServer): Promise<number> {
  return house.metric('commerce_mcp_queue_active ', honest);
}

describe('a caller', () => {
  test('a caller that sends slowly takes no place, and is told to hurry', async () => {
    const house = await open();
    const slow = Array.from({ length: 20 }, () => dial(house, requestText('{"jsonrpc":', 500)));
    const answers = slow.map(async (socket) => {
      socket.resume();
      let text = '';
      socket.on('data', (part) => {
        text += part;
      });
      await once(socket, 'close');
      return text;
    });
    const served = await post(house.url, ping, honest);
    expect(await served.text()).toContain('list_orders');
    await expect.poll(() => active(house)).toBe(0);
    for (const answer of await Promise.all(answers)) {
      expect(answer).toMatch(/^HTTP\/1.1 408/);
      expect(answer).toContain(refusalMessages.arrived_late({ seconds: 1.2 }).text);
    }
  });

  test('a caller that reads nothing for the allowed time is disconnected, and gives its place back', async () => {
    const unreadMs = 8000;
    const house = await open({ ...bounds, unreadMs });
    const read = message('resources/read', { uri: `commerce://results/${await keepRows(house)}` });
    // As many as it may have at once, each with an answer that no buffer holds whole.
    for (let at = 0; at < 2; at += 1) dial(house, requestText(read));
    await expect.poll(() => active(house), { timeout: 10_000 }).toBe(2);
    expect((await post(house.url, ping, honest)).status).toBe(200);
    // Half as long again, for a busy machine.
    await expect.poll(() => active(house), { timeout: unreadMs * 1.5 }).toBe(0);
  }, 200_000);

  test('a caller that reads nothing of the kernel buffer is disconnected too', async () => {
    const house = await open();
    const uri = `commerce://results/${await keepRows(house, 600)}`;
    const read = requestText(message('resources/read', { uri }));
    const dialled = Array.from({ length: 5 }, () => dial(house, read));
    // An idle connection is kept for 75 seconds. What is written to one that is closed fails, now or the next time;
    // a line end before a request is nothing, but it is a sign of life: less often than `unreadMs`.
    const countClosed = () => {
      for (const socket of dialled) if (!socket.destroyed) socket.write('\r\n');
      return dialled.filter(({ destroyed }) => destroyed).length;
    };
    await expect.poll(countClosed, { timeout: 30_000, interval: 3000 }).toBe(5);
  }, 200_000);
});

test('a caller has half of the subscriptions at most, and another one subscribes and is served beside them', async () => {
  const house = await open({ ...bounds, ...longDeadlines });
  // Prompts can change: a subscription to them stays open.
  const method = 'subscriptions/listen';
  const wish = modern(method, { notifications: { promptsListChanged: true } });
  const listen = (caller: Record<string, string>) =>
    post(house.url, wish, { ...modernHeaders(method), ...caller }, closing.signal);
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  // Responses are held: one that nobody holds is collected, and its connection closes.
  const listening: Response[] = [];
  // A few at a time: how many may arrive at once is another bound.
  for (let round = 0; round < 35; round += 1) {
    const four = await Promise.all(Array.from({ length: 4 }, () => listen(hostile)));
    listening.push(...four);
  }
  const statuses = listening.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(128);
  expect(statuses.filter((status) => status === 503)).toHaveLength(12);
  expect(await (await listen(hostile)).text()).toContain(
    refusalMessages.too_many_subscriptions().text,
  );
  expect((await listen(honest)).status).toBe(200);
  expect((await post(house.url, ping, honest)).status).toBe(200);
});

describe('beside 100 clients that never read and 100 bodies that dribble', () => {
  test('an honest caller is served while all of them still hang, each time', async () => {
    const house = await open({ maxActive: 16, maxWaiting: 512, graceMs: 1000, ...longDeadlines });
    const resultId = await keepRows(house);
    const read = message('resources/read', { uri: `commerce://results/${resultId}` });
    for (let at = 0; at < 100; at += 1) {
      dial(house, requestText(read));
      const dribbling = dial(house, requestText('{"jsonrpc":', 5000));
      const timer = setInterval(() => dribbling.write(' '), 200);
      dribbling.once('close', () => clearInterval(timer));
    }
    await expect.poll(() => active(house), { timeout: 20_000 }).toBe(8);
    for (let round = 0; round < 5; round += 1) {
      expect((await post(house.url, ping, honest)).status).toBe(200);
      await expect.poll(() => active(house)).toBe(8);
    }
  }, 200_000);
});

/** A server whose platform answers every list of orders with one page. */
async function openBeside(page: string) {
  const bytes = Buffer.from(page);
  const platform = await scripted((_, response, { pathname }) => {
    const shops = '{"data":[{"id":1,"name":"Utrecht"}],"total":1}';
    response.setHeader('content-type', 'application/json');
    response.end(pathname === '/api/order' ? bytes : shops);
  });
  const { origin } = platform;
  const owner = { clientId: 'key_a.1', clientSecret: 'secret' };
  const server = await spawnHttp({
    ...account({ baseUrl: origin, authUrl: origin, keys: { owner } }),
    ...settings,
  });
  onTestFinished(async () => {
    await server.stop('SIGKILL');
    await platform[Symbol.asyncDispose]();
  });
  const waitMs = async () => {
    const startedMs = performance.now();
    expect(await callTool(server.url, 'list_shops', {}, honest)).toHaveProperty('result');
    return performance.now() - startedMs;
  };
  await waitMs();
  return {
    url: server.url,
    /** Attacks again until an honest caller has waited less than half a second, because a busy machine adds to it. */
    async expectShortWait(attack: () => Promise<unknown>) {
      const isShort = async () => {
        let isOver = false;
        const attacked = attack().finally(() => {
          isOver = true;
        });
        let longestMs = 0;
        while (!isOver) longestMs = Math.max(longestMs, await waitMs());
        await attacked;
        return longestMs < 500 || longestMs < 10 * (await waitMs());
      };
      await expect.poll(isShort, { timeout: 150_000 }).toBe(true);
      const metrics = await fetch(new URL('/metrics', server.url), { headers: honest });
      const [, bytes] = /process_resident_memory_bytes (\d\S*)/.exec(await metrics.text()) ?? [];
      expect(Number(bytes)).toBeLessThan(1e9);
    },
  };
}

/** A page of rows, each with the members that `write` gives. */
const pageOf = (count: number, write: (row: number) => string, total = count) =>
  `{"data":[${Array.from({ length: count }, (_, at) => `{"id":${at},${write(at)}}`).join()}],"total":${total}}`;
const members = (count: number, name: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => `"${name(nth)}":${nth}.25`).join();

describe('the law that another caller waits half a second at most, and the server stays below 1 GB, stands beside', () => {
  test.each([
    ['values as many as are read', pageOf(500, () => members(390, (nth) => `k${nth}`))],
    ['values far beyond', pageOf(390, () => members(4990, (nth) => `k${nth}`))],
    [
      'keys of their own in each row',
      pageOf(390, (row) => members(510, (nth) => `k${row}_${nth}`)),
    ],
    ['text as long as is read', pageOf(500, () => `"text":"${'é\\n'.repeat(3900)}"`)],
  ])(
    'eight answers at once with %s',
    async (_, page) => {
      const { url, expectShortWait } = await openBeside(page);
      const ask = (shop_id: number) =>
        callTool(url, 'list_orders', { period: 'today', limit: 500, shop_id }, hostile);
      await expectShortWait(() => Promise.all(Array.from({ length: 8 }, (_, nth) => ask(nth + 1))));
    },
    200_000,
  );

  test('a list of 100,000 rows of 12 kB, which is read as far as 128 MB', async () => {
    const text = `"text":"${'x'.repeat(12_000)}"`;
    const { url, expectShortWait } = await openBeside(pageOf(500, () => text, 100_000));
    let answer: unknown;
    await expectShortWait(async () => {
      answer = await callTool(url, 'list_orders', { period: 'today', all: true }, hostile);
    });
    const { text: reason } = clientMessages.long_reads_too_large({ megabytes: 128, of: 'list' });
    expect(JSON.stringify(answer)).toContain(reason);
  }, 200_000);

  const call = (name: string, input: unknown) => message('tools/call', { name, arguments: input });
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [`unknown_${nth}`, { nth }]));
  test.each([
    ['990 arguments', call('list_orders', unknown(990))],
    ['as many arguments as are read', call('list_orders', unknown(100))],
    [
      '24,000 entries in a text of JSON',
      call('list_orders', { fields: `[${'1,'.repeat(24_000)}1]` }),
    ],
    [
      '100,000 entries in a text of JSON',
      call('list_orders', { fields: `[${'"a",'.repeat(1e5)}1]` }),
    ],
    ['19,900 entries', call('list_orders', { fields: Array(19_900).fill('a') })],
    [
      'capabilities of all kinds',
      message('initialize', {
        protocolVersion: '2025-06-18',
        clientInfo: { name: 'a', version: '1' },
        capabilities: { experimental: unknown(990) },
      }),
    ],
  ])(
    '64 bodies at once of %s',
    async (_, body) => {
      const { url, expectShortWait } = await openBeside(pageOf(1, () => '"a":1'));
      const send = async () => (await post(url, body, hostile)).text();
      await expectShortWait(() => Promise.all(Array.from({ length: 64 }, send)));
    },
    200_000,
  );
});

/** Longer than a test takes. */
const longDeadlines = { arrivalMs: 60_000, unreadMs: 60_000 };

/** Rows of which the text is longer than what sockets hold. */
async function keepRows({ app, url }: HttpServer, count = 6000): Promise<string> {
  expect(await callTool(url, 'list_shops', {}, hostile)).toHaveProperty('result');
  const rows = Array.from({ length: count }, (_, id) => ({ id, text: 'x'.repeat(1000) }));
  const context = { endpoint: 'GET /api/order', source: 'sandbox', as_of: '' } as const;
  const store = app.results.forCaller({ owner: 'token:hostile', toolsets: [] });
  return (await store.keep(rows, { tool: 'list_orders', arguments: {}, context })).id;
}

test('clients whose documents lie on a name server that never answers keep nobody waiting for 500 ms', async () => {
  const names = createSocket('udp4').bind(await freePort(), '127.0.0.1');
  onTestFinished(() => void names.close());
  await once(names, 'listening');
  const asked: string[] = [];
  names.on('message', (packet) => void asked.push(packet.toString('latin1')));
  const { address, port } = names.address();
  const internet = openInternet([`${address}:${port}`]);
  const house = await serverOver('http', {
    settings: await signInSettings(),
    bounds: { internet },
    ordersPerDay: 1,
  });
  const lookup = vi.spyOn(dns, 'lookup');
  onTestFinished(() => void lookup.mockRestore());
  const strangers = Array.from({ length: 12 }, (_, at) => {
    const query = new URLSearchParams({ client_id: `https://never-${at}.example.com/` });
    return fetch(`${house.origin}/sign-in/authorize?${query}`);
  });
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  for (let at = 0; at < 3; at++) {
    const startedMs = performance.now();
    // A connection of its own to a platform has its name resolved on the pool.
    await promises.lookup(`localhost`);
    await callTool(house.url, 'list_shops', {}, bearer(alice));
    expect(performance.now() - startedMs).toBeLessThan(500);
  }
  expect(JSON.stringify(lookup.mock.calls)).not.toContain('never-');
  const replies = await Promise.all(strangers);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]));
});
