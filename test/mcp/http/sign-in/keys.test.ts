import { decodeProtectedHeader } from 'jose';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openRedis } from '../../../../src/client/fleet/redis.ts';
import { type Keeper, openKeeper } from '../../../../src/mcp/http/sign-in/keeper.ts';
import { followKeys, rotateKeys } from '../../../../src/mcp/http/sign-in/keys.ts';
import { missingRedis, startRedis } from '../../../redis-server.ts';
import { serverOver } from '../../../server-over.ts';
import { folderWith } from '../../../setup/folder.ts';
import { bearer } from '../messages.ts';
import type { KeepingClient } from './person.ts';
import { alice, renew, signedIn, signInSettings, statusOf } from './served.ts';

const kidOf = ({ kept }: KeepingClient) =>
  decodeProtectedHeader(kept.tokens?.access_token ?? '').kid;

describe('the signing keys', () => {
  let keeper: Keeper;

  beforeEach(async () => {
    keeper = await openKeeper({ signInDir: folderWith() });
  });

  afterEach(() => void vi.useRealTimers());

  test('replicas that ask for keys at the same time make one', async () => {
    const made = await Promise.all([1, 2, 3].map(() => followKeys(keeper, [])));
    expect(made[0]?.keys).toHaveLength(1);
    for (const { keys, keysDiffer } of made)
      expect([keys, keysDiffer]).toEqual([made[0]?.keys, false]);
  });

  test('a replica stores lost keys again', async () => {
    const { keys } = await followKeys(keeper, []);
    await keeper.remove('SigningKeys', 'keys');
    expect(await followKeys(keeper, keys)).toEqual({ keys, keysDiffer: false });
    expect((await followKeys(keeper, [])).keys).toEqual(keys);
  });

  test('keys of two replicas that differ are told, and both verify from then on', async () => {
    const { keys: held } = await followKeys(keeper, []);
    await keeper.remove('SigningKeys', 'keys');
    const { keys: kept } = await followKeys(keeper, []);
    const joined = await followKeys(keeper, held);
    expect(joined.keysDiffer).toBe(true);
    expect(joined.keys.map(({ jwk }) => jwk)).toEqual([...kept, ...held].map(({ jwk }) => jwk));
    for (const one of [joined.keys, kept, held])
      expect(await followKeys(keeper, one)).toEqual({ keys: joined.keys, keysDiffer: false });
  });

  test('a replica learns other keys even where it can store nothing', async () => {
    const { keys: held } = await followKeys(keeper, []);
    await keeper.remove('SigningKeys', 'keys');
    const { keys: kept } = await followKeys(keeper, []);
    const readOnly: Keeper = { ...keeper, put: () => Promise.reject(new Error('read-only')) };
    const joined = await followKeys(readOnly, held);
    expect(joined.keys).toHaveLength(2);
    expect((await followKeys(readOnly, joined.keys)).keysDiffer).toBe(true);
    expect((await followKeys(keeper, kept)).keys).toEqual(kept);
  });

  test('replaced keys verify until their last token has ended', async () => {
    const { keys: before } = await followKeys(keeper, []);
    await rotateKeys(keeper);
    const { keys, keysDiffer } = await followKeys(keeper, before);
    expect(keysDiffer).toBe(false);
    expect(keys[1]?.jwk).toEqual(before[0]?.jwk);
    expect(keys[0]?.jwk).not.toEqual(before[0]?.jwk);
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + 3_600_000);
    expect((await followKeys(keeper, keys)).keys).toHaveLength(2);
    vi.setSystemTime(Date.now() + 61_000);
    expect((await followKeys(keeper, keys)).keys).toEqual([keys[0]]);
  });
});

describe.skipIf(missingRedis)('replicas on a Redis (needs redis-server)', () => {
  async function replicas(redisUrl: string) {
    const { COMMERCE_SIGN_IN_DIR: _, ...settings } = await signInSettings();
    const shared = { ...settings, COMMERCE_REDIS_URL: redisUrl };
    const first = await serverOver('http', { settings: shared });
    const more = { ...shared, COMMERCE_HTTP_PORT: '0' };
    const start = () => serverOver('http', { sandbox: first.sandbox, settings: more });
    return { first, start };
  }

  const readiness = async (origin: string) => {
    const reply = await fetch(`${origin}/readyz`);
    const body: unknown = await reply.json();
    return { status: reply.status, body };
  };

  test('replicas with keys of their own tell so, and let in people who signed in at either', async () => {
    const redis = await startRedis();
    const { first, start } = await replicas(redis.url);
    const held = kidOf(await signedIn(first.url));
    const admin = openRedis(redis.url);
    await admin.settled;
    await admin.call('FLUSHALL');
    const second = await start();
    expect((await readiness(second.origin)).status).toBe(200);
    expect(await readiness(first.origin)).toMatchObject({
      status: 503,
      body: { status: 'not ready', checks: { sign_in: expect.stringContaining('key') } },
    });
    expect((await readiness(first.origin)).status).toBe(200);
    const counted = 'commerce_mcp_sign_ins_total{outcome="keys_differ"}';
    expect(await first.metric(counted, bearer(alice))).toBe(1);
    const client = await signedIn(first.url);
    expect(kidOf(client)).not.toBe(held);
    for (const { url } of [first, second]) expect(await statusOf(url, client)).toBe(200);
    // A new key signs at once; a replica that has not read it yet reads it then.
    const keeper = await openKeeper({
      publicUrl: first.origin,
      redisUrl: redis.url,
    });
    await rotateKeys(keeper);
    await renew(first.url, client);
    for (const { url } of [second, first]) expect(await statusOf(url, client)).toBe(200);
    keeper.close();
    admin.close();
    await redis.close();
  });

  test('a Redis that evicts expiring keys loses neither signing keys nor sign-ins', async () => {
    const redis = await startRedis();
    const { first, start } = await replicas(redis.url);
    const client = await signedIn(first.url);
    const kid = kidOf(client);
    const admin = openRedis(redis.url);
    await admin.settled;
    await admin.call('CONFIG', 'SET', 'maxmemory', '8mb');
    await admin.call('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
    const megabyte = Buffer.alloc(2 ** 20, 'x');
    for (let at = 0; at < 12; at += 1) await admin.call('SET', `kept:${at}`, megabyte, 'EX', 1800);
    const second = await start();
    expect(await statusOf(second.url, client)).toBe(200);
    await renew(first.url, client);
    expect(kidOf(client)).toBe(kid);
    expect(await statusOf(second.url, client)).toBe(200);
    admin.close();
    await redis.close();
  });
});
