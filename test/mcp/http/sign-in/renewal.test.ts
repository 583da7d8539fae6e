import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { isRecord } from '../../../../src/core/json.ts';
import { missingRedis, type RedisServer, startRedis } from '../../../redis-server.ts';
import { type HttpServer, serverOver } from '../../../server-over.ts';
import { bearer, message, post } from '../messages.ts';
import type { KeepingClient } from './person.ts';
import { alice, askForToken, bob, renew, signedIn, signInSettings, statusOf } from './served.ts';

let redis: RedisServer | undefined;

beforeAll(async () => {
  if (!missingRedis) redis = await startRedis();
});

afterAll(() => redis?.close());

afterEach(() => void vi.useRealTimers());

/** Moves the clock of this process forward. */
function passSeconds(seconds: number): void {
  const nowMs = Date.now();
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(nowMs + seconds * 1000);
}

async function settingsOver(where: string): Promise<Record<string, string>> {
  const settings = await signInSettings();
  if (where === 'a folder') return settings;
  const { COMMERCE_SIGN_IN_DIR: _, ...others } = settings;
  return { ...others, COMMERCE_SIGN_IN_REDIS_URL: redis?.url ?? '' };
}

/** Two replicas; `start` starts the second one again. */
async function replicasOver(where: string) {
  const settings = await settingsOver(where);
  const first = await serverOver('http', { settings });
  const more = { ...settings, COMMERCE_HTTP_PORT: '0' };
  const start = () => serverOver('http', { sandbox: first.sandbox, settings: more });
  return { first, second: await start(), start };
}

/** Renews with a refresh token, without the library of a client. */
async function renewWith({ url }: HttpServer, { kept }: KeepingClient, token = '') {
  const { status, body } = await askForToken(url, {
    grant_type: 'refresh_token',
    client_id: kept.information?.client_id ?? '',
    refresh_token: token,
  });
  const given = isRecord(body) ? body : {};
  return {
    status,
    error: given.error,
    access: String(given.access_token),
    refresh: String(given.refresh_token),
  };
}

const callWith = async ({ url }: HttpServer, access: string) =>
  (await post(url, message('ping'), bearer(access))).status;

const stolen = { status: 400, error: 'invalid_grant' };

describe.each(['a folder', 'Redis'])('a refresh token over two replicas on %s', (where) => {
  const needsRedis = test.skipIf(where === 'Redis' && missingRedis !== undefined);

  needsRedis(
    'a refresh token that many use at the same moment gives each a pair that lasts',
    async () => {
      const { first, second } = await replicasOver(where);
      const client = await signedIn(first.url);
      const old = client.kept.tokens?.refresh_token;
      const pairs = await Promise.all(
        [first, second, first, second].map((server) => renewWith(server, client, old)),
      );
      for (const { status, access, refresh } of pairs) {
        expect(status).toBe(200);
        for (const server of [first, second]) expect(await callWith(server, access)).toBe(200);
        expect(await renewWith(second, client, refresh)).toMatchObject({ status: 200 });
      }
      expect(await statusOf(second.url, client)).toBe(200);
    },
  );

  needsRedis(
    'a refresh token that is used again is good for two minutes, and then ends the sign-in',
    async () => {
      const { first, second, start } = await replicasOver(where);
      const client = await signedIn(first.url);
      const old = client.kept.tokens?.refresh_token;
      const other = await signedIn(first.url, bob);
      const before = await renewWith(first, client, old);
      passSeconds(60);
      await second.close();
      const restarted = await start();
      expect(await renewWith(restarted, client, old)).toMatchObject({ status: 200 });
      // Its time runs from the first use.
      passSeconds(59);
      const last = await renewWith(first, client, old);
      expect(last).toMatchObject({ status: 200 });
      expect(await callWith(restarted, last.access)).toBe(200);
      passSeconds(2);
      expect(await renewWith(restarted, client, old)).toMatchObject(stolen);
      for (const server of [first, restarted])
        for (const { access } of [before, last]) expect(await callWith(server, access)).toBe(401);
      for (const { refresh } of [before, last])
        expect(await renewWith(first, client, refresh)).toMatchObject(stolen);
      expect(await statusOf(restarted.url, other)).toBe(200);
      const used = restarted.log.filter(({ facts }) => facts.outcome === 'used_again');
      expect(used).toMatchObject([{ facts: { caller: 'alice', client: 'A client under test' } }]);
    },
  );

  needsRedis('a refresh token keeps somebody signed in who asks once in three weeks', async () => {
    const { first, second } = await replicasOver(where);
    const client = await signedIn(first.url);
    for (const server of [second, first, second, first]) {
      passSeconds(21 * 24 * 3600);
      await renew(first.url, client);
      expect(await statusOf(server.url, client)).toBe(200);
    }
    passSeconds(31 * 24 * 3600);
    const { refresh_token: late } = client.kept.tokens ?? {};
    expect(await renewWith(first, client, late)).toMatchObject(stolen);
    expect(await statusOf(first.url, client)).toBe(401);
  });

  needsRedis(
    'a refresh token does not revive a sign-in that ended while it was renewed',
    async () => {
      const { first } = await replicasOver(where);
      const client = await signedIn(first.url);
      const { refresh_token: old } = client.kept.tokens ?? {};
      const { refresh } = await renewWith(first, client, old);
      passSeconds(121);
      await Promise.all([renewWith(first, client, refresh), renewWith(first, client, old)]);
      expect(await statusOf(first.url, client)).toBe(401);
    },
  );
});

test('a refresh token used twice that names a scope ends the sign-in as well', async () => {
  const { first } = await replicasOver('a folder');
  const client = await signedIn(first.url);
  const { refresh_token: old = '' } = client.kept.tokens ?? {};
  await renewWith(first, client, old);
  passSeconds(121);
  await askForToken(first.url, {
    grant_type: 'refresh_token',
    client_id: client.kept.information?.client_id ?? '',
    refresh_token: old,
    scope: 'orders',
  });
  expect(await statusOf(first.url, client)).toBe(401);
});

test('a sign-in of hourly renewals takes a few files, and none once it has ended', async () => {
  const settings = await signInSettings();
  const folder = settings.COMMERCE_SIGN_IN_DIR;
  const server = await serverOver('http', { settings });
  const client = await signedIn(server.url);
  for (let hour = 0; hour < 6; hour += 1) {
    passSeconds(3600);
    await renew(server.url, client);
  }
  const files = async () =>
    (await readdir(folder)).filter((file) => /^(Grant|RefreshToken)/.test(file)).length;
  // The grant, the token, and the one before it.
  await vi.waitFor(async () => expect(await files()).toBeLessThanOrEqual(3), { timeout: 5000 });
  passSeconds(31 * 24 * 3600);
  await vi.waitFor(async () => expect(await files()).toBe(0), { timeout: 5000 });
});

describe('an entry that is taken out and put back', () => {
  test.each([
    ['while the server runs', true],
    ['while no server runs', false],
  ])(
    'an entry that is taken out and put back %s leaves its sign-ins ended, and no others',
    async (_, isRunning) => {
      const { COMMERCE_HTTP_TOKENS: _unused, ...others } = await signInSettings();
      const folder = others.COMMERCE_SIGN_IN_DIR;
      const file = join(dirname(folder), `tokens-${others.COMMERCE_HTTP_PORT}`);
      const both = `alice:${alice}\nbob:${bob}`;
      await writeFile(file, both);
      const settings = { ...others, COMMERCE_HTTP_TOKENS_FILE: file };
      const server = await serverOver('http', { settings });
      const { sandbox } = server;
      const client = await signedIn(server.url);
      const other = await signedIn(server.url, bob);
      const grants = async () =>
        (await readdir(folder)).filter((name) => name.startsWith('Grant')).length;
      expect(await grants()).toBe(2);
      if (!isRunning) await server.close();
      await writeFile(file, `bob:${bob}`);
      const between = isRunning ? server : await serverOver('http', { settings, sandbox });
      await vi.waitFor(async () => expect(await grants()).toBe(1), { timeout: 5000 });
      if (!isRunning) await between.close();
      await writeFile(file, both);
      const after = isRunning ? server : await serverOver('http', { settings, sandbox });
      expect(await statusOf(after.url, client)).toBe(401);
      const { refresh_token: refresh } = client.kept.tokens ?? {};
      expect(await renewWith(after, client, refresh)).toMatchObject(stolen);
      expect(await statusOf(after.url, other)).toBe(200);
    },
  );
});
