import { randomUUID } from 'node:crypto';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type Internet,
  openDocuments,
  openInternet,
} from '../../../../src/mcp/http/sign-in/documents.ts';
import { type HttpServer, serverOver } from '../../../server-over.ts';
import { freePort } from '../../../setup/free-port.ts';
import { fakeInternet, replyOf } from './internet.ts';
import { locationOf, openBrowser } from './person.ts';
import { authorizationOf, signInSettings } from './served.ts';

afterEach(() => void vi.restoreAllMocks());

const never = <Result>() => new Promise<Result>(() => {});

const open = (given: Partial<Internet>) => {
  const internet = { ...fakeInternet(() => replyOf({})), ...given };
  return { ...openDocuments('mcp.example.com', () => () => {}, internet), internet };
};

describe('a document', () => {
  test.each([
    ['a name of this machine', 'https://a.example.com/', ['127.0.0.1']],
    ['a name of this network', 'https://a.example.com/', ['10.0.0.1']],
    ['a name of both', 'https://a.example.com/', ['93.184.216.34', 'fd00::1']],
    ['a name of the metadata of a cloud', 'https://a.example.com/', ['169.254.169.254']],
    ['a name of nothing', 'https://a.example.com/', []],
    ['this machine', 'https://127.0.0.1/', ['93.184.216.34']],
    ['this machine otherwise written', 'https://0x7f.1/', ['93.184.216.34']],
    ['this machine by IPv6', 'https://[::ffff:127.0.0.1]/', ['93.184.216.34']],
  ])('a document of %s is refused before any connection', async (_, href, addresses) => {
    const { fetch, internet } = open({ resolve: async () => addresses });
    await expect(fetch(href)).rejects.toThrow('its address is not public');
    expect(internet.connections).toEqual([]);
  });

  test('a document is asked for at the addresses that were checked', async () => {
    const addresses = ['93.184.216.34', '2606:4700::1111'];
    const { fetch, internet } = open({ resolve: async () => addresses });
    expect((await fetch('https://a.example.com/b')).status).toBe(200);
    expect(internet.connections).toEqual([{ href: 'https://a.example.com/b', addresses }]);
  });

  test.each(['good', 'failed'])(
    'a document that was %s is asked for once a minute',
    async (outcome) => {
      const internet = fakeInternet(() => replyOf({}, outcome === 'good' ? 200 : 404));
      const { fetch } = open(internet);
      for (let at = 0; at < 3; at++) await fetch('https://a.example.com/').catch(() => {});
      expect(internet.connections).toHaveLength(1);
    },
  );

  test('documents of names that are never resolved end at the deadline, and eight at once are tried', async () => {
    const resolve = vi.fn<Internet['resolve']>(never);
    const { fetch } = open({ resolve, deadlineMs: 100 });
    const asked = Array.from({ length: 30 }, (_, at) => fetch(`https://${at}.example.com/`));
    await Promise.allSettled(asked);
    expect(resolve).toHaveBeenCalledTimes(8);
  });
});

describe('a connection', () => {
  test('a connection goes to the address that was checked, under the name that was asked for', async () => {
    const port = await freePort();
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const lookup = vi.spyOn(dns, 'lookup');
    const hello = once(server, 'connection').then(async ([socket]) => {
      const [bytes]: unknown[] = await once(socket, 'data');
      socket.destroy();
      return String(bytes);
    });
    const url = new URL(`https://name.example.com:${port}/`);
    const asking = openInternet().get(url, ['127.0.0.1'], AbortSignal.timeout(5000));
    await expect(asking).rejects.toThrow();
    expect(await hello).toContain('name.example.com');
    expect(lookup).not.toHaveBeenCalled();
    server.close();
  });
});

describe('the document of a client', () => {
  const at = 'https://client.example.com/oauth/client.json';
  const described = {
    client_id: at,
    client_name: 'Described',
    redirect_uris: ['https://client.example.com/back'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:token-exchange'],
    application_type: 'web',
    scope: 'openid everything',
  };
  let answer = (_: string) => replyOf({});
  const internet = fakeInternet((url) => answer(url));
  const ofOwn = fakeInternet(() => replyOf({}));
  let server: HttpServer;
  let own: HttpServer;

  beforeAll(async () => {
    server = await serverOver('http', { settings: await signInSettings(), bounds: { internet } });
    const settings = await signInSettings({ COMMERCE_PUBLIC_URL: 'https://mcp.example.com' });
    own = await serverOver('http', { settings, bounds: { internet: ofOwn } });
  });

  const authorize = (clientId: string, { origin } = server) =>
    openBrowser().ask(authorizationOf(origin, clientId, 'https://client.example.com/back'));

  test('the document of a client is read, and leads to the page', async () => {
    answer = () => replyOf(described);
    const reply = await authorize(at);
    expect([reply.status, locationOf(reply)]).toEqual([
      303,
      expect.stringContaining('/sign-in/page/'),
    ]);
    expect(internet.connections.splice(0)).toMatchObject([{ href: at }]);
  });

  test.each<[string, (url: string) => ReturnType<typeof replyOf>]>([
    ['behind a redirect', () => replyOf('', 302, { location: 'http://169.254.169.254/' })],
    ['of 70 kB', (url) => replyOf({ ...described, client_id: url, logo_uri: 'x'.repeat(70_000) })],
    ['that is no JSON', () => replyOf('<p>')],
  ])('the document of a client %s is refused, no sooner than any other', async (_, answerThis) => {
    answer = answerThis;
    const url = `https://client.example.com/${randomUUID()}`;
    const startedMs = performance.now();
    const reply = await authorize(url);
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(internet.deadlineMs * 1.2 - 5);
    expect(internet.connections.splice(0)).toMatchObject([{ href: url }]);
  });

  test.each(['https://mcp.example.com/client', 'https://127.1/client'])(
    'the document of a client at %s, of the server itself or this machine, is not asked for',
    async (clientId) => {
      expect((await authorize(clientId, own)).status).toBe(400);
      expect(ofOwn.connections).toEqual([]);
    },
  );

  test('documents are read for ten clients a minute from one address', async () => {
    const asked = fakeInternet(() => replyOf({}));
    const settings = await signInSettings();
    const attacked = await serverOver('http', { settings, bounds: { internet: asked } });
    const urls = Array.from({ length: 40 }, (_, at) => `https://client.example.com/${at}`);
    const replies = await Promise.all(urls.map((url) => authorize(url, attacked)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]));
    expect(asked.connections).toHaveLength(10);
    expect(JSON.stringify(attacked.log)).toContain('too_many_attempts');
  });
});
