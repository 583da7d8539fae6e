import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type HttpServer,
  message,
  openHttpServer,
  openHttpServerHere,
  post,
} from './http-server.ts';

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
    server = await openHttpServer({
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
    const { origin } = await openHttpServerHere({
      settings: { COMMERCE_ALLOWED_HOSTS: 'mcp.example.com', COMMERCE_HTTP_TOKENS: 'a:token-of-a' },
    });
    expect(await statusWith(`${origin}/healthz`, { host: 'mcp.example.com' })).toBe(200);
    expect(await statusWith(`${origin}/healthz`, { host: 'example.com' })).toBe(403);
  });
});
