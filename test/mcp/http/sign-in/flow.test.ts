import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { auth as newAuth } from '@modelcontextprotocol/client';
import { auth as oldAuth } from '@modelcontextprotocol/sdk/client/auth.js';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { toolsets } from '../../../../src/endpoints/define.ts';
import { type HttpServer, serverOver } from '../../../server-over.ts';
import { bearer, callTool, lastMessage, message, post } from '../messages.ts';
import { fakeInternet, replyOf } from './internet.ts';
import { callback, keepingClient, locationOf, openBrowser } from './person.ts';
import {
  alice,
  askForToken,
  atPage,
  authorizing,
  bob,
  finish,
  register,
  renew,
  serveSignIn,
  signedIn,
  signInSettings,
  statusOf,
} from './served.ts';

let server: HttpServer;

beforeAll(async () => {
  server = await serveSignIn();
});

async function toolsOf(url: string, token = ''): Promise<string> {
  return JSON.stringify(await lastMessage(await post(url, message('tools/list'), bearer(token))));
}

describe('a client that signs somebody in', () => {
  test.each([
    ['1.x', oldAuth],
    ['2.x', newAuth],
  ])('discovers, registers, exchanges and renews with the SDK %s', async (_, auth) => {
    const client = keepingClient();
    const { url } = server;
    expect(await auth(client, { serverUrl: url })).toBe('REDIRECT');
    const back = await openBrowser().signIn(client.kept.authorization ?? '', alice);
    expect(back.origin + back.pathname).toBe('http://127.0.0.1:33418/callback');
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.any(String),
      state: 'a-state-of-the-client',
      iss: server.origin,
    });
    const authorizationCode = back.searchParams.get('code') ?? '';
    const answer = { serverUrl: url, authorizationCode, iss: server.origin };
    expect(await auth(client, answer)).toBe('AUTHORIZED');
    const { access_token: access = '', refresh_token: refresh } = client.kept.tokens ?? {};
    expect(decodeJwt(access)).toMatchObject({ sub: 'alice', iss: server.origin, aud: url });
    expect(decodeJwt(access).exp).toBe((decodeJwt(access).iat ?? 0) + 3600);
    const called = await callTool(url, 'list_shops', {}, bearer(access));
    expect(JSON.stringify(called)).toContain('6 shops');
    expect(await auth(client, { serverUrl: url })).toBe('AUTHORIZED');
    expect(client.kept.tokens?.refresh_token).not.toBe(refresh);
    expect(await statusOf(url, client)).toBe(200);
  });

  test('has the toolsets and the name of the entry, and no more than it asked for', async () => {
    const client = await signedIn(server.url, bob);
    const listed = await toolsOf(server.url, client.kept.tokens?.access_token);
    expect(listed).toContain('get_financial_report');
    expect(listed).not.toContain('search_customers');
    const { client: narrow, authorization } = await authorizing(server.url);
    authorization.searchParams.set('scope', 'orders');
    await finish(server.url, narrow, await openBrowser().signIn(authorization, alice));
    expect(narrow.kept.tokens?.scope).toBe('orders');
    const narrower = await toolsOf(server.url, narrow.kept.tokens?.access_token);
    expect(narrower).toContain('list_orders');
    expect(narrower).not.toContain('search_customers');
  });

  test.each(['', 'openid profile offline_access'])(
    'that asks for the scope %j is given all that the token opens',
    async (scope) => {
      const { client, authorization } = await authorizing(server.url);
      authorization.searchParams.set('scope', scope);
      if (scope === '') authorization.searchParams.delete('scope');
      authorization.searchParams.delete('resource');
      await finish(server.url, client, await openBrowser().signIn(authorization, alice));
      expect(client.kept.tokens?.scope).toBe(toolsets.join(' '));
      expect(await statusOf(server.url, client)).toBe(200);
    },
  );

  test.each([
    ['a last slash', 'the address itself', (url: string) => `${url}/`, (url: string) => url],
    [
      'the root',
      'its other form',
      (url: string) => new URL(url).origin,
      (url: string) => `${new URL(url).origin}/`,
    ],
    [
      'another case',
      'a last slash',
      (url: string) => url.replace('http', 'HTTP'),
      (url: string) => `${url}/`,
    ],
  ])('may name the resource by %s, and later by %s', async (_, __, first, second) => {
    const { client, authorization } = await authorizing(server.url);
    authorization.searchParams.set('resource', first(server.url));
    const back = await openBrowser().signIn(authorization, alice);
    const fields = {
      client_id: client.kept.information?.client_id ?? '',
      resource: second(server.url),
    };
    const granted = await askForToken(server.url, {
      ...fields,
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      code_verifier: client.kept.verifier,
      redirect_uri: callback,
    });
    const tokens = z.object({ access_token: z.string(), refresh_token: z.string() });
    const { access_token, refresh_token } = tokens.parse(granted.body);
    expect(decodeJwt(access_token).aud).toBe(server.url);
    const renewed = await askForToken(server.url, {
      ...fields,
      grant_type: 'refresh_token',
      refresh_token,
      resource: first(server.url),
    });
    expect(renewed.status).toBe(200);
  });

  test('without the scope of a tool is asked for it, as far as its token opens that', async () => {
    const { client, authorization } = await authorizing(server.url);
    authorization.searchParams.set('scope', 'reference');
    await finish(server.url, client, await openBrowser().signIn(authorization, bob));
    const headers = bearer(client.kept.tokens?.access_token ?? '');
    const call = (name: string) =>
      post(server.url, message('tools/call', { name, arguments: {} }), headers);
    const asked = await call('get_financial_report');
    expect([asked.status, asked.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringMatching(/error="insufficient_scope".* scope="reference reports"/),
    ]);
    expect((await call('search_customers')).status).toBe(200);
  });

  test.each([
    ['https://claude.ai/api/mcp/auth_callback', 'claude.ai'],
    ['https://chatgpt.com/connector_platform_oauth_redirect', 'chatgpt.com'],
    ['cursor://anysphere.cursor-retrieval/oauth/callback', 'cursor:'],
    ['http://localhost:6274/oauth/callback', 'localhost:6274'],
    ['http://[::1]:6274/oauth/callback', '[::1]:6274'],
  ])('may lead back to %s', async (redirect, host) => {
    const given = keepingClient({ redirect_uris: [redirect] });
    Object.assign(given, { redirectUrl: redirect });
    const { client, authorization } = await authorizing(server.url, given);
    const browser = openBrowser();
    const page = await browser.open(authorization);
    const shown = await browser.ask(page);
    expect(await shown.text()).toContain(`<dd><strong>${host}</strong></dd>`);
    const [, source] = /form-action 'self' (\S+);/.exec(policyOf(shown)) ?? [];
    const { protocol, origin } = new URL(redirect);
    expect(source).toBe(origin === 'null' || host.startsWith('[') ? protocol : origin);
    const back = await openBrowser().signIn(authorization, alice);
    expect(back.href.startsWith(redirect)).toBe(true);
    await finish(server.url, client, back);
    expect(await statusOf(server.url, client)).toBe(200);
  });

  test('may be led back to another port of this machine than it registered', async () => {
    const { authorization } = await authorizing(server.url);
    authorization.searchParams.set('redirect_uri', 'http://127.0.0.1:50123/callback');
    const back = await openBrowser().signIn(authorization, alice);
    expect(back.port).toBe('50123');
  });

  test('that registers as a web client with a secret is given none', async () => {
    const reply = await register(server.origin, {
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code'],
      scope: 'openid orders whatever',
      application_type: 'web',
    });
    expect(reply.status).toBe(201);
    const registered: unknown = await reply.json();
    expect(registered).toMatchObject({ token_endpoint_auth_method: 'none' });
    expect(registered).not.toHaveProperty('client_secret');
    expect(registered).not.toHaveProperty('scope');
  });

  test.each([
    { client_uri: null, logo_uri: null, scope: null, client_name: null, contacts: null },
    { id_token_signed_response_alg: 'RS256', userinfo_signed_response_alg: 'RS256' },
    { subject_type: 'pairwise', sector_identifier_uri: 'https://client.example.com/sector' },
    { jwks: null, jwks_uri: 'no address', token_endpoint_auth_method: null },
    { default_max_age: 'soon', require_auth_time: 'yes', response_modes: ['fragment'] },
    { grant_types: null, response_types: null, application_type: null, software_id: 7 },
  ])('may say of itself what changes nothing here: %j', async (extra) => {
    const reply = await register(server.origin, { redirect_uris: [callback], ...extra });
    expect(reply.status).toBe(201);
    expect(await reply.json()).toMatchObject({
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });
  });

  test('asks for the token again, whoever has signed in with the same browser before', async () => {
    const browser = openBrowser();
    const first = await authorizing(server.url);
    await finish(server.url, first.client, await browser.signIn(first.authorization, alice));
    const second = await authorizing(server.url);
    const page = await browser.open(second.authorization);
    expect(await (await browser.ask(page)).text()).toContain('name="token"');
    await finish(server.url, second.client, await browser.signIn(second.authorization, bob));
    expect(decodeJwt(second.client.kept.tokens?.access_token ?? '').sub).toBe('bob');
    expect(decodeJwt(first.client.kept.tokens?.access_token ?? '').sub).toBe('alice');
  });

  test('hears that somebody would not', async () => {
    const { browser, page } = await atPage(server.url);
    const sent = await browser.send(page, { answer: 'cancel' });
    const back = new URL(locationOf(await browser.ask(new URL(locationOf(sent), page))));
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'a-state-of-the-client',
    });
  });
});

describe('a client that is described by a document at its own address', () => {
  test.each(['none', 'private_key_jwt'])('signs somebody in (%s)', async (method) => {
    const id = `https://client.example.com/${method}.json`;
    const redirect = 'https://client.example.com/back';
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
    const described = {
      client_id: id,
      client_name: 'Described',
      redirect_uris: [redirect],
      token_endpoint_auth_method: method,
      ...(method !== 'none' && { jwks: { keys: [jwk] } }),
    };
    const internet = fakeInternet(() => replyOf(described));
    const settings = await signInSettings();
    const server = await serverOver('http', { settings, bounds: { internet } });
    const verifier = 'v'.repeat(43);
    const query = new URLSearchParams({
      client_id: id,
      response_type: 'code',
      redirect_uri: redirect,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const back = await openBrowser().signIn(`${server.origin}/sign-in/authorize?${query}`, bob);
    const fields = {
      grant_type: 'authorization_code',
      client_id: id,
      redirect_uri: redirect,
      code: back.searchParams.get('code') ?? '',
      code_verifier: verifier,
    };
    const assertion = await new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer(id)
      .setSubject(id)
      .setAudience(server.origin)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey);
    const proof = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    };
    if (method !== 'none') expect((await askForToken(server.url, fields)).status).toBe(401);
    const reply = await askForToken(server.url, {
      ...fields,
      ...(method !== 'none' && proof),
    });
    expect(reply).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
  });
});

function policyOf({ headers }: Response): string {
  return headers.get('content-security-policy') ?? '';
}

describe('discovery', () => {
  test('leads from a call without a token to what a client has to know', async () => {
    const { status, headers } = await post(server.url, message('ping'));
    const challenge = headers.get('www-authenticate') ?? '';
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    expect([status, metadata]).toEqual([
      401,
      `${server.origin}/.well-known/oauth-protected-resource/mcp`,
    ]);
    for (const address of [metadata, metadata.replace(/\/mcp$/, '')])
      expect(await (await fetch(address)).json()).toMatchObject({
        resource: server.url,
        authorization_servers: [server.origin],
      });
    for (const name of ['oauth-authorization-server', 'openid-configuration'])
      expect(await (await fetch(`${server.origin}/.well-known/${name}`)).json()).toMatchObject({
        issuer: server.origin,
        client_id_metadata_document_supported: true,
        token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        registration_endpoint: `${server.origin}/sign-in/register`,
      });
  });

  test('names the public address, whatever a proxy or a caller says', async () => {
    const settings = await signInSettings({ COMMERCE_PUBLIC_URL: 'https://mcp.example.com' });
    const behind = await serverOver('http', { settings });
    const reply = await fetch(`${behind.origin}/.well-known/oauth-authorization-server`, {
      headers: {
        'x-forwarded-host': 'evil.example.com',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example.com',
      },
    });
    const text = await reply.text();
    expect(text).toContain('"token_endpoint":"https://mcp.example.com/sign-in/token"');
    expect(text).not.toContain('evil');
    const named = await fetch(`${behind.origin}/healthz`, {
      headers: { origin: 'https://mcp.example.com' },
    });
    expect(named.status).toBe(200);
  });
});

describe('who is signed in', () => {
  test('stays so after a restart, and is kept without a token or a code in it', async () => {
    const settings = await signInSettings();
    const first = await serverOver('http', { settings });
    const client = await signedIn(first.url);
    const half = await authorizing(first.url);
    const code = (await openBrowser().signIn(half.authorization, alice)).searchParams.get('code');
    await first.close();
    const again = await serverOver('http', { settings, sandbox: first.sandbox });
    expect(await statusOf(again.url, client)).toBe(200);
    expect(await renew(again.url, client)).toBe('AUTHORIZED');
    expect(await statusOf(again.url, client)).toBe(200);
    const folder = settings.COMMERCE_SIGN_IN_DIR;
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const files = await readdir(folder);
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    const all = files.join() + texts.join();
    for (const secret of [code, alice, client.kept.tokens?.refresh_token])
      expect(all).not.toContain(secret);
    for (const file of files) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['taken out', `bob:${bob}`],
    ['changed', `alice:another-token-of-alice\nbob:${bob}`],
  ])('is so no longer once the token is %s, at the next call', async (_, list) => {
    const settings = await signInSettings();
    const file = join(settings.COMMERCE_SIGN_IN_DIR, '..', `tokens-${settings.COMMERCE_HTTP_PORT}`);
    await writeFile(file, `alice:${alice}\nbob:${bob}`);
    const { COMMERCE_HTTP_TOKENS: _unused, ...others } = settings;
    const filed = await serverOver('http', {
      settings: { ...others, COMMERCE_HTTP_TOKENS_FILE: file },
    });
    const client = await signedIn(filed.url);
    const other = await signedIn(filed.url, bob);
    expect(await statusOf(filed.url, client)).toBe(200);
    await writeFile(file, list);
    expect(await statusOf(filed.url, client)).toBe(401);
    expect(await renew(filed.url, client).catch(({ message: text }) => text)).not.toBe(
      'AUTHORIZED',
    );
    expect(await statusOf(filed.url, other)).toBe(200);
  });

  test('and static tokens go on beside it', async () => {
    expect((await post(server.url, message('ping'), bearer(alice))).status).toBe(200);
    expect((await post(server.url, message('ping'), bearer('nobody-has-this-token'))).status).toBe(
      401,
    );
  });

  test('is seen in the log and in the metrics, without a token', async () => {
    const seen = await serveSignIn();
    await signedIn(seen.url);
    const { browser, page } = await atPage(seen.url);
    await browser.send(page, { token: 'a-token-of-nobody-here' });
    const lines = seen.log.filter(({ message: text }) => text === 'sign-in');
    expect(lines.map(({ facts }) => facts)).toEqual([
      expect.objectContaining({ outcome: 'signed_in', caller: 'alice', client: '127.0.0.1:33418' }),
      expect.objectContaining({ outcome: 'wrong_token', client: '127.0.0.1:33418' }),
    ]);
    const all = JSON.stringify(seen.log);
    expect(all).not.toContain(alice);
    expect(all).not.toContain('a-token-of-nobody-here');
    const read = (text: string) => seen.metric(`commerce_mcp_${text}`, bearer(alice));
    expect(await read('sign_ins_total{outcome="signed_in"}')).toBe(1);
    expect(await read('sign_ins_total{outcome="wrong_token"}')).toBe(1);
    expect(await read('sign_in_broken')).toBe(0);
  });
});
