import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectAs } from '../../clients.ts';
import { type HttpServer, sandboxAt, serverOver } from '../../server-over.ts';
import type { Sandbox } from '../../spawn.ts';
import { callTool, lastMessage, message, modern, modernHeaders, post, posted } from './messages.ts';

/** Long enough for a busy machine. */
const patience = { timeout: 15_000 };

const slowMs = 20_000;
const orders = {
  name: 'list_orders',
  arguments: { period: 'last_week', limit: 5, fields: ['id'], is_internal: false },
};

function inFlight({ app }: HttpServer): number {
  return app.services.client.load().inFlight;
}

async function untilUnderWay(server: HttpServer): Promise<void> {
  await vi.waitFor(() => expect(inFlight(server)).toBeGreaterThan(0), { timeout: slowMs });
}

describe('upstream work is stopped', () => {
  let server: HttpServer;

  beforeAll(async () => {
    server = await serverOver('http');
    server.sandbox.control.setLatency(slowMs);
  });

  /** Requests to the platform end long before it would have answered. */
  async function expectStopped(): Promise<void> {
    await vi.waitFor(() => expect(inFlight(server)).toBe(0), { timeout: slowMs / 2 });
    const outcome = { tool: 'list_orders', outcome: 'cancelled' };
    const lastCall = () => server.log.findLast(({ message }) => message === 'call');
    await vi.waitFor(() => expect(lastCall()?.facts).toMatchObject(outcome), patience);
  }

  const older = message('tools/call', orders);
  const newer = modern('tools/call', orders);
  const named = modernHeaders('tools/call', '2026-07-28', 'list_orders');

  test.each([
    ['an older revision', older, {}],
    ['the 2026-07-28 revision', newer, named],
  ])('upstream work is stopped when the client of %s goes away', async (_, body, headers) => {
    const leaving = new AbortController();
    const gone = post(server.url, body, headers, leaving.signal)
      .then((response) => response.text())
      .catch(() => 'gone');
    await untilUnderWay(server);
    leaving.abort();
    expect(await gone).toBe('gone');
    await expectStopped();
  });

  test('upstream work is stopped when a client cancels', async () => {
    const { call, close } = await connectAs('the 2.x client that negotiates', new URL(server.url));
    onTestFinished(close);
    const cancelling = new AbortController();
    const { signal } = cancelling;
    const rejected = expect(call(orders.name, orders.arguments, { signal })).rejects.toThrow();
    await untilUnderWay(server);
    cancelling.abort();
    await rejected;
    await expectStopped();
  });
});

describe('calls that wait for each other', () => {
  test('calls that wait for each other each count the requests that they caused themselves', async () => {
    const server = await serverOver('http', { settings: { COMMERCE_CONCURRENCY: '1' } });
    const names = ['get_me', 'list_locations', 'list_customer_segments', 'list_payment_methods'];
    await Promise.all(names.map((name) => callTool(server.url, name)));
    const lines = server.log.filter(({ message: text }) => text === 'call');
    const counts = lines.map(({ facts }) => [facts.tool, facts.upstream_requests]);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(names.map((name) => [name, 1])));
    // The platform takes the id of each request as its own, and no other call's is among them.
    expect(lines.flatMap(({ facts }) => facts.trace_ids)).toEqual([]);
  });
});

describe('too many requests at once', () => {
  test('requests wait for a place, and beyond the bound are refused with 503 and when to come back', async () => {
    const server = await serverOver('http', {
      bounds: { maxActive: 2, maxWaiting: 3, graceMs: 1000 },
    });
    server.sandbox.control.setLatency(3000);
    const bodies = Array.from({ length: 8 }, (_, id) => message('tools/call', orders, id));
    const asked = bodies.map((body) => post(server.url, body));
    const busy = 'commerce_mcp_refusals_total{reason="busy"}';
    await expect.poll(() => server.metric(busy)).toBe(3);
    server.sandbox.control.setLatency(0);
    const responses = await Promise.all(asked);
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 200, 200, 200, 503, 503, 503]);
    const refused = responses.find(({ status }) => status === 503);
    expect(refused?.headers.get('retry-after')).toBe('1');
    for (const response of responses)
      if (response.ok) expect(await lastMessage(response)).toHaveProperty('result');
  });
});

describe('the end', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 10 });
  });

  test('the end of a server lets a call under way finish, and takes no other', async () => {
    const server = await serverOver('http');
    server.sandbox.control.setLatency(2000);
    const call = post(server.url, message('tools/call', orders));
    await untilUnderWay(server);
    const closed = server.close();
    const late = () => post(server.url, message('ping')).then(({ status }) => status);
    await vi.waitFor(async () => expect(await late()).toBe(503), { interval: 200, timeout: 2000 });
    expect(await lastMessage(await call)).toMatchObject({
      result: { structuredContent: { data: { length: 5 } } },
    });
    await closed;
  });

  test.each([0, 1, 2, 3])(
    'the end of a server resets no request that was sent %i turns before it',
    async (turns) => {
      const server = await serverOver('http', { sandbox });
      const { port } = new URL(server.url);
      const body = message('ping');
      const head = Object.entries({ host: `127.0.0.1:${port}`, ...posted, connection: 'close' });
      const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const sent = `POST /mcp HTTP/1.1\r\n${lines}content-length: ${body.length}\r\n\r\n${body}`;
      const sockets = Array.from({ length: 10 }, () => connect(Number(port), '127.0.0.1'));
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      for (const socket of sockets) socket.write(sent);
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      const answers = Promise.all(sockets.map((socket) => text(socket).catch(({ code }) => code)));
      await server.close();
      for (const answer of await answers) expect(answer).toMatch(/^HTTP\/1.1 (200|503)/);
    },
  );

  test('the end of a server waits for calls no longer than its grace', async () => {
    const server = await serverOver('http', {
      bounds: { maxActive: 9, maxWaiting: 9, graceMs: 50 },
    });
    server.sandbox.control.setLatency(slowMs);
    const call = post(server.url, message('tools/call', orders)).then((it) => it.text());
    const broken = expect(call).rejects.toThrow();
    await untilUnderWay(server);
    await server.close();
    await broken;
    expect(inFlight(server)).toBe(0);
  });
});

test.each([
  ['refused', (sandbox: Sandbox) => sandbox.control.revokeKey(sandbox.clientId)],
  ['failed', (sandbox: Sandbox) => sandbox.close()],
])('the metrics tell a key that is %s', async (outcome, breakIt) => {
  const sandbox = await sandboxAt();
  const server = await serverOver('http', { sandbox });
  await breakIt(sandbox);
  await callTool(server.url, 'list_orders', { period: 'yesterday' });
  for (const one of ['ok', 'refused', 'failed']) {
    const counted = await server.metric(`commerce_mcp_token_exchanges_total{outcome="${one}"}`);
    expect(counted > 0, one).toBe(one === outcome);
  }
});
