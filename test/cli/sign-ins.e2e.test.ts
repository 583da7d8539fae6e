import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRedis } from '../../src/client/fleet/redis.ts';
import { entryOf, tokenOf, tokensOf } from '../mcp/http/accounts-server.ts';
import { bearer, callTool } from '../mcp/http/messages.ts';
import { callback, keepingClient, locationOf, openBrowser } from '../mcp/http/sign-in/person.ts';
import { alice, bob, signedIn, signInSettings, statusOf } from '../mcp/http/sign-in/served.ts';
import { missingRedis, startRedis } from '../redis-server.ts';
import { sandboxAt } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';
import { freePort } from '../setup/free-port.ts';
import { spawnCommand } from '../spawn.ts';

/** Starts the built server over the sandbox, on the port that the settings name. */
async function serve(settings: Record<string, string>, args = ['--sandbox']) {
  const { COMMERCE_HTTP_PORT: port = '0', ...others } = settings;
  const server = spawnCommand(['http', '--port', port, ...args], others);
  onTestFinished(async () => void (await server.stop()));
  const url = await server.until(({ stderr }) => /serves (http:\S+)\s/.exec(stderr)?.[1]);
  return { ...server, url };
}

async function run(args: string[], settings: Record<string, string>) {
  return spawnCommand(args, settings).ended;
}

test('sign-ins lists who is signed in since when by which client, and ends those of a name', async () => {
  const settings = await signInSettings();
  const server = await serve(settings);
  const empty = await run(['sign-ins'], settings);
  expect([empty.code, empty.stdout]).toEqual([0, '']);
  expect(empty.stderr).toContain('Nobody is signed in');
  const claude = keepingClient({ client_name: 'Claude' });
  const [first, second, third] = [
    await signedIn(server.url, alice, claude),
    await signedIn(server.url, alice),
    await signedIn(server.url, bob),
  ];
  const listed = await run(['sign-ins'], settings);
  expect(listed.code).toBe(0);
  expect(listed.stdout).toMatch(/^name +since +client/);
  expect(listed.stdout).toMatch(/\nalice +2\d{3}-\S+ +Claude, http:\/\/127\.0\.0\.1:33418/);
  expect(listed.stdout.trim().split('\n')).toHaveLength(4);
  for (const { kept } of [first, second, third])
    expect(listed.stdout).not.toContain(kept.tokens?.refresh_token);
  const one = await run(['sign-ins', '--end', 'alice:Claude'], settings);
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
  const replaced = await run(['sign-ins', '--new-key'], settings);
  expect([replaced.code, replaced.stderr]).toEqual([0, expect.stringContaining('A new key signs')]);
  expect(await statusOf(server.url, second)).toBe(200);
  const ended = await run(['sign-ins', '--end', 'alice'], settings);
  expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('1 sign-in of')]);
  expect(await statusOf(server.url, second)).toBe(401);
  expect(await statusOf(server.url, third)).toBe(200);
  const again = await run(['sign-ins', '--end', 'alice'], settings);
  expect(again.code).toBe(1);
  expect((await run(['sign-ins'], settings)).stdout.trim().split('\n')).toHaveLength(2);
});

test.each([
  ['COMMERCE_SIGN_IN_DIR', { COMMERCE_PUBLIC_URL: 'https://mcp.example.com' }],
  ['COMMERCE_PUBLIC_URL', { COMMERCE_REDIS_URL: 'redis://127.0.0.1:9' }],
])('sign-ins without %s asks which store is meant', async (name, settings) => {
  const { code, stdout, stderr } = await run(['sign-ins'], settings);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${name} is missing`)]);
});

test.skipIf(missingRedis)(
  'doctor says what makes a Redis forget who is signed in (needs redis-server)',
  async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const { COMMERCE_SIGN_IN_DIR: _, ...others } = await signInSettings();
    const settings = { ...others, COMMERCE_SIGN_IN_REDIS_URL: redis.url };
    await serve(settings);
    const find = async () => {
      const { stdout } = await run(['doctor', '--sandbox', '--json'], settings);
      const checks: { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout);
      return checks.find(({ check }) => check === 'signing in');
    };
    const admin = openRedis(redis.url);
    onTestFinished(() => admin.close());
    await admin.settled;
    await admin.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await find()).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/appendonly no, save "", maxmemory-policy allkeys-lru/),
    });
    await admin.call('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
    await admin.call('CONFIG', 'SET', 'appendonly', 'yes');
    expect(await find()).toMatchObject({ ok: true });
  },
);

test('http --sandbox --sign-in prints a token to try it with, and no warning of a library', async () => {
  const port = await freePort();
  const server = await serve({ COMMERCE_HTTP_PORT: String(port) }, ['--sandbox', '--sign-in']);
  const token = await server.until(
    ({ stderr }) => /sign in with the token (\S+)/.exec(stderr)?.[1],
  );
  expect(await statusOf(server.url, await signedIn(server.url, token))).toBe(200);
  const { stdout, stderr } = server.printed;
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(/oidc|warning|notice|node\.js/i);
});

test('over several accounts somebody who signs in asks the one of the token', async () => {
  const sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 10, days: 60 });
  const names = ['utrecht', 'haarlem'];
  const accounts = Object.fromEntries(names.map((name) => [name, entryOf(sandbox)]));
  const settings = await signInSettings({
    COMMERCE_ACCOUNTS_FILE: join(folderWith({ 'a.yaml': JSON.stringify({ accounts }) }), 'a.yaml'),
    COMMERCE_HTTP_TOKENS: tokensOf(names),
  });
  const server = await serve(settings, []);
  for (const account of names) {
    const client = await signedIn(server.url, tokenOf(account));
    const access = client.kept.tokens?.access_token ?? '';
    await callTool(server.url, 'list_shops', {}, bearer(access));
    const line = await server.until(({ stderr }) =>
      stderr.split('\n').findLast((it) => it.includes('"msg":"call"')),
    );
    expect(JSON.parse(line)).toMatchObject({ caller: 'alice', account, outcome: 'ok' });
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
  const { code, stderr } = await run(['http'], { ...settings, ...empty });
  expect(code).toBe(2);
  for (const name of needed) expect(stderr).toContain(`${name} is missing`);
});

test('doctor says whether the public address leads to this server', async () => {
  const settings = await signInSettings();
  const doctor = async () => {
    const { stdout } = await run(['doctor', '--sandbox', '--json'], settings);
    const checks: { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout);
    return checks.find(({ check }) => check === 'signing in');
  };
  expect(await doctor()).toMatchObject({
    ok: false,
    detail: expect.stringContaining('oauth-authorization-server'),
  });
  await serve(settings);
  expect(await doctor()).toMatchObject({
    ok: true,
    detail: `${settings.COMMERCE_PUBLIC_URL} leads to this server`,
  });
  settings.COMMERCE_SIGN_IN_DIR = join(settings.COMMERCE_SIGN_IN_DIR, 'file');
  await writeFile(settings.COMMERCE_SIGN_IN_DIR, 'no folder');
  expect(await doctor()).toMatchObject({ ok: false });
});

test.skipIf(spawnSync('openssl', ['version']).status !== 0)(
  'a document on a private address is never asked for (needs openssl)',
  async () => {
    const folder = folderWith();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = [
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost,IP:127.0.0.1',
    ];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      cert,
    ];
    expect(spawnSync('openssl', [...made, ...subject]).status).toBe(0);
    const asked: string[] = [];
    const inside = createServer(
      { key: await readFile(key), cert: await readFile(cert) },
      (request, response) => {
        asked.push(request.url ?? '');
        response.end('{}');
      },
    ).listen(0, '127.0.0.1');
    await once(inside, 'listening');
    onTestFinished(() => void inside.close());
    const address = inside.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await writeFile(join(folder, 'asks.mjs'), `await fetch('https://localhost:${port}/reached')`);
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert };
    await once(spawn(process.execPath, [join(folder, 'asks.mjs')], { env }), 'close');
    expect(asked.splice(0)).toEqual(['/reached']);
    const settings = { ...(await signInSettings()), NODE_EXTRA_CA_CERTS: cert };
    const server = await serve(settings);
    for (const host of ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '127.1']) {
      const query = new URLSearchParams({
        client_id: `https://${host}:${port}/client.json`,
        response_type: 'code',
        redirect_uri: callback,
      });
      const reply = await openBrowser().ask(
        `${new URL(server.url).origin}/sign-in/authorize?${query}`,
      );
      expect([reply.status, locationOf(reply)]).toEqual([400, 'nowhere: 400']);
    }
    expect(asked).toEqual([]);
  },
);
