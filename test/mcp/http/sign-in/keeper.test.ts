import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Keeper, openKeeper } from '../../../../src/mcp/http/sign-in/keeper.ts';
import { missingRedis, type RedisServer, startRedis } from '../../../redis-server.ts';
import { serverOver } from '../../../server-over.ts';
import { folderWith } from '../../../setup/folder.ts';
import { bearer, message, post } from '../messages.ts';
import { keepingClient, openBrowser } from './person.ts';
import {
  alice,
  authorizing,
  bob,
  finish,
  renew,
  signedIn,
  signInSettings,
  statusOf,
} from './served.ts';

const publicUrl = 'https://mcp.example.com';
let redis: RedisServer | undefined;

beforeAll(async () => {
  if (!missingRedis) redis = await startRedis();
});

afterAll(() => redis?.close());

describe.each(['a folder', 'Redis'])('what is kept in %s', (where) => {
  let keeper: Keeper;

  beforeEach(async () => {
    const signInDir = folderWith();
    const redisUrl = where === 'Redis' ? redis?.url : undefined;
    keeper = await openKeeper({ publicUrl: `${publicUrl}/${signInDir}`, signInDir, redisUrl });
    return () => keeper.close();
  });

  const possible = test.skipIf(where === 'Redis' && missingRedis !== undefined);

  possible('a store keeps a value until it ends', async () => {
    expect(await keeper.get('Client', 'a')).toBeUndefined();
    await keeper.put('Client', 'a', { name: 'A' }, 60);
    await keeper.put('Client', 'b', { name: 'B' }, 1);
    expect(await keeper.get('Client', 'a')).toEqual({ name: 'A' });
    expect(await keeper.get('Grant', 'a')).toBeUndefined();
    await vi.waitFor(async () => expect(await keeper.get('Client', 'b')).toBeUndefined(), {
      timeout: 3000,
    });
    // Redis has its own clock.
    await vi.waitFor(async () => expect(await keeper.list('Client')).toEqual(['a']));
    await keeper.prolong('Client', 'a', 90);
    await keeper.prolong('Client', 'gone', 90);
    expect(await keeper.list('Client')).toEqual(['a']);
    await keeper.remove('Client', 'a');
    await keeper.remove('Client', 'a');
    expect(await keeper.list('Client')).toEqual([]);
  });

  possible('a store lists names by when they end', async () => {
    for (const [name, seconds] of [
      ['a', 60],
      ['b', 61],
      ['c', 62],
      ['a', 63],
    ] as const)
      await keeper.put('Client', name, {}, seconds);
    expect(await keeper.list('Client')).toEqual(['b', 'c', 'a']);
  });

  possible('a store takes a new value from one of many writers', async () => {
    const tries = Array.from({ length: 20 }, (_, at) => keeper.put('Keys', 'k', { at }, 60, true));
    const done = await Promise.all(tries);
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await keeper.get('Keys', 'k')).toEqual({ at: done.indexOf(true) });
  });
});

describe('a folder', () => {
  test('a folder is closed to others, holds whole files, and loses expired values', async () => {
    const signInDir = join(folderWith(), 'deep');
    const keeper = await openKeeper({ publicUrl, signInDir, redisUrl: undefined });
    await keeper.put('RefreshToken', 'old', {}, 60);
    await keeper.put('RefreshToken', 'new', {}, 60);
    const past = new Date(Date.now() - 120_000);
    await utimes(join(signInDir, 'RefreshToken-old.json'), past, past);
    await keeper.sweep();
    expect(await readdir(signInDir)).toEqual(['RefreshToken-new.json']);
  });

  test('a folder gives no value for a file that is cut off', async () => {
    const signInDir = folderWith();
    const keeper = await openKeeper({ publicUrl, signInDir, redisUrl: undefined });
    await keeper.put('Grant', 'a', { accountId: 'x' }, 60);
    const later = new Date(Date.now() + 60_000);
    await writeFile(join(signInDir, 'Grant-a.json'), '{"accountId":');
    await utimes(join(signInDir, 'Grant-a.json'), later, later);
    expect(await keeper.get('Grant', 'a')).toBeUndefined();
  });
});

describe('what cannot be kept', () => {
  test.each(['to begin with', 'later'])(
    'a store that is broken %s is told, and everything else goes on',
    async (when) => {
      const settings = await signInSettings();
      const folder = settings.COMMERCE_SIGN_IN_DIR;
      const breakFolder = async () => {
        await rm(folder, { recursive: true });
        await writeFile(folder, 'no folder');
      };
      if (when === 'to begin with') await breakFolder();
      const server = await serverOver('http', { settings });
      const client = when === 'later' ? await signedIn(server.url) : undefined;
      if (when === 'later') {
        expect(client && (await statusOf(server.url, client))).toBe(200);
        await breakFolder();
      }
      const ready = await (await fetch(`${server.origin}/readyz`)).json();
      expect(ready).toMatchObject({ status: 'ready', checks: { sign_in: expect.any(String) } });
      expect(await server.metric('commerce_mcp_sign_in_broken', bearer(alice))).toBe(1);
      const troubles = server.log.filter(
        ({ message: text }) => text === 'signing in is in trouble',
      );
      expect(troubles).toMatchObject([{ level: 'error', facts: { reason: expect.any(String) } }]);
      const page = await openBrowser().ask(`${server.origin}/sign-in/authorize?client_id=a`);
      expect(page.status).toBeGreaterThanOrEqual(500);
      expect(await page.text()).toMatch(/<p class="wrong" id="problem" role="alert">[^<]+/);
      expect((await post(server.url, message('ping'), bearer(alice))).status).toBe(200);
      // People who were signed in before go on.
      if (client) expect(await statusOf(server.url, client)).toBe(200);
      await rm(folder);
      const healed = await (await fetch(`${server.origin}/readyz`)).json();
      expect(healed).not.toHaveProperty('checks.sign_in');
      const again = await signedIn(server.url, alice, keepingClient({ client_name: 'Another' }));
      expect(await statusOf(server.url, again)).toBe(200);
    },
  );
});

describe.skipIf(missingRedis)('two replicas on one Redis (needs redis-server)', () => {
  test('two replicas on one Redis sign in, exchange, call and renew together', async () => {
    const { COMMERCE_SIGN_IN_DIR: _, ...settings } = await signInSettings();
    const shared = { ...settings, COMMERCE_REDIS_URL: redis?.url ?? '' };
    const first = await serverOver('http', { settings: shared });
    const second = await serverOver('http', {
      sandbox: first.sandbox,
      settings: { ...shared, COMMERCE_HTTP_PORT: '0' },
    });
    /** The same address at the other replica, as a balancer would lead there. */
    const atSecond = (url: string | URL) => String(url).replace(first.origin, second.origin);
    const { client, authorization } = await authorizing(first.url);
    const browser = openBrowser();
    const page = await browser.open(authorization);
    const sent = await browser.send(atSecond(page), { token: alice });
    const back = await browser.ask(sent.headers.get('location') ?? '');
    await finish(first.url, client, new URL(back.headers.get('location') ?? ''));
    expect(await statusOf(first.url, client)).toBe(200);
    expect(await statusOf(second.url, client)).toBe(200);
    await renew(first.url, client);
    expect(await statusOf(second.url, client)).toBe(200);
  });

  test('replicas let in people seen before while Redis is away, tell others to come back, and say so', async () => {
    const own = await startRedis();
    const { COMMERCE_SIGN_IN_DIR: _, ...settings } = await signInSettings();
    const server = await serverOver('http', {
      settings: { ...settings, COMMERCE_SIGN_IN_REDIS_URL: own.url },
    });
    const ready = async () => (await fetch(`${server.origin}/readyz`)).json();
    const seen = await signedIn(server.url);
    expect(await statusOf(server.url, seen)).toBe(200);
    const unseen = await signedIn(server.url, bob);
    await own.kill();
    expect(await statusOf(server.url, seen)).toBe(200);
    expect(await statusOf(server.url, unseen)).toBe(503);
    expect(await ready()).toMatchObject({ checks: { sign_in: expect.any(String) } });
    await own.start();
    await expect.poll(ready).not.toHaveProperty('checks.sign_in');
    await own.close();
  });
});

test('a server that was never told to sign people in has nothing of it', async () => {
  const server = await serverOver('http', { settings: { COMMERCE_HTTP_TOKENS: `alice:${alice}` } });
  for (const path of [
    '/sign-in/authorize',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
  ])
    expect((await fetch(server.origin + path, { headers: bearer(alice) })).status).toBe(404);
});
