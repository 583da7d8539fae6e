import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AccessSettings, accessProblems } from '../../../src/mcp/http/access.ts';
import { type HttpServer, serverOver } from '../../server-over.ts';
import { folderWith } from '../../setup/folder.ts';
import { message, post } from './messages.ts';

/** The status of a GET with headers or a request target that fetch does not allow. */
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

  const paths = ['/mcp', '/healthz', '/readyz', '/metrics', '/elsewhere', '/.well-known/x'];

  test.each(paths)('refuses another host and a page of another origin at %s', async (path) => {
    const url = server.origin + path;
    const { host } = new URL(server.origin);
    for (const other of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:80'])
      expect(await statusWith(url, { host: other })).toBe(403);
    // In an absolute request target.
    expect(await statusWith(server.origin, { host }, `http://evil.example${path}`)).toBe(403);
    expect(await statusWith(server.origin, { host: 'evil.example' }, url)).toBe(403);
    for (const origin of ['https://evil.example', 'null', 'no origin', 'http://app.example.com'])
      expect(await statusWith(url, { origin })).toBe(403);
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
});

describe('a server on every address', () => {
  const settings = { COMMERCE_HTTP_HOST: '0.0.0.0', COMMERCE_HTTP_TOKENS: 'a:a-token-of-a-alone' };
  const named = { ...settings, COMMERCE_ALLOWED_HOSTS: 'mcp.example.com' };

  test.each<[which: string, given: Record<string, string>, hosts: Record<string, number>]>([
    [
      'without a list of names',
      settings,
      {
        '192.168.1.20:8787': 200,
        '[2001:db8::1]:8787': 200,
        localhost: 200,
        'shop.example': 403,
        '10.0.0.1.evil.example': 403,
      },
    ],
    ['with a list', named, { 'mcp.example.com': 200, '192.168.1.20': 403 }],
  ])('%s is reached by some names', async (_, given, hosts) => {
    const { origin } = await serverOver('http', { settings: given });
    const url = `${origin.replace('0.0.0.0', '127.0.0.1')}/healthz`;
    for (const [host, status] of Object.entries(hosts))
      expect(await statusWith(url, { host }), host).toBe(status);
  });
});

describe('accessProblems', () => {
  const open = 'COMMERCE_HTTP_HOST';
  const oauthIssuer = 'https://id.example.com';
  const oauthAudience = 'https://mcp.example.com/mcp';
  const names = ['localhost', 'mcp.example.com'];
  const signsIn = {
    signIn: 'true' as const,
    httpTokens: 'a:b',
    publicUrl: 'https://mcp.example.com',
    signInDir: '/run/sign-ins',
  };

  test.each<[string[], Partial<AccessSettings>]>([
    [[], {}],
    [[], { httpHost: 'localhost' }],
    [[], { httpHost: '::1', allowedHosts: ['localhost', '127.0.0.1'] }],
    [[], { httpHost: '0.0.0.0', httpTokens: 'a:b', allowedHosts: names }],
    [[], { httpHost: '::', httpTokensFile: '/run/tokens' }],
    [[], { httpHost: '10.0.0.1', oauthIssuer, oauthAudience }],
    [[open], { httpHost: '0.0.0.0' }],
    [[open], { httpHost: '::' }],
    [[open], { httpHost: 'mcp.example.com' }],
    [[open], { httpHost: '127.0.0.1.example.com' }],
    [['COMMERCE_ALLOWED_HOSTS'], { allowedHosts: names }],
    [['COMMERCE_OAUTH_AUDIENCE'], { oauthIssuer }],
    [['COMMERCE_OAUTH_ISSUER'], { oauthAudience }],
    [[], signsIn],
    [['COMMERCE_HTTP_TOKENS'], { ...signsIn, httpTokens: undefined }],
    [['COMMERCE_PUBLIC_URL'], { ...signsIn, publicUrl: undefined }],
    [['COMMERCE_SIGN_IN_DIR'], { ...signsIn, signInDir: undefined }],
    [[], { ...signsIn, signInDir: undefined, redisUrl: 'redis://h' }],
    [['COMMERCE_OAUTH_ISSUER'], { ...signsIn, oauthIssuer, oauthAudience }],
  ])('finds %j wrong with %j', (wrong, given) => {
    const problems = accessProblems({ httpHost: '127.0.0.1', ...given });
    expect(problems.map(({ name }) => name)).toEqual(wrong);
    if (wrong.includes(open)) expect(problems[0]?.problem.code).toBe('open_address');
  });
});

test('a port that is taken, and an audit file that is a folder, are refused at the start by name', async () => {
  const { url } = await serverOver('http');
  for (const [name, value, code] of [
    ['COMMERCE_HTTP_PORT', new URL(url).port, 'port_in_use'],
    ['COMMERCE_AUDIT_FILE', folderWith(), 'unusable_path'],
  ] as const)
    await expect(serverOver('http', { settings: { [name]: value } })).rejects.toThrow(
      `${name} ${code}`,
    );
});
