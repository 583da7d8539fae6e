import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { refusalMessages } from '../../../../src/mcp/http/refusals.ts';
import { type HttpServer, serverOver } from '../../../server-over.ts';
import { bearer } from '../messages.ts';
import { callback, locationOf, openBrowser } from './person.ts';
import {
  alice,
  askForToken,
  atPage,
  authorizationOf,
  authorizing,
  finish,
  register,
  registeredId,
  serveSignIn,
  signInSettings,
  statusOf,
} from './served.ts';

let server: HttpServer;

beforeAll(async () => {
  server = await serveSignIn();
});

/** A client with a code that it has not exchanged yet. */
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
  test('a code is good once, and a second use ends the sign-in', async () => {
    const { client, fields, back } = await beforeExchange();
    await finish(server.url, client, back);
    expect(await statusOf(server.url, client)).toBe(200);
    expect(await askForToken(server.url, fields)).toEqual(refused('invalid_grant'));
    await vi.waitFor(async () => expect(await statusOf(server.url, client)).toBe(401));
  });

  test('a code that four use at the same time gives tokens to one at most', async () => {
    const { fields } = await beforeExchange();
    const replies = await Promise.all([1, 2, 3, 4].map(() => askForToken(server.url, fields)));
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });
});

describe('an authorization', () => {
  test.each<[what: string, change: (query: URLSearchParams) => void, error: string]>([
    ['without PKCE', (query) => query.delete('code_challenge'), 'invalid_request'],
    ['for another resource', (query) => query.set('resource', 'https://a.com/'), 'invalid_target'],
    ['without a page', (query) => query.set('prompt', 'none'), 'login_required'],
  ])('an authorization %s is refused, to the client', async (_, change, error) => {
    const { authorization } = await authorizing(server.url);
    change(authorization.searchParams);
    const back = locationOf(await openBrowser().ask(authorization));
    expect(back.startsWith(callback)).toBe(true);
    expect(back).toContain(`error=${error}`);
  });
});

test('the keys of access tokens show no private part', async () => {
  const keys = await (await fetch(`${server.origin}/sign-in/keys`)).json();
  const part = expect.any(String);
  const key = { kty: 'EC', use: 'sig', alg: 'ES256', crv: 'P-256', kid: part, x: part, y: part };
  expect(keys).toEqual({ keys: [key] });
});

describe('wrong tokens', () => {
  const wrong = () => ({ token: `wrong-${randomUUID()}` });

  test('five of a hundred simultaneous wrong tokens are checked, then even the right one gets 429 with the time', async () => {
    const attacked = await serveSignIn();
    const { browser, page } = await atPage(attacked.url);
    const many = await Promise.all(Array.from({ length: 100 }, () => browser.send(page, wrong())));
    expect(many.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5);
    expect(many.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(95);
    const right = await browser.send(page, { token: alice });
    expect(right.status).toBe(429);
    const seconds = Number(right.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(await right.text()).toContain(`${seconds} seconds`);
  });

  test('wrong tokens of one address behind a proxy keep nobody at another from signing in', async () => {
    const settings = await signInSettings({ COMMERCE_PUBLIC_URL: 'https://mcp.example.com' });
    const behind = await serverOver('http', { settings });
    const authorization = authorizationOf(behind.origin, await registeredId(behind.origin));
    const open = async (address: string) => {
      const forwarded = `${address}, ${address}`;
      const browser = openBrowser({ 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' });
      const reply = await browser.ask(authorization);
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
});

test('more than 120 registrations or pages a minute from one network are refused with the time, and leave every open page as it was', async () => {
  const settings = await signInSettings({ COMMERCE_PUBLIC_URL: 'https://mcp.example.com' });
  const attacked = await serverOver('http', { settings });
  const asking = { accept: 'text/html', 'x-forwarded-proto': 'https' };
  const from = (at: number) => ({ ...asking, 'x-forwarded-for': `[2001:db8:0:1::${at}]:443` });
  const honest = openBrowser({ ...asking, 'x-forwarded-for': '192.0.2.7:567' });
  const authorize = authorizationOf(attacked.origin, await registeredId(attacked.origin));
  const page = new URL(locationOf(await honest.ask(authorize)), attacked.origin).href;
  const statuses: [number, number][] = [];
  for (let at = 0; at < 121; at++) {
    const opened = await fetch(authorize, { redirect: 'manual', headers: from(at) });
    const registered = await register(attacked.origin, { redirect_uris: [callback] }, from(at));
    statuses.push([opened.status, registered.status]);
  }
  expect(statuses).toEqual([...Array(120).fill([303, 201]), [429, 429]]);
  const last = await register(attacked.origin, { redirect_uris: [callback] }, from(1));
  const seconds = Number(last.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  // RFC 7591, section 3.2.2.
  expect(await last.json()).toEqual({
    error: 'temporarily_unavailable',
    error_description: refusalMessages.too_many_attempts({ kind: 'registrations', seconds }).text,
  });
  const counted = 'commerce_mcp_refusals_total{reason="too_many"}';
  expect(await attacked.metric(counted, bearer(alice))).toBe(2);
  expect((await honest.send(page, { token: alice })).status).toBe(303);
  const files = await readdir(settings.COMMERCE_SIGN_IN_DIR);
  expect(files.filter((name) => name.startsWith('Client'))).toEqual([]);
});

test('a registration that would lead back to a script is refused', async () => {
  const reply = await register(server.origin, { redirect_uris: ['javascript:alert(1)'] });
  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({ error: 'invalid_redirect_uri' });
});

describe('a page', () => {
  test('the page is in no frame, and tells nobody its address', async () => {
    const { browser, page } = await atPage(server.url);
    expect(Object.fromEntries((await browser.ask(page)).headers)).toMatchObject({
      'content-security-policy': expect.stringContaining("form-action 'self' http://127.0.0.1:"),
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  });

  test('the page of another browser signs nobody in', async () => {
    const { page } = await atPage(server.url);
    const reply = await openBrowser().send(page, { token: alice });
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain(refusalMessages.sign_in_page_over().text);
  });

  test('a megabyte in the form of the page is refused', async () => {
    const { browser, page } = await atPage(server.url);
    expect((await browser.send(page, { token: 'x'.repeat(1_000_000) })).status).toBe(401);
  });
});
