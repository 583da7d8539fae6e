import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRedis } from '../../src/client/fleet/redis.ts';
import { entryOf, serveAccounts, tokenOf } from '../mcp/http/accounts-server.ts';
import { bearer, callTool } from '../mcp/http/messages.ts';
import { keepingClient } from '../mcp/http/sign-in/person.ts';
import { alice, bob, signedIn, signInSettings, statusOf } from '../mcp/http/sign-in/served.ts';
import { missingRedis, startRedis } from '../redis-server.ts';
import { sandboxAt, serverOver } from '../server-over.ts';
import { freePort } from '../setup/free-port.ts';
import { spawnCommand } from '../spawn.ts';
import { runHere } from './run-here.ts';

/** What `doctor` finds of signing in. */
async function checkOf(settings: Record<string, string>) {
  const { stdout } = await runHere(['doctor', '--sandbox', '--json'], settings);
  const checks: { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout);
  return checks.find(({ check }) => check === 'signing in');
}

test('sign-ins lists who is signed in since when by which client, and ends those of a name', async () => {
  const settings = await signInSettings();
  const server = await serverOver('http', { settings });
  const empty = await runHere(['sign-ins'], settings);
  expect([empty.code, empty.stdout]).toEqual([0, '']);
  expect(empty.stderr).toContain('Nobody is signed in');
  const claude = keepingClient({ client_name: 'Claude' });
  const [first, second, third] = [
    await signedIn(server.url, alice, claude),
    await signedIn(server.url, alice),
    await signedIn(server.url, bob),
  ];
  const listed = await runHere(['sign-ins'], settings);
  expect(listed.code).toBe(0);
  expect(listed.stdout).toMatch(/^name +since +client/);
  expect(listed.stdout).toMatch(/\nalice +2\d{3}-\S+ +Claude, http:\/\/127\.0\.0\.1:33418/);
  expect(listed.stdout.trim().split('\n')).toHaveLength(4);
  for (const { kept } of [first, second, third])
    expect(listed.stdout).not.toContain(kept.tokens?.refresh_token);
  const one = await spawnCommand(['sign-ins', '--end', 'alice:Claude'], settings).ended;
  expect([one.code, one.stderr]).toEqual([0, expect.stringContaining('1 sign-in of')]);
  const line = one.stderr.split('\n').find((text) => text.includes('"outcome"')) ?? '';
  expect(JSON.parse(line)).toMatchObject({
    msg: 'sign-in',
    outcome: 'ended',
    caller: 'alice',
    client: expect.stringContaining('Claude'),
  });
  expect(await statusOf(server.url, first)).toBe(401);
  expect(await statusOf(server.url, second)).toBe(200);
  const replaced = await runHere(['sign-ins', '--new-key'], settings);
  expect([replaced.code, replaced.stderr]).toEqual([0, expect.stringContaining('A new key signs')]);
  expect(await statusOf(server.url, second)).toBe(200);
  const ended = await runHere(['sign-ins', '--end', 'alice'], settings);
  expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('1 sign-in of')]);
  expect(await statusOf(server.url, second)).toBe(401);
  expect(await statusOf(server.url, third)).toBe(200);
  const again = await runHere(['sign-ins', '--end', 'alice'], settings);
  expect(again.code).toBe(1);
  expect((await runHere(['sign-ins'], settings)).stdout.trim().split('\n')).toHaveLength(2);
});

test.each([
  ['COMMERCE_SIGN_IN_DIR', { COMMERCE_PUBLIC_URL: 'https://mcp.example.com' }],
  ['COMMERCE_PUBLIC_URL', { COMMERCE_REDIS_URL: 'redis://127.0.0.1:9' }],
])('sign-ins without %s asks which store is meant', async (name, settings) => {
  const { code, stdout, stderr } = await runHere(['sign-ins'], settings);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${name} is missing`)]);
});

test.skipIf(missingRedis)(
  'doctor says what makes a Redis forget who is signed in (needs redis-server)',
  async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const { COMMERCE_SIGN_IN_DIR: _, ...others } = await signInSettings();
    const settings = { ...others, COMMERCE_SIGN_IN_REDIS_URL: redis.url };
    await serverOver('http', { settings });
    const admin = openRedis(redis.url);
    onTestFinished(() => admin.close());
    await admin.settled;
    await admin.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await checkOf(settings)).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/appendonly no, save "", maxmemory-policy allkeys-lru/),
    });
    await admin.call('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
    await admin.call('CONFIG', 'SET', 'appendonly', 'yes');
    expect(await checkOf(settings)).toMatchObject({ ok: true });
  },
);

test('http --sandbox --sign-in prints a token to try it with, and no warning of a library', async () => {
  const port = String(await freePort());
  const server = spawnCommand(['http', '--port', port, '--sandbox', '--sign-in']);
  onTestFinished(async () => void (await server.stop()));
  const token = await server.until(
    ({ stderr }) => /sign in with the token (\S+)/.exec(stderr)?.[1],
  );
  const url = `http://127.0.0.1:${port}/mcp`;
  expect(await statusOf(url, await signedIn(url, token))).toBe(200);
  const { stdout, stderr } = server.printed;
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(/oidc|warning|notice|node\.js/i);
});

test('over several accounts somebody who signs in asks the one of the token', async () => {
  const sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 10, days: 60 });
  const names = ['utrecht', 'haarlem'];
  const { COMMERCE_HTTP_TOKENS: _, ...settings } = await signInSettings();
  const entries = Object.fromEntries(names.map((name) => [name, entryOf(sandbox)]));
  const { url, lines } = await serveAccounts(entries, { settings });
  for (const account of names) {
    const client = await signedIn(url, tokenOf(account));
    const access = client.kept.tokens?.access_token ?? '';
    await callTool(url, 'list_shops', {}, bearer(access));
    const line = lines.findLast(({ message }) => message === 'call');
    expect(line?.facts).toMatchObject({ caller: 'alice', account, outcome: 'ok' });
  }
});

test('http does not start without what signing in needs, and names all of it', async () => {
  const settings = {
    ...(await signInSettings()),
    COMMERCE_BASE_URL: 'http://127.0.0.1:9',
    COMMERCE_AUTH_URL: 'http://127.0.0.1:9',
    COMMERCE_CLIENT_ID: 'a',
    COMMERCE_CLIENT_SECRET: 'b',
  };
  const needed = ['COMMERCE_HTTP_TOKENS', 'COMMERCE_PUBLIC_URL', 'COMMERCE_SIGN_IN_DIR'];
  const empty = Object.fromEntries(needed.map((name) => [name, '']));
  const { code, stderr } = await runHere(['http'], { ...settings, ...empty });
  expect(code).toBe(2);
  for (const name of needed) expect(stderr).toContain(`${name} is missing`);
});

test('doctor says whether the public address leads to this server', async () => {
  const settings = await signInSettings();
  expect(await checkOf(settings)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('oauth-authorization-server'),
  });
  await serverOver('http', { settings });
  expect(await checkOf(settings)).toMatchObject({
    ok: true,
    detail: `${settings.COMMERCE_PUBLIC_URL} leads to this server`,
  });
  settings.COMMERCE_SIGN_IN_DIR = join(settings.COMMERCE_SIGN_IN_DIR, 'file');
  await writeFile(settings.COMMERCE_SIGN_IN_DIR, 'no folder');
  expect(await checkOf(settings)).toMatchObject({ ok: false });
});
