import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isRecord, parseJson } from '../../src/core/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Connection } from '../clients.ts';
import { callAs, callWith } from '../sandbox/caller.ts';
import { goingOn, type ServerOptions, serverOver } from '../server-over.ts';

/** The rules of docs/platform.md on access and limits as they show through the server. */

let sandbox: Sandbox;
let connection: Connection;

beforeAll(async () => {
  const server = await serverOver('memory');
  connection = server;
  ({ sandbox } = server);
});

afterEach(() => sandbox.control.clearFaults());

/** A server of its own against a sandbox of its own. */
async function withOwn(
  options: ServerOptions,
  use: (own: Connection, platform: Sandbox) => Promise<void>,
): Promise<void> {
  const own = await serverOver('memory', options);
  await use(own, own.sandbox);
}

async function rateBudget(from: Connection): Promise<unknown> {
  const [content] = await from.read('commerce://access');
  const access = parseJson(content?.text ?? '');
  return isRecord(access) ? access.rate_budget : undefined;
}

describe('the key', () => {
  test('is asked with, since the token of a browser session is refused (docs/platform.md#bearer-tokens)', async () => {
    const token = sandbox.control.mintBrowserToken();
    expect(await callWith(sandbox, token).get('/api/me')).toMatchObject({ status: 401 });
    expect(await connection.call('get_me')).toMatchObject({ isError: false });
  });

  // docs/platform.md#api-keys and docs/platform.md#me.
  test('get_me tells its account, its lifetime and its capabilities', async () => {
    const { body } = await connection.call('get_me');
    expect(body).toMatchObject({
      account: { name: 'sandbox' },
      token: { client_id: sandbox.clientId, expires_in: expect.any(Number) },
      authorization: { role: 'owner', capabilities: { 'location.list': true } },
    });
  });

  test('a role that holds nothing shows an empty map, which is an answer (docs/platform.md#me)', () =>
    withOwn({ role: 'powerless' }, async (own) => {
      const { body } = await own.call('get_me');
      expect(body).toMatchObject({ authorization: { capabilities: {} } });
    }));

  test('a profile that cannot be looked up comes as null, with the reason (docs/platform.md#me)', () =>
    withOwn({ role: 'faceless' }, async (own) => {
      const { body } = await own.call('get_me');
      expect(body).toMatchObject({ user: null, roles: null, locked_location: null });
      expect(body.profile_error).toEqual(expect.any(String));
    }));

  test('is exchanged once for many calls, discovery holding one address (docs/platform.md#token-exchange)', () =>
    withOwn({ minimalDiscovery: true }, async (own, { stats }) => {
      const calls = ['get_me', 'list_shops', 'list_tax_rates', 'list_payment_methods'];
      const answers = await Promise.all(calls.map((tool) => own.call(tool)));
      expect(answers.map(({ isError }) => isError)).toEqual([false, false, false, false]);
      expect(stats.exchanges).toBe(1);
    }));

  test('once refused is not exchanged again and again (docs/platform.md#revoked-keys)', () =>
    withOwn({}, async (own, { control, stats, clientId }) => {
      control.revokeKey(clientId);
      for (let count = 0; count < 3; count += 1)
        expect(await own.call('get_me')).toMatchObject({ isError: true });
      expect(stats.failedExchanges).toBeLessThanOrEqual(3);
      expect(stats.byPath['/api/me'] ?? 0).toBe(0);
    }));

  test('is exchanged anew when its token ends, once for all who wait (docs/platform.md#renewal)', () =>
    withOwn({}, async (own, { control, stats }) => {
      await own.call('list_shops');
      control.expireTokens();
      const calls = ['get_me', 'list_stock', 'search_products', 'search_customers'];
      const answers = await Promise.all(calls.map((tool) => own.call(tool)));
      expect(answers.every(({ isError }) => !isError)).toBe(true);
      expect(stats.exchanges).toBe(2);
    }));

  // docs/platform.md#one-key-one-integration and docs/platform.md#request-budget.
  test('shares one budget with whoever else uses it', () =>
    withOwn({ quota: 50, windowSeconds: 3600 }, async (own, platform) => {
      await own.call('get_me');
      const other = await callAs(platform);
      for (let count = 0; count < 20; count += 1) await other.get('/api/me');
      await own.call('get_me');
      expect(await rateBudget(own)).toMatchObject({ limit: 50, remaining: 27 });
    }));

  test('is the only way in; no tool logs in or writes (docs/platform.md#removed-endpoints)', async () => {
    const { tools } = await connection.listTools();
    expect(tools.map(({ name }) => name).filter((name) => /login|auth|demo/.test(name))).toEqual(
      [],
    );
    for (const { annotations } of tools) expect(annotations?.readOnlyHint).toBe(true);
  });
});

describe('the limits', () => {
  test('of writes are told apart from those of reads (docs/platform.md#write-ceiling)', () =>
    withOwn({ quota: 100, windowSeconds: 3600 }, async (own, platform) => {
      const writer = await callAs(platform);
      for (let count = 0; count < 5; count += 1) await writer.send('POST', '/api/me');
      await own.call('get_me');
      expect(await rateBudget(own)).toMatchObject({ limit: 100, remaining: 93 });
    }));

  test('a refusal is waited out, then the call goes on (docs/platform.md#retry-after)', async () => {
    sandbox.control.inject('429:value=1,times=1,path=/api/me');
    const before = sandbox.stats.byPath['/api/me'] ?? 0;
    expect(await connection.call('get_me')).toMatchObject({ isError: false });
    expect(sandbox.stats.byStatus[429]).toBe(1);
    expect(sandbox.stats.byPath['/api/me']).toBe(before + 2);
  });

  test('without the five headers no budget is reported, and calls go on (docs/platform.md#rate-headers)', () =>
    withOwn({ faults: 'limits=none' }, async (own) => {
      const answers = await Promise.all([own.call('get_me'), own.call('list_shops')]);
      expect(answers.map(({ isError }) => isError)).toEqual([false, false]);
      expect(await rateBudget(own)).toBe('no budget reported');
    }));

  // docs/platform.md#subscription and docs/platform.md#numbers-of-the-limits.
  test('more calls than a window holds are paced by what it says', () =>
    withOwn({ quota: 12, windowSeconds: 3, now: goingOn }, async (own, { world, stats }) => {
      const ids = world.orders(world.unbalancedDay.date).slice(0, 20);
      const answers = await Promise.all(
        ids.map(({ id }) => own.call('get_order', { order_id: id })),
      );
      expect(answers.map(({ body }) => body.id)).toEqual(ids.map(({ id }) => id));
      expect(stats.refused).toBe(0);
    }));

  test.each([
    ['search_customers', 50, 500],
    ['list_orders', 100, 500],
    ['list_order_changes', 100, 250],
    ['search_products', 25, 200],
    ['list_product_changes', 100, 250],
    ['list_product_prices', 100, 500],
  ])(
    '%s takes %i rows by default and at most %i (docs/platform.md#page-sizes)',
    async (name, standard, most) => {
      const { tools } = await connection.listTools();
      const tool = tools.find((it) => it.name === name);
      expect(tool?.inputSchema.properties?.limit).toEqual(
        // A page of 0 rows is a question of ours, see below.
        expect.objectContaining({ default: standard, minimum: 0, maximum: most }),
      );
    },
  );

  test('no page of fewer rows than 1 is asked for (docs/platform.md#page-sizes)', async () => {
    const profiled = await connection.call('list_product_prices', { limit: 0 });
    expect(profiled.isError, profiled.text).toBe(false);
    expect(profiled.rows).toEqual([]);
    expect(profiled.context.read).toMatchObject({ rows: expect.any(Number) });
  });
});
