import { describe, expect, test } from 'vitest';
import { renewal } from '../../../src/client/auth/token.ts';
import type { ClientSettings } from '../../../src/client/transport/runtime.ts';
import { type Behaviour, reply } from '../fake-platform.ts';
import { world as anyWorld } from '../fake-world.ts';

function world(behaviour: Partial<Behaviour> = {}, settings: Partial<ClientSettings> = {}) {
  const free = { headers: 'none', quota: 1e9 } as const;
  const impatient = { timeoutMs: 2000, maxWaitMs: 4000 };
  const made = anyWorld({ ...free, ...behaviour }, { ...impatient, ...settings });
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
});
