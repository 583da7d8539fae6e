import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { auth as newAuth } from '@modelcontextprotocol/client';
import { auth as oldAuth } from '@modelcontextprotocol/sdk/client/auth.js';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { toolsets } from '../../../../src/endpoints/define.ts';
import { type HttpServer, serverOver } from '../../../server-over.ts';
import { folderWith } from '../../../setup/folder.ts';
import { bearer, callTool, lastMessage, message, post } from '../messages.ts';
import { fakeInternet, replyOf } from './internet.ts';
import { callback, keepingClient, locationOf, openBrowser } from './person.ts';
import {
  alice,
  askForToken,
  atPage,
  authorizationOf,
  authorizing,
  bob,
  finish,
  register,
  renew,
  serveSignIn,
  signedIn,
  signInSettings,
  statusOf,
  verifier,
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
  ])('a client discovers, registers, exchanges and renews with the SDK %s', async (_, auth) => {
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

  test('a client has the toolsets of the entry', async () => {
    const client = await signedIn(server.url, bob);
    const listed = await toolsOf(server.url, client.kept.tokens?.access_token);
    expect(listed).toContain('get_financial_report');
    expect(listed).not.toContain('search_customers');
  });

  test('a client that asks for unknown scopes is given all that the token opens', async () => {
    const { client, authorization } = await authorizing(server.url);
    authorization.searchParams.set('scope', 'openid profile offline_access');
    authorization.searchParams.delete('resource');
    await finish(server.url, client, await openBrowser().signIn(authorization, alice));
    expect(client.kept.tokens?.scope).toBe(toolsets.join(' '));
    expect(await statusOf(server.url, client)).toBe(200);
  });

  test('a client may name the resource by its root, with a last slash and in another case', async () => {
    const { client, authorization } = await authorizing(server.url);
    authorization.searchParams.set('resource', server.origin);
    const back = await openBrowser().signIn(authorization, alice);
    const client_id = client.kept.information?.client_id ?? '';
    const granted = await askForToken(server.url, {
      client_id,
      resource: `${server.url}/`,
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      code_verifier: client.kept.verifier,
      redirect_uri: callback,
    });
    const tokens = z.object({ access_token: z.string(), refresh_token: z.string() });
    const { access_token, refresh_token } = tokens.parse(granted.body);
    expect(decodeJwt(access_token).aud).toBe(server.url);
    const resource = server.url.replace('http', 'HTTP');
    const renewal = { client_id, grant_type: 'refresh_token', refresh_token, resource };
    expect((await askForToken(server.url, renewal)).status).toBe(200);
  });

  test('a client without the scope of a tool is asked for it, as far as its token opens that', async () => {
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

  const metadata = 'client_uri logo_uri scope client_name contacts jwks jwks_uri grant_types';

  test.each<[what: string, extra: object]>([
    ['nothing', Object.fromEntries(metadata.split(' ').map((name) => [name, null]))],
    [
      'what changes nothing here',
      {
        ...{ token_endpoint_auth_method: 'client_secret_post', application_type: 'web' },
        ...{ grant_types: ['authorization_code'], scope: 'openid orders whatever' },
        ...{ id_token_signed_response_alg: 'RS256', userinfo_signed_response_alg: 'RS256' },
        ...{ subject_type: 'pairwise', sector_identifier_uri: 'https://client.example.com/sector' },
        ...{ default_max_age: 'soon', require_auth_time: 'yes', response_modes: ['fragment'] },
        ...{ jwks_uri: 'no address', software_id: 7 },
      },
    ],
  ])('a client may say %s of itself, and is given no secret', async (_, extra) => {
    const reply = await register(server.origin, { redirect_uris: [callback], ...extra });
    expect(reply.status).toBe(201);
    const registered: unknown = await reply.json();
    expect(registered).toMatchObject({
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });
    expect(registered).not.toHaveProperty('client_secret');
    expect(registered).not.toHaveProperty('scope');
  });

  test('the page asks for the token again, whoever signed in with the same browser before', async () => {
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

  test('a client is told that somebody cancelled', async () => {
    const { browser, page } = await atPage(server.url);
    const sent = await browser.send(page, { answer: 'cancel' });
    const back = new URL(locationOf(await browser.ask(new URL(locationOf(sent), page))));
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'a-state-of-the-client',
    });
  });
});

test('a client that a document at its own address describes signs in with a key of its own', async () => {
  const id = 'https://client.example.com/client.json';
  const redirect = 'https://client.example.com/back';
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
  const described = {
    client_id: id,
    client_name: 'Described',
    redirect_uris: [redirect],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [jwk] },
  };
  const internet = fakeInternet(() => replyOf(described));
  const settings = await signInSettings();
  const at = await serverOver('http', { settings, bounds: { internet } });
  const back = await openBrowser().signIn(authorizationOf(at.origin, id, redirect), bob);
  const fields = {
    grant_type: 'authorization_code',
    client_id: id,
    redirect_uri: redirect,
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
  };
  expect((await askForToken(at.url, fields)).status).toBe(401);
  const assertion = await new SignJWT({ jti: 'once', iss: id, sub: id, aud: at.origin })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(privateKey);
  const reply = await askForToken(at.url, {
    ...fields,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  });
  expect(reply).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
});

describe('discovery', () => {
  test('discovery finds what clients need under both names of the metadata', async () => {
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

  test('discovery names the public address, whatever a proxy or a caller says', async () => {
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
  test('sign-ins last over a restart, and are stored without a token or a code', async () => {
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

  test('sign-ins end with the next call once the token of their entry is changed', async () => {
    const { COMMERCE_HTTP_TOKENS: _, ...settings } = await signInSettings();
    const file = join(folderWith({ tokens: `alice:${alice}\nbob:${bob}` }), 'tokens');
    const filed = await serverOver('http', {
      settings: { ...settings, COMMERCE_HTTP_TOKENS_FILE: file },
    });
    const client = await signedIn(filed.url);
    const other = await signedIn(filed.url, bob);
    expect(await statusOf(filed.url, client)).toBe(200);
    await writeFile(file, `alice:another-token-of-alice\nbob:${bob}`);
    expect(await statusOf(filed.url, client)).toBe(401);
    expect(await renew(filed.url, client).catch(() => 'refused')).not.toBe('AUTHORIZED');
    expect(await statusOf(filed.url, other)).toBe(200);
  });

  test('sign-ins are in the log and the metrics, without a token', async () => {
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
