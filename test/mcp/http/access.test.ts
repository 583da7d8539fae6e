import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessSettings, accessProblems } from '../../../src/mcp/http/access.ts';
import { type HttpServer, serverOver } from '../../server-over.ts';
import { message, post } from './messages.ts';

/** The status for a GET with headers, or a request target, that fetch does not let through. */
function statusWith(url: string, headers: Record<string, string>, path?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers, ...(path !== undefined && { path }) }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('a server of this machine alone', () => {
  let server: HttpServer;

  beforeAll(async () => {
    server = await serverOver('http', {
      settings: { COMMERCE_ALLOWED_ORIGINS: 'https://app.example.com' },
    });
  });

  afterAll(() => server.close());

  const paths = ['/mcp', '/healthz', '/readyz', '/metrics', '/elsewhere', '/.well-known/x'];

  test.each(paths)('refuses another host at %s', async (path) => {
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:80'])
      expect(await statusWith(server.origin + path, { host })).toBe(403);
  });

  test.each(paths)('refuses another host in an absolute request target for %s', async (path) => {
    const { host } = new URL(server.origin);
    const target = `http://evil.example${path}`;
    expect(await statusWith(server.origin, { host }, target)).toBe(403);
    expect(await statusWith(server.origin, { host: 'evil.example' }, server.origin + path)).toBe(
      403,
    );
  });

  test.each(paths)('refuses a page of another origin at %s', async (path) => {
    for (const origin of [
      'https://evil.example',
      'null',
      'not an origin',
      'http://app.example.com',
    ])
      expect(await statusWith(server.origin + path, { origin })).toBe(403);
  });

  test.each(['localhost', '127.0.0.1:80', '[::1]:8787'])('is reached as %s', async (host) => {
    expect(await statusWith(`${server.origin}/healthz`, { host })).toBe(200);
  });

  test('shares nothing with pages, unless their origin is allowed', async () => {
    const preflight = { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } };
    const local = await fetch(server.url, preflight);
    expect(local.headers.get('access-control-allow-origin')).toBeNull();
    const origin = 'https://app.example.com';
    const asked = await fetch(server.url, {
      ...preflight,
      headers: { ...preflight.headers, origin, 'access-control-request-headers': 'authorization' },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    expect(asked.headers.get('access-control-allow-headers')).toContain('authorization');
    const answered = await post(server.url, message('ping'), { origin });
    expect(answered.status).toBe(200);
    expect(answered.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answered.headers.get('vary')).toContain('Origin');
  });

  test('is reached under further names when they are allowed', async () => {
    const { origin } = await serverOver('http', {
      settings: { COMMERCE_ALLOWED_HOSTS: 'mcp.example.com', COMMERCE_HTTP_TOKENS: 'a:token-of-a' },
    });
    expect(await statusWith(`${origin}/healthz`, { host: 'mcp.example.com' })).toBe(200);
    expect(await statusWith(`${origin}/healthz`, { host: 'example.com' })).toBe(403);
  });
});

describe('a server on every address', () => {
  const settings = { COMMERCE_HTTP_HOST: '0.0.0.0', COMMERCE_HTTP_TOKENS: 'a:a-token-of-a-alone' };
  const statusAs = async (given: Record<string, string>, host: string) => {
    const { origin } = await serverOver('http', { settings: { ...settings, ...given } });
    return statusWith(`${origin.replace('0.0.0.0', '127.0.0.1')}/healthz`, { host });
  };

  test.each([
    ['192.168.1.20:8787', 200],
    ['[2001:db8::1]:8787', 200],
    ['localhost', 200],
    ['shop.example', 403],
    ['10.0.0.1.evil.example', 403],
  ])('without a list of names, answers a visitor who calls it %s with %i', async (host, status) => {
    expect(await statusAs({}, host)).toBe(status);
  });

  test('with a list, is reached by the names of that list alone', async () => {
    const list = { COMMERCE_ALLOWED_HOSTS: 'mcp.example.com' };
    expect(await statusAs(list, 'mcp.example.com')).toBe(200);
    expect(await statusAs(list, '192.168.1.20')).toBe(403);
  });

  test('says in its refusal which setting would let the visitor in', async () => {
    const { origin } = await serverOver('http');
    const text = await new Promise<string>((resolve) => {
      request(`${origin}/mcp`, { headers: { host: 'shop.example:80' } }, (response) =>
        response.on('data', (part) => resolve(String(part))),
      ).end();
    });
    expect(text).toContain('COMMERCE_ALLOWED_HOSTS (--allowed-hosts shop.example)');
  });
});

const issuer = 'https://id.example.com';
const audience = 'https://mcp.example.com/mcp';

function settings(given: Partial<AccessSettings>): AccessSettings {
  return { httpHost: '127.0.0.1', ...given };
}

describe('accessProblems', () => {
  test.each([
    ['this machine', {}],
    ['this machine by name', { httpHost: 'localhost' }],
    ['this machine over IPv6', { httpHost: '::1' }],
    ['every address with tokens', { httpHost: '0.0.0.0', httpTokens: 'a:b' }],
    ['every address with a file of tokens', { httpHost: '::', httpTokensFile: '/run/tokens' }],
    [
      'another address with an issuer',
      { httpHost: '10.0.0.1', oauthIssuer: issuer, oauthAudience: audience },
    ],
  ])('finds none with %s', (_, given) => {
    expect(accessProblems(settings(given))).toEqual([]);
  });

  test.each(['0.0.0.0', '::', '10.0.0.1', 'mcp.example.com', '127.0.0.1.example.com'])(
    'finds %s reachable by others while nobody has to show who they are',
    (httpHost) => {
      const [problem, ...others] = accessProblems(settings({ httpHost }));
      expect(others).toEqual([]);
      expect(problem?.name).toBe('COMMERCE_HTTP_HOST');
      expect(problem?.problem).toContain('COMMERCE_HTTP_TOKENS');
    },
  );

  test('finds this machine reached from outside while nobody has to show who they are', () => {
    const given = settings({ allowedHosts: ['localhost', 'mcp.example.com'] });
    expect(accessProblems(given)).toMatchObject([{ name: 'COMMERCE_ALLOWED_HOSTS' }]);
    expect(accessProblems({ ...given, httpTokens: 'a:b' })).toEqual([]);
    expect(accessProblems(settings({ allowedHosts: ['localhost', '127.0.0.1'] }))).toEqual([]);
  });

  test('finds half of OAuth to be none: the other half is named', () => {
    expect(accessProblems(settings({ oauthIssuer: issuer }))).toMatchObject([
      { name: 'COMMERCE_OAUTH_AUDIENCE' },
    ]);
    expect(accessProblems(settings({ oauthAudience: audience }))).toMatchObject([
      { name: 'COMMERCE_OAUTH_ISSUER' },
    ]);
  });
});
