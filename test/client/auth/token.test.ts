import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renewal } from '../../../src/client/auth/token.ts';
import type {
  ClientEvent,
  ClientSettings,
  Runtime,
} from '../../../src/client/transport/runtime.ts';
import { type Behaviour, reply } from '../fake-platform.ts';
import { world as anyWorld } from '../fake-world.ts';

function world(
  behaviour: Partial<Behaviour> = {},
  settings: Partial<ClientSettings> = {},
  runtime: Partial<Runtime> = {},
) {
  const free = { headers: 'none', quota: 1e9 } as const;
  const impatient = { timeoutMs: 2000, maxWaitMs: 4000 };
  const made = anyWorld({ ...free, ...behaviour }, { ...impatient, ...settings }, runtime);
  const get = (path = '/api/me') => made.clock.run(made.client.get(path));
  return { ...made, get, requests: made.platform.requests };
}

describe('renewal', () => {
  const minute = 60_000;
  const issued = { issuedAtMs: 0, issuedAtWallMs: 0 };
  test.each([
    ['a fresh hour', 60 * minute, 58 * minute, 58 * minute, 'fresh'],
    ['an hour’s last minute', 60 * minute, 59 * minute, 59 * minute, 'due'],
    ['two seconds, their last quarter', 2000, 1500, 1500, 'due'],
    ['a wall clock set back', 60 * minute, 61 * minute, -24 * 60 * minute, 'expired'],
    ['a machine that slept', 60 * minute, minute, 120 * minute, 'expired'],
  ])('of %s', (_, lifetimeMs, elapsed, now, expected) => {
    expect(renewal({ ...issued, lifetimeMs }, elapsed, now)).toBe(expected);
  });
});

describe('the token', () => {
  test('is discovered and exchanged with HTTP Basic, once for many calls', async () => {
    // As RFC 6749 section 2.3.1 asks, id and secret are encoded as in a form.
    const key = { clientId: 'a:b', clientSecret: 'p w+é%' };
    const { clock, client, platform, requests } = world({}, key);
    const calls = Array.from({ length: 50 }, (_, id) => client.get(`/api/order/${id}`));
    await clock.run(Promise.all(calls));
    expect(platform.exchanges).toBe(1);
    const [discovery, exchange, call] = requests;
    expect(discovery?.headers).toEqual({ accept: 'application/json' });
    expect(exchange).toMatchObject({ method: 'POST', body: 'grant_type=client_credentials' });
    const basic = Buffer.from('a%3Ab:p+w%2B%C3%A9%25').toString('base64');
    expect(exchange?.headers.authorization).toBe(`Basic ${basic}`);
    expect(exchange?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(call?.headers.authorization).toBe('Bearer token-1');
  });

  test('is renewed about a minute before its end, without a call waiting for it', async () => {
    const { clock, platform, get, requests } = world({ lifetimeSeconds: 600 });
    await get();
    await clock.advance(545_000);
    await get();
    expect(requests.at(-1)?.headers.authorization).toBe('Bearer token-1');
    await clock.advance(100);
    expect(platform.exchanges).toBe(2);
    await get();
    expect(requests.at(-1)?.headers.authorization).toBe('Bearer token-2');
  });

  test('is refused for good when the exchange answers 401, and asked again some seconds later', async () => {
    const { clock, get, platform } = world({ knowsKey: false });
    await expect(get()).rejects.toMatchObject({
      code: 'key_refused',
      status: 401,
      reason: { code: 'key_wrong' },
    });
    for (let i = 0; i < 10; i++) await get().catch(() => {});
    expect(platform.exchanges).toBe(1);
    platform.behaviour.knowsKey = true;
    await clock.advance(5000);
    await get();
    expect(platform.exchanges).toBe(2);
  });

  test('is not waited for longer than an attempt may take where discovery is silent', async () => {
    const { clock, get, requests } = world({ discovery: () => new Promise(() => {}) });
    await expect(get()).rejects.toMatchObject({
      code: 'timeout',
      reason: { code: 'exchange_late', seconds: 2 },
    });
    expect(clock.elapsed()).toBeLessThan(4000 + 2000);
    expect(requests.every(({ signal }) => signal.aborted)).toBe(true);
  });

  test('is exchanged before anybody asks', async () => {
    const { clock, platform, client, get, requests } = world();
    client.prepare();
    await clock.advance(1000);
    expect([platform.exchanges, requests.length]).toEqual([1, 2]);
    await get();
    expect([platform.exchanges, requests.length]).toEqual([1, 3]);
  });

  test('lives for a minute where its lifetime is missing', async () => {
    const { clock, client } = world({ exchange: () => reply(200, { access_token: 't' }) });
    expect((await clock.run(client.checkExchange())).expiresInSeconds).toBe(60);
  });

  test.each([200, 201, 202, 299])('is taken from an answer %i', async (status) => {
    const { clock, client } = world({ exchange: () => reply(status, { access_token: 't' }) });
    expect((await clock.run(client.checkExchange())).expiresInSeconds).toBe(60);
  });
});

describe('a refused exchange', () => {
  test.each([
    [{ error: 'invalid_scope' }, 'invalid_scope'],
    [
      { error: 'invalid_scope', error_description: 'no such scope' },
      'invalid_scope: no such scope',
    ],
    [{ error: { message: 'broken' }, detail: 'A fault' }, ''],
  ])('of %j is quoted as "%s"', async (body, detail) => {
    const { get } = world({ exchange: () => reply(400, body) });
    await expect(get()).rejects.toMatchObject({ reason: { code: 'exchange_refused', detail } });
  });

  // A live token may stand anywhere in it.
  const canary = 'live-token-7f3a';
  const value = fc.oneof(
    fc.constantFrom(canary, `Bearer ${canary}`, [canary], { inner: canary }, { error: canary }),
    fc.string().map((text) => `${text} ${canary}`),
  );
  const name = fc.oneof(
    fc.constantFrom('detail', 'title', 'message', 'token', 'accessToken', 'errors', 'trace_id'),
    fc.string().filter((text) => !['error', 'error_description', 'access_token'].includes(text)),
  );
  const json = fc.oneof(
    fc.dictionary(name, value, { minKeys: 1 }),
    // Values that are no token, or no text.
    value.map((access_token) => ({ access_token: [access_token], error: { canary } })),
    fc.array(value, { minLength: 1 }),
    fc.constant({ access_token: `${canary} with a space` }),
  );
  const body = fc.oneof(
    json,
    json.map((content) => `${JSON.stringify(content)}}`),
    fc.constantFrom(canary, `<html>${canary}</html>`, `access_token=${canary}&expires_in=3600`),
  );
  const status = fc.constantFrom(200, 201, 204, 302, 400, 401, 403, 404, 418, 429, 500, 502, 503);

  test('says and logs nothing else of its body', async () => {
    await fc.assert(
      fc.asyncProperty(body, status, async (content, code) => {
        const events: ClientEvent[] = [];
        const log = (event: ClientEvent) => void events.push(event);
        const { get } = world({ exchange: () => reply(code, content) }, {}, { log });
        const error = await get().then(
          () => expect.unreachable(),
          (thrown) => thrown,
        );
        const said = [error.reason, error.message, error.stack, error.reason.text, events];
        expect(JSON.stringify(said)).not.toContain('live-token');
      }),
      { numRuns: 200 },
    );
  });
});
