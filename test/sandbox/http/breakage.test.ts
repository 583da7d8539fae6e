import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { type Caller, callAs } from '../caller.ts';

let sandbox: Sandbox;
let owner: Caller;
const naps: number[] = [];
beforeAll(async () => {
  sandbox = await startSandbox({
    quota: 10_000,
    sleep: async (ms) => {
      naps.push(ms);
    },
  });
  owner = await callAs(sandbox);
});
afterEach(() => sandbox.control.clearFaults());
afterAll(() => sandbox.close());

const struck = (fault: string, path = '/api/shop') => {
  sandbox.control.inject(fault);
  return owner.get(path);
};

describe('a fault', () => {
  test.each([
    ['500', 500, 'application/problem+json'],
    ['502', 502, 'application/problem+json'],
    ['503', 503, 'application/problem+json'],
    ['401', 401, 'application/problem+json'],
    ['429', 429, 'application/problem+json'],
    ['html', 503, 'text/html'],
    ['body=plain', 200, 'text/plain'],
    ['redirect', 302, null],
    ['html=echo', 503, 'text/html'],
  ])('of kind %s answers %i as %s', async (kind, status, contentType) => {
    const answer = await struck(kind);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe(contentType);
    if (contentType?.includes('problem')) {
      expect(answer.body.trace_id).toBe(answer.headers.get('x-request-id'));
    }
  });

  test('strikes as often as it says and leaves the next call alone', async () => {
    expect((await struck('502:times=1')).status).toBe(502);
    expect((await owner.get('/api/shop')).status).toBe(200);
  });

  test('can show a request its own credentials', async () => {
    sandbox.control.inject('html=echo');
    const headers = { authorization: 'Basic abc' };
    const answer = await fetch(`${sandbox.authUrl}/oauth/token`, { method: 'POST', headers });
    expect(await answer.text()).toContain('Basic abc');
  });

  test('can name a token endpoint elsewhere', async () => {
    sandbox.control.inject('foreign-endpoint:value=https://foreign.example/token');
    const answer = await fetch(`${sandbox.authUrl}/.well-known/oauth-authorization-server`);
    expect(await answer.json()).toEqual({ token_endpoint: 'https://foreign.example/token' });
  });

  test.each([
    ['429', '1'],
    ['429:value=1e99', '1e99'],
    ['429=none', null],
  ])('of kind %s sends Retry-After %s and r=0', async (kind, retryAfter) => {
    const { headers } = await struck(kind);
    expect(headers.get('retry-after')).toBe(retryAfter);
    expect(headers.get('ratelimit')).toMatch(/^"general";r=0;/);
  });

  test.each(['reset', 'reset=middle', 'huge=headers'])(
    'of kind %s breaks the connection',
    async (kind) => {
      await expect(struck(`${kind}:times=1`)).rejects.toThrow();
      expect((await owner.get('/api/shop')).status).toBe(200);
    },
  );

  test.each(['body=empty', 'body=cut', 'body=not-text'])(
    'of kind %s spoils the JSON',
    async (kind) => {
      sandbox.control.inject(`${kind}:path=/openapi.json`);
      const answer = await fetch(`${sandbox.baseUrl}/openapi.json`);
      const text = await answer.text();
      expect(answer.status).toBe(200);
      expect(() => JSON.parse(text)).toThrow(SyntaxError);
      expect((await owner.get('/api/shop')).body.count).toBe(6);
    },
  );

  test.each([
    ['limits=none', null],
    ['limits=unreadable', 'many; per=moon "'],
    ['limits=odd', '"unheard-of";r=-3;t=99999999'],
  ])('of kind %s spoils the rate headers', async (kind, rateLimit) => {
    expect((await struck(kind)).headers.get('ratelimit')).toBe(rateLimit);
  });

  test('of kind list has no rows', async () => {
    expect((await struck('list=null')).body.data).toBeNull();
  });

  test('of kind list=high-total promises rows that are not there', async () => {
    expect((await struck('list=high-total')).body).toMatchObject({ count: 6, total: 13 });
    const feed = await owner.get('/api/product/delta?since=2020-01-01');
    expect(feed.body).not.toHaveProperty('total');
  });

  test('of kind list=low-total hides half of the rows', async () => {
    expect((await struck('list=low-total')).body).toMatchObject({ count: 6, total: 3 });
  });

  test('of kind body=deep nests a row further than most readers can follow', async () => {
    const { rows } = await struck('body=deep');
    expect(() => JSON.stringify(rows[0])).toThrow(RangeError);
  });

  test('of kind list=repeated repeats its first row', async () => {
    const { rows } = await struck('list=repeated');
    expect(rows.at(-1)).toEqual(rows[0]);
    expect(rows.length).toBe(6);
  });

  test('of kind list=stuck says that more follows and does not move', async () => {
    const first = await struck('list=stuck', '/api/product/delta?since=2020-01-01&limit=3');
    const cursor = String(first.body.next_cursor);
    const second = await owner.get(`/api/product/delta?limit=250&cursor=${cursor}`);
    expect(second.body).toMatchObject({ next_cursor: cursor, has_more: true });
  });

  test('of kind slow waits before the headers, or between the pieces', async () => {
    naps.length = 0;
    await struck('slow:ms=1234,times=1');
    const dripped = await struck('slow=body:ms=7,times=1');
    expect(naps[0]).toBe(1234);
    expect(naps.filter((ms) => ms === 7).length).toBeGreaterThan(10);
    expect(dripped.body.count).toBe(6);
  });

  test('of kind huge sends 100 MB that can be abandoned', async () => {
    sandbox.control.inject('huge:path=/openapi.json,times=1');
    const answer = await fetch(`${sandbox.baseUrl}/openapi.json`);
    const reader = answer.body?.getReader();
    let bytes = 0;
    while (bytes < 5_000_000) bytes += (await reader?.read())?.value?.length ?? Infinity;
    await reader?.cancel();
    expect(bytes).toBeLessThan(Infinity);
  });

  test('of kind expired ends every token, once', async () => {
    expect((await struck('expired:times=1')).status).toBe(401);
    expect((await owner.get('/api/shop')).status).toBe(401);
    owner = await callAs(sandbox);
    expect((await owner.get('/api/shop')).status).toBe(200);
  });

  test('can strike discovery and the exchange', async () => {
    sandbox.control.inject('503:path=/.well-known/oauth-authorization-server,times=1');
    sandbox.control.inject('502:path=/oauth/token,times=1');
    const discovery = await fetch(`${sandbox.authUrl}/.well-known/oauth-authorization-server`);
    const token = await fetch(`${sandbox.authUrl}/oauth/token`, { method: 'POST' });
    expect([discovery.status, token.status]).toEqual([503, 502]);
  });
});
