import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openRedis } from '../../src/client/fleet/redis.ts';
import { entryOf, serveAccounts, tokenOf } from '../mcp/http/accounts-server.ts';
import { bearer, callTool } from '../mcp/http/messages.ts';
import { keepingClient, locationOf, openBrowser } from '../mcp/http/sign-in/person.ts';
import {
  alice,
  authorizationOf,
  bob,
  serveSignIn,
  signedIn,
  signInSettings,
  statusOf,
} from '../mcp/http/sign-in/served.ts';
import { missingRedis, startRedis } from '../redis-server.ts';
import { sandboxAt, serverOver } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';
import { freePort } from '../setup/free-port.ts';
import { spawnCommand } from '../spawn.ts';
import { runHere } from './run-here.ts';

let settings: Record<string, string>;

beforeEach(async () => {
  settings = await signInSettings();
});

const signIns = (...args: string[]) => runHere(['sign-ins', ...args], settings);

test('sign-ins lists who is signed in since when by which client, and ends those of a name', async () => {
  const auditFile = join(folderWith(), 'audit.log');
  settings.COMMERCE_AUDIT_FILE = auditFile;
  const { url } = await serverOver('http', { settings });
  const empty = await signIns();
  expect([empty.code, empty.stdout]).toEqual([0, '']);
  expect(empty.stderr).toContain('Nobody is signed in');
  const claude = await signedIn(url, alice, keepingClient({ client_name: 'Claude' }));
  const [other, third] = [await signedIn(url, alice), await signedIn(url, bob)];
  const { code, stdout } = await signIns();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^name +since +client/);
  expect(stdout).toMatch(/\nalice +2\d{3}-\S+ +Claude, http:\/\/127\.0\.0\.1:33418/);
  expect(stdout.trim().split('\n')).toHaveLength(4);
  for (const { kept } of [claude, other, third])
    expect(stdout).not.toContain(kept.tokens?.refresh_token);
  const one = await signIns('--end', 'alice:Claude');
  expect([one.code, one.stderr]).toEqual([0, expect.stringContaining('1 sign-in of')]);
  const audited = /"outcome":"ended","caller":"alice","client":"Claude.*"msg":"sign-in"/;
  await expect.poll(() => readFile(auditFile, 'utf8')).toMatch(audited);
  expect([await statusOf(url, claude), await statusOf(url, other)]).toEqual([401, 200]);
  const replaced = await signIns('--new-key');
  expect([replaced.code, replaced.stderr]).toEqual([0, expect.stringContaining('A new key signs')]);
  expect(await statusOf(url, other)).toBe(200);
  expect((await signIns('--end', 'alice')).code).toBe(0);
  expect([await statusOf(url, other), await statusOf(url, third)]).toEqual([401, 200]);
  expect((await signIns('--end', 'alice')).code).toBe(1);
  expect((await signIns()).stdout.trim().split('\n')).toHaveLength(2);
});

const nowhere = 'http://127.0.0.1:9';
const account = {
  ...{ COMMERCE_BASE_URL: nowhere, COMMERCE_AUTH_URL: nowhere },
  ...{ COMMERCE_CLIENT_ID: 'a', COMMERCE_CLIENT_SECRET: 'b' },
};

test.each<[command: string, names: string[]]>([
  ['sign-ins', ['COMMERCE_SIGN_IN_DIR']],
  ['sign-ins', ['COMMERCE_PUBLIC_URL']],
  ['http', ['COMMERCE_HTTP_TOKENS', 'COMMERCE_PUBLIC_URL', 'COMMERCE_SIGN_IN_DIR']],
])('%s without %j names each of them', async (command, names) => {
  const empty = Object.fromEntries(names.map((name) => [name, '']));
  const { code, stdout, stderr } = await runHere([command], { ...settings, ...account, ...empty });
  expect([code, stdout]).toEqual([2, '']);
  for (const name of names) expect(stderr).toContain(`${name} is missing`);
});

test('http --sandbox --sign-in prints a token to try it with, and no warning of a library', async () => {
  const port = String(await freePort());
  const server = spawnCommand(['http', '--sandbox', '--sign-in', '--port', port]);
  onTestFinished(async () => void (await server.stop()));
  const url = await server.until(({ stderr }) => /serves (http:\S+)\s/.exec(stderr)?.[1]);
  const token = await server.until(
    ({ stderr }) => /sign in with the token (\S+)/.exec(stderr)?.[1],
  );
  expect(await statusOf(url, await signedIn(url, token))).toBe(200);
  const { stdout, stderr } = server.printed;
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(/oidc|warning|notice|node\.js/i);
});

test('somebody who signs in to a server of several accounts asks the account of the token', async () => {
  const sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 10, days: 60 });
  const names = ['utrecht', 'haarlem'];
  const { COMMERCE_HTTP_TOKENS: _, ...own } = settings;
  const entries = Object.fromEntries(names.map((name) => [name, entryOf(sandbox)]));
  const { url, lines } = await serveAccounts(entries, { settings: own });
  for (const name of names) {
    const { kept } = await signedIn(url, tokenOf(name));
    await callTool(url, 'list_shops', {}, bearer(kept.tokens?.access_token ?? ''));
    const called = lines.findLast(({ message }) => message === 'call');
    expect(called?.facts).toMatchObject({ caller: 'alice', account: name, outcome: 'ok' });
  }
});

async function checkSignIn(given: Record<string, string> = settings) {
  const { stdout } = await runHere(['doctor', '--sandbox', '--json'], given);
  const checks: { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout);
  return checks.find(({ check }) => check === 'signing in');
}

test('says whether the public address leads to this server', async () => {
  const other = expect.stringContaining('oauth-authorization-server');
  expect(await checkSignIn()).toMatchObject({ ok: false, detail: other });
  await serverOver('http', { settings });
  const detail = `${settings.COMMERCE_PUBLIC_URL} leads to this server`;
  expect(await checkSignIn()).toMatchObject({ ok: true, detail });
  settings.COMMERCE_SIGN_IN_DIR = join(settings.COMMERCE_SIGN_IN_DIR ?? '', 'file');
  await writeFile(settings.COMMERCE_SIGN_IN_DIR, 'no folder');
  expect(await checkSignIn()).toMatchObject({ ok: false });
});

test.skipIf(missingRedis)(
  'says which settings make a Redis forget who is signed in (needs redis-server)',
  async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const { COMMERCE_SIGN_IN_DIR: _, ...others } = settings;
    const given = { ...others, COMMERCE_SIGN_IN_REDIS_URL: redis.url };
    await serverOver('http', { settings: given });
    const admin = openRedis(redis.url);
    onTestFinished(() => admin.close());
    await admin.settled;
    await admin.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const detail = /appendonly no, save "", maxmemory-policy allkeys-lru/;
    const forgets = { ok: false, detail: expect.stringMatching(detail) };
    expect(await checkSignIn(given)).toMatchObject(forgets);
    await admin.call('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
    await admin.call('CONFIG', 'SET', 'appendonly', 'yes');
    expect(await checkSignIn(given)).toMatchObject({ ok: true });
  },
);

test('a server connects to no private address for the document of a client', async () => {
  let connections = 0;
  const inside = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void inside.close());
  const address = inside.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await expect(fetch(`https://localhost:${port}/client.json`)).rejects.toThrow();
  expect(connections).toBe(1);
  const { origin } = await serveSignIn();
  const hosts = ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '127.1'];
  // A refusal takes three seconds, whatever its reason.
  const replies = hosts.map(async (host) => {
    const id = `https://${host}:${port}/client.json`;
    const reply = await openBrowser().ask(authorizationOf(origin, id));
    expect([reply.status, locationOf(reply)]).toEqual([400, 'nowhere: 400']);
  });
  await Promise.all(replies);
  expect(connections).toBe(1);
});
