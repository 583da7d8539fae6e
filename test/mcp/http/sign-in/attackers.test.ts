import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { isRecord } from '../../../../src/core/json.ts';
import { refusalMessages } from '../../../../src/mcp/http/refusals.ts';
import { type HttpServer, serverOver } from '../../../server-over.ts';
import { bearer, message, post } from '../messages.ts';
import { callback, keepingClient, locationOf, openBrowser } from './person.ts';
import {
  alice,
  askForToken,
  atPage,
  authorizing,
  finish,
  register,
  registeredId,
  serveSignIn,
  signedIn,
  signInSettings,
  statusOf,
} from './served.ts';

let server: HttpServer;

/** What ends has ended everywhere within three seconds. */
const soon = { timeout: 3000 };

beforeAll(async () => {
  server = await serveSignIn();
});

/** What a client holds that somebody has signed in with, before it exchanges the code. */
async function beforeExchange() {
  const { client, authorization } = await authorizing(server.url);
  const back = await openBrowser().signIn(authorization, alice);
  const fields = {
    grant_type: 'authorization_code',
    code: back.searchParams.get('code') ?? '',
    code_verifier: client.kept.verifier,
    redirect_uri: callback,
    client_id: client.kept.information?.client_id ?? '',
    resource: server.url,
  };
  return { client, fields, back };
}

const refused = (error: string) => ({ status: 400, body: expect.objectContaining({ error }) });

describe('a code', () => {
  test('is good once, and a second use ends the sign-in', async () => {
    const { client, fields, back } = await beforeExchange();
    await finish(server.url, client, back);
    expect(await statusOf(server.url, client)).toBe(200);
    expect(await askForToken(server.url, fields)).toEqual(refused('invalid_grant'));
    await vi.waitFor(async () => expect(await statusOf(server.url, client)).toBe(401), soon);
  });

  test('of which two make use at the same time gives tokens to one at most, and the sign-in ends', async () => {
    const { fields } = await beforeExchange();
    const replies = await Promise.all([1, 2, 3, 4].map(() => askForToken(server.url, fields)));
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  test.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another redirect', { redirect_uri: 'http://127.0.0.1:33418/other' }, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example.com/mcp' }, 'invalid_target'],
    ['another client', { client_id: 'nobody' }, 'invalid_client'],
  ])('with %s is refused', async (_, other, error) => {
    const { fields } = await beforeExchange();
    const reply = await askForToken(server.url, { ...fields, ...other });
    expect(reply.body).toMatchObject({ error });
    expect(reply.status).toBeGreaterThanOrEqual(400);
  });
});

describe('an authorization', () => {
  test.each([
    ['without PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for another resource', { resource: 'https://other.example.com/mcp' }, 'invalid_target'],
    ['for two resources', { resource: ['https://other.example.com/mcp'] }, 'invalid_target'],
    ['for a token in the address', { response_type: 'token' }, 'unsupported_response_type'],
    ['without a page', { prompt: 'none' }, 'login_required'],
  ])('%s is refused, to the client', async (_, other, error) => {
    const { authorization } = await authorizing(server.url);
    for (const [name, value] of Object.entries(other)) {
      if (Array.isArray(value)) authorization.searchParams.append(name, value.join());
      else if (value === '') authorization.searchParams.delete(name);
      else authorization.searchParams.set(name, value);
    }
    const back = new URL(locationOf(await openBrowser().ask(authorization)));
    expect(back.href.startsWith(callback)).toBe(true);
    expect(back.href).toContain(`error=${error}`);
  });

  test.each(['https://evil.example.com/', 'http://127.0.0.1:33418/callback@evil.example.com'])(
    'that would lead to %j leads nowhere',
    async (redirect) => {
      const { authorization } = await authorizing(server.url);
      authorization.searchParams.set('redirect_uri', redirect);
      authorization.searchParams.delete('code_challenge');
      const reply = await openBrowser().ask(authorization);
      expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
      expect(await reply.text()).not.toContain('href');
    },
  );

  test('of a client that names itself in HTML shows it as text', async () => {
    const name = '<script>alert(1)</script><form action="https://evil.example.com">';
    const { browser, page } = await atPage(server.url, keepingClient({ client_name: name }));
    const html = await (await browser.ask(page)).text();
    expect(html).toContain('&lt;script&gt;');
    expect(html.match(/<(script|form)\b/g)).toEqual(['<form']);
  });
});

describe('a refresh token', () => {
  test('of another client is refused', async () => {
    const client = await signedIn(server.url);
    const other = await authorizing(server.url, keepingClient({ client_name: 'Another' }));
    const reply = await askForToken(server.url, {
      grant_type: 'refresh_token',
      client_id: other.client.kept.information?.client_id ?? '',
      refresh_token: client.kept.tokens?.refresh_token ?? '',
    });
    expect(reply).toEqual(refused('invalid_grant'));
  });
});

describe('an access token', () => {
  const claims = { sub: 'alice', scope: 'reports orders', client_id: 'x' };

  test.each([
    [
      'that nobody signed',
      async () =>
        new UnsecuredJWT(claims)
          .setIssuer(server.origin)
          .setAudience(server.url)
          .setExpirationTime('1h')
          .encode(),
    ],
    [
      'that is signed with the public key as a secret',
      async () => {
        const keys: unknown = await (await fetch(`${server.origin}/sign-in/keys`)).json();
        const [key] = isRecord(keys) && Array.isArray(keys.keys) ? keys.keys : [];
        return new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid: key.kid })
          .setIssuer(server.origin)
          .setAudience(server.url)
          .setExpirationTime('1h')
          .sign(Buffer.from(JSON.stringify(key)));
      },
    ],
    [
      'of a refresh token',
      async () => (await signedIn(server.url)).kept.tokens?.refresh_token ?? '',
    ],
    [
      'whose claims were changed',
      async () => {
        const [head, , signature] = (
          (await signedIn(server.url)).kept.tokens?.access_token ?? ''
        ).split('.');
        const changed = { ...claims, iss: server.origin, aud: server.url, exp: 4e9 };
        return [head, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join(
          '.',
        );
      },
    ],
  ])('%s opens nothing', async (_, forge) => {
    const reply = await post(server.url, message('ping'), bearer(await forge()));
    expect(reply.status).toBe(401);
  });

  test('shows no private part of a key', async () => {
    const text = await (await fetch(`${server.origin}/sign-in/keys`)).text();
    expect(JSON.parse(text).keys).toEqual([
      {
        kty: 'EC',
        use: 'sig',
        alg: 'ES256',
        crv: 'P-256',
        kid: expect.any(String),
        x: expect.any(String),
        y: expect.any(String),
      },
    ]);
  });
});

describe('wrong tokens', () => {
  const wrong = () => ({ token: `wrong-${randomUUID()}` });

  test('a hundred from one address: at most five are looked at, then 429 with the time, for the right one too', async () => {
    const attacked = await serveSignIn();
    const { browser, page } = await atPage(attacked.url);
    for (let at = 0; at < 5; at++) expect((await browser.send(page, wrong())).status).toBe(401);
    const many = await Promise.all(Array.from({ length: 95 }, () => browser.send(page, wrong())));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([429]));
    const right = await browser.send(page, { token: alice });
    expect(right.status).toBe(429);
    const seconds = Number(right.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(await right.text()).toContain(`${seconds} seconds`);
    expect(
      await attacked.metric('commerce_mcp_sign_ins_total{outcome="wrong_token"}', bearer(alice)),
    ).toBe(5);
  });

  test('a hundred at the same time: no more than five are looked at', async () => {
    const attacked = await serveSignIn();
    const { browser, page } = await atPage(attacked.url);
    const many = await Promise.all(Array.from({ length: 100 }, () => browser.send(page, wrong())));
    expect(many.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5);
    expect(many.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(95);
    expect((await browser.send(page, { token: alice })).status).toBe(429);
  });

  test('of one address behind a proxy keep nobody at another from signing in', async () => {
    const settings = await signInSettings({ COMMERCE_PUBLIC_URL: 'https://mcp.example.com' });
    const behind = await serverOver('http', { settings });
    const from = (address: string) => ({
      'x-forwarded-for': `${address}, ${address}`,
      'x-forwarded-proto': 'https',
    });
    const query = new URLSearchParams({
      client_id: await registeredId(behind.origin),
      response_type: 'code',
      redirect_uri: callback,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    const open = async (address: string) => {
      const browser = openBrowser(from(address));
      const reply = await browser.ask(`${behind.origin}/sign-in/authorize?${query}`);
      return { browser, page: new URL(locationOf(reply), behind.origin).href, reply };
    };
    const attacker = await open('192.0.2.66');
    for (const line of attacker.reply.headers.getSetCookie())
      expect(line).toMatch(/; samesite=lax; secure; httponly/i);
    for (let at = 0; at < 7; at++) await attacker.browser.send(attacker.page, wrong());
    expect((await attacker.browser.send(attacker.page, { token: alice })).status).toBe(429);
    const honest = await open('192.0.2.7');
    expect((await honest.browser.send(honest.page, { token: alice })).status).toBe(303);
  });

  test('and names of the list are answered alike', async () => {
    const attacked = await serveSignIn();
    const { browser, page } = await atPage(attacked.url);
    const texts = await Promise.all(
      ['alice', 'nobody', '', 'alice:wrong'].map(async (token) =>
        (await browser.send(page, { token })).text(),
      ),
    );
    expect(new Set(texts).size).toBe(1);
  });
});

describe('a registration', () => {
  test('beyond 120 from one address in a minute is refused in the form of RFC 7591, with the time', async () => {
    const attacked = await serveSignIn();
    const replies = [];
    for (let at = 0; at < 121; at++)
      replies.push(await register(attacked.origin, { redirect_uris: [callback] }));
    expect(replies.map(({ status }) => status)).toEqual([...Array(120).fill(201), 429]);
    const [last] = replies.slice(-1);
    const seconds = Number(last?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(await last?.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: refusalMessages.too_many_attempts({ what: 'registrations', seconds }).text,
    });
    expect(
      await attacked.metric('commerce_mcp_refusals_total{reason="too_many"}', bearer(alice)),
    ).toBe(1);
  });

  test('of thousands from addresses of one network leaves every client and every open page as it was', async () => {
    const settings = await signInSettings({ COMMERCE_PUBLIC_URL: 'https://mcp.example.com' });
    const attacked = await serverOver('http', { settings });
    const asking = { accept: 'text/html', 'x-forwarded-proto': 'https' };
    const from = (at: number) => ({ ...asking, 'x-forwarded-for': `[2001:db8:0:1::${at}]:443` });
    const honest = openBrowser({ ...asking, 'x-forwarded-for': '192.0.2.7:567' });
    const query = new URLSearchParams({
      client_id: await registeredId(attacked.origin),
      response_type: 'code',
      redirect_uri: callback,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    const authorize = `${attacked.origin}/sign-in/authorize?${query}`;
    const page = new URL(locationOf(await honest.ask(authorize)), attacked.origin).href;
    const statuses = new Map<number, number>();
    for (let at = 0; at < 2600; at++) {
      const asked =
        at % 2 === 0
          ? await fetch(authorize, { redirect: 'manual', headers: from(at) })
          : await register(attacked.origin, { redirect_uris: [callback] }, from(at));
      statuses.set(asked.status, 1 + (statuses.get(asked.status) ?? 0));
    }
    expect([...statuses]).toEqual([
      [303, 120],
      [201, 120],
      [429, 2360],
    ]);
    expect((await honest.send(page, { token: alice })).status).toBe(303);
    const files = await readdir(settings.COMMERCE_SIGN_IN_DIR);
    expect(files.filter((name) => name.startsWith('Client'))).toEqual([]);
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,hello',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://a.example.com/1',
    'about:blank',
    'ftp://files.example.com/back',
    'mailto:somebody@example.com',
    'tel:+31201234567',
    'jar:https://evil.example.com/a.jar!/back',
    'view-source:https://evil.example.com/',
    'wss://evil.example.com/',
    'ssh://evil.example.com/',
    'intent://evil/#Intent;end',
    'urn:ietf:wg:oauth:2.0:oob',
    'http://evil.example.com/callback',
    'https://good.example.com/#fragment',
    'not an address',
  ])('that would lead back to %s is refused', async (redirect) => {
    const attacked = await serveSignIn();
    for (const application_type of ['web', 'native']) {
      const reply = await register(attacked.origin, {
        redirect_uris: [redirect],
        application_type,
      });
      expect([reply.status, await reply.json()]).toEqual([
        400,
        expect.objectContaining({ error: 'invalid_redirect_uri' }),
      ]);
    }
  });
});

describe('a page', () => {
  test('is in no frame, without a script, and tells nobody its address', async () => {
    const { browser, page } = await atPage(server.url);
    const { headers } = await browser.ask(page);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' http:\/\/127\.0\.0\.1:33418; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('of another browser, or none, signs nobody in', async () => {
    const { page } = await atPage(server.url);
    const reply = await openBrowser().send(page, { token: alice });
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain(refusalMessages.sign_in_page_over().text);
  });

  test.each(['https://evil.example.com', 'null'])(
    'that a page of %s posts to is refused',
    async (origin) => {
      const { browser, page } = await atPage(server.url);
      const reply = await browser.send(page, { token: alice }, { headers: { origin } });
      expect(reply.status).toBe(403);
    },
  );

  test('that was finished cannot be used again', async () => {
    const { browser, page } = await atPage(server.url);
    const sent = await browser.send(page, { token: alice });
    await browser.ask(new URL(locationOf(sent), page));
    expect((await browser.send(page, { token: alice })).status).toBe(400);
  });

  test('with a megabyte in its form is refused', async () => {
    const { browser, page } = await atPage(server.url);
    expect((await browser.send(page, { token: 'x'.repeat(1_000_000) })).status).toBe(401);
  });
});
