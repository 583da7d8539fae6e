import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { isRecord } from '../../../../src/core/json.ts';
import { toolsets } from '../../../../src/endpoints/define.ts';
import { metadataUrls, toolsetsOf } from '../../../../src/mcp/http/auth/oauth.ts';
import { refusalMessages } from '../../../../src/mcp/http/refusals.ts';
import { json, scripted } from '../../../client/scripted-server.ts';
import { type HttpServer, serverOver } from '../../../server-over.ts';
import { ask, bearer, callTool, lastMessage, message, post, resultIdIn } from '../messages.ts';
import { audience, type IssuerOptions, type IssuerServer, startIssuer } from './issuer-server.ts';

const alice = 'alice-has-a-long-token';

let issuer: IssuerServer;
let server: HttpServer;

beforeAll(async () => {
  issuer = await startIssuer();
  server = await serverOver('http', { settings: settingsFor(issuer) });
});

afterAll(() => issuer.close());

function settingsFor({ issuer: address }: Pick<IssuerServer, 'issuer'>) {
  return { COMMERCE_OAUTH_ISSUER: address, COMMERCE_OAUTH_AUDIENCE: audience };
}

function openWith(settings: Record<string, string>): Promise<HttpServer> {
  return serverOver('http', { sandbox: server.sandbox, settings });
}

function ping(token: string, at: Pick<HttpServer, 'url'> = server): Promise<Response> {
  return post(at.url, message('ping'), bearer(token));
}

function callWith(token: string, name: string, args: unknown = {}): Promise<Response> {
  return post(server.url, message('tools/call', { name, arguments: args }), bearer(token));
}

const scopes = 'reports orders catalog customers reference analysis';

async function refusalOf(response: Promise<Response>) {
  const { status, headers } = await response;
  return [status, headers.get('www-authenticate')];
}

const past = Math.floor(Date.now() / 1000) - 60;

describe('the scopes of a token', () => {
  test.each([
    [{}, []],
    [{ scope: 'orders reports' }, ['reports', 'orders']],
    [{ scp: 'commerce:orders  email' }, ['orders']],
    [{ scp: ['orders', 'reports'] }, ['reports', 'orders']],
    [{ scope: 'orders', scp: ['reports'] }, ['reports', 'orders']],
    [{ scope: 'commerce' }, toolsets],
    [{ scope: 7, scp: [null, { a: 1 }] }, []],
    [{ scope: 'commerce: commerce:* Orders ordersx other:orders' }, []],
  ])('%j open the toolsets %j', (claims, opened) => {
    expect(toolsetsOf(claims)).toEqual(opened);
  });
});

describe('a token of the issuer', () => {
  // Signature and `nbf` of a JWT are checked by jose.
  test.each([
    ['for another audience', { aud: 'https://other.example.com' }, 'aud'],
    ['of another issuer', { iss: 'https://other.example.com' }, 'iss'],
    ['that has expired', { exp: past }, 'ERR_JWT_EXPIRED'],
    ['that never expires', { exp: undefined }, 'exp'],
  ])('a token %s is answered with 401', async (_, claims, reason) => {
    const refusal = await refusalOf(ping(await issuer.mint(claims)));
    expect(refusal).toEqual([401, expect.stringContaining(reason)]);
  });

  test.each([
    ['at+jwt', 200],
    ['JWT', 200],
    ['', 200],
    ['logout+jwt', 401],
  ])('a token whose typ is %j is answered with %d', async (typ, status) => {
    const challenge = status === 401 ? expect.stringContaining('(typ)') : null;
    expect(await refusalOf(ping(await issuer.mint({}, typ)))).toEqual([status, challenge]);
  });

  test('a token is good from the start, where the clock of its issuer is seconds ahead', async () => {
    const soon = Math.ceil(Date.now() / 1000) + 3;
    expect((await ping(await issuer.mint({ nbf: soon }))).status).toBe(200);
  });

  test('a token opens the toolsets that its scopes name, and no others', async () => {
    const token = await issuer.mint({ scope: 'commerce:reference profile' });
    const listed = JSON.stringify(await ask(server.url, 'tools/list', {}, bearer(token)));
    expect(listed).toContain('"list_shops"');
    expect(listed).not.toContain('"list_orders"');
    expect((await callWith(token, 'get_me')).status).toBe(200);
  });

  test('a token with no scope of this server is answered with 403 and the scopes there are', async () => {
    const [status, challenge] = await refusalOf(ping(await issuer.mint({ scope: 'profile' })));
    expect(status).toBe(403);
    expect(challenge).toContain(`error="insufficient_scope"`);
    expect(challenge).toContain(`scope="${scopes}"`);
  });

  test('a token that calls a tool of another scope is answered with 403 and that scope', async () => {
    const refusal = await refusalOf(callWith(await issuer.mint(), 'search_customers'));
    expect(refusal).toEqual([403, expect.stringContaining('scope="reports orders customers"')]);
  });

  /** Whether one token opens the rows that another has kept. */
  async function opens(keeper: string, reader: string): Promise<boolean> {
    const list = await callWith(keeper, 'list_orders', { period: 'last_week', all: true });
    const kept = { result_id: resultIdIn(await list.text()), limit: 1 };
    const read = await callWith(reader, 'read_rows', kept);
    const { result } = await lastMessage(read);
    return isRecord(result) && result.isError !== true;
  }

  test('a token opens no result of a tool that its scopes no longer open', async () => {
    const wide = await issuer.mint({ scope: 'orders analysis' });
    const narrow = await issuer.mint({ scope: 'reports analysis' });
    expect([await opens(wide, wide), await opens(wide, narrow)]).toEqual([true, false]);
  });

  test('a token that names neither a subject nor a client is refused', async () => {
    const response = await ping(await issuer.mint({ sub: undefined }));
    expect(response.status).toBe(401);
    expect(await response.text()).toContain(refusalMessages.token_of_nobody().text);
  });

  test('a token of a client opens nothing of the subject of that name', async () => {
    const client = await issuer.mint({ sub: undefined, client_id: 'same', scope: 'commerce' });
    const subject = await issuer.mint({ sub: 'same', scope: 'commerce' });
    expect([await opens(client, client), await opens(client, subject)]).toEqual([true, false]);
  });

  test('a token names its subject in the audit line, and never travels to the platform', async () => {
    const requests: string[] = [];
    const { sandbox } = server;
    const platform = await scripted(async (request, response) => {
      requests.push(JSON.stringify([request.url, request.headers]));
      const { authorization = '' } = request.headers;
      const answer = await fetch(sandbox.baseUrl + request.url, { headers: { authorization } });
      json(response, answer.status, await answer.json());
    });
    onTestFinished(() => platform[Symbol.asyncDispose]());
    const at = await serverOver('http', {
      settings: settingsFor(issuer),
      sandbox: { ...sandbox, baseUrl: platform.origin },
    });
    const token = await issuer.mint({ scope: 'commerce' });
    await callTool(at.url, 'get_me', {}, bearer(token));
    const line = at.log.findLast(({ message: text }) => text === 'call');
    expect(line?.facts).toMatchObject({ caller: 'agent-7', tool: 'get_me' });
    const asked = requests.filter((request) => request.includes('/api/me'));
    expect(asked).toEqual([expect.stringMatching(/"authorization":"Bearer /)]);
    expect(requests.join()).not.toContain(token);
    expect(requests.join()).not.toMatch(/mcp-|x-forwarded|agent-7/i);
  });
});

describe('the metadata of the resource', () => {
  test.each(['', '/mcp'])(
    'the metadata is open at /.well-known/oauth-protected-resource%s',
    async (path) => {
      const response = await fetch(`${server.origin}/.well-known/oauth-protected-resource${path}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(await response.json()).toEqual({
        resource: audience,
        authorization_servers: [issuer.issuer],
        scopes_supported: scopes.split(' '),
        bearer_methods_supported: ['header'],
        resource_name: 'commerce-mcp',
      });
    },
  );

  const metadataUrl = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
  test('callers without a token, or with a wrong one, are led to the metadata, with the scopes there are', async () => {
    const about = `scope="${scopes}", resource_metadata="${metadataUrl}"`;
    const bare = await refusalOf(post(server.url, message('ping')));
    expect(bare).toEqual([401, `Bearer realm="commerce-mcp", ${about}`]);
    const [status, challenge] = await refusalOf(ping('no-jwt'));
    expect(status).toBe(401);
    expect(challenge).toContain('error="invalid_token"');
    expect(challenge).toContain(about);
  });

  test('the metadata names the address that was asked where the audience is no address', async () => {
    const settings = { ...settingsFor(issuer), COMMERCE_OAUTH_AUDIENCE: 'urn:commerce' };
    const { origin, url } = await openWith(settings);
    const path = `${origin}/.well-known/oauth-protected-resource/mcp`;
    expect(await (await fetch(path)).json()).toMatchObject({ resource: url });
    const forwarded = await fetch(path, { headers: { 'x-forwarded-proto': 'https' } });
    expect(await forwarded.json()).toMatchObject({ resource: url.replace('http:', 'https:') });
  });
});

describe('the keys of the issuer', () => {
  async function openBoth(options: IssuerOptions = {}) {
    const own = await startIssuer(options);
    onTestFinished(own.close);
    return { own, at: await openWith(settingsFor(own)) };
  }

  /** An issuer that has gone, a token that it granted, and a server that does not know it yet. */
  async function openAway(settings: Record<string, string> = {}) {
    const { issuer: address, mint, close } = await startIssuer();
    const token = await mint();
    await close();
    return {
      address,
      token,
      at: await openWith({ ...settingsFor({ issuer: address }), ...settings }),
    };
  }

  /** A token with the name of an issuer and the signature of another. */
  async function forge(own: IssuerServer): Promise<string> {
    const stranger = await startIssuer();
    onTestFinished(stranger.close);
    await stranger.rotate();
    return stranger.mint({ iss: own.issuer });
  }

  test('keys may rotate at any time: the next token opens, the last one does not', async () => {
    const { own, at } = await openBoth();
    const before = await own.mint();
    expect((await ping(before, at)).status).toBe(200);
    await own.rotate();
    // Keys that were read a moment ago are not read again for a second.
    const next = await own.mint();
    await expect.poll(async () => (await ping(next, at)).status).toBe(200);
    expect((await ping(before, at)).status).toBe(401);
  });

  test('keys are found through either kind of metadata, whatever is in the place of the other', async () => {
    for (const elsewhere of ['a page', 'a redirection'] as const) {
      const options = { metadata: 'openid-configuration', elsewhere } as const;
      const { own, at } = await openBoth(options);
      expect((await ping(await own.mint(), at)).status).toBe(200);
    }
  });

  test('metadata is looked for where RFC 8414 and OpenID Connect put it', () => {
    expect(metadataUrls('https://id.example.com/tenant/')).toEqual([
      'https://id.example.com/.well-known/oauth-authorization-server/tenant',
      'https://id.example.com/.well-known/openid-configuration/tenant',
      'https://id.example.com/tenant/.well-known/openid-configuration',
    ]);
  });

  test('keys are not taken from metadata that names another issuer', async () => {
    const { own, at } = await openBoth({ claimedIssuer: 'https://other.example.com' });
    expect((await ping(await own.mint(), at)).status).toBe(503);
  });

  test('keys stay until they expire while the issuer is away, whatever strangers send', async () => {
    const { own, at } = await openBoth();
    const known = await own.mint();
    expect((await ping(known, at)).status).toBe(200);
    const foreign = await forge(own);
    await own.close();
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    // Keys are read again after a second.
    vi.setSystemTime(Date.now() + 2000);
    expect((await ping(foreign, at)).status).toBe(503);
    expect((await ping(known, at)).status).toBe(200);
    vi.setSystemTime(Date.now() + 295_000);
    expect((await ping(known, at)).status).toBe(200);
    vi.setSystemTime(Date.now() + 5000);
    expect((await ping(known, at)).status).toBe(503);
  });

  test('the log, /readyz and /metrics say from the start that keys cannot be read', async () => {
    const settings = { COMMERCE_HTTP_TOKENS: `alice:${alice}` };
    const well = await openWith({ ...settingsFor(issuer), ...settings });
    const { address, token, at } = await openAway(settings);
    const isAway = (it: HttpServer) => it.metric('commerce_mcp_issuer_away ', bearer(alice));
    await expect.poll(() => isAway(at)).toBe(1);
    expect(await isAway(well)).toBe(0);
    // Static tokens and those of an issuer open a server beside each other.
    expect((await ping(await issuer.mint(), well)).status).toBe(200);
    const ready = await fetch(`${at.origin}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      status: 'ready',
      checks: { issuer: 'cannot be reached: the tokens it granted cannot be checked' },
    });
    expect((await ping(token, at)).status).toBe(503);
    expect(at.log.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({ facts: { issuer: address } }),
    ]);
  });

  test('keys that come later end the trouble', async () => {
    const { address, token, at } = await openAway();
    const early = await ping(token, at);
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5']);
    const again = await startIssuer({ port: Number(new URL(address).port) });
    onTestFinished(again.close);
    expect((await ping(await again.mint(), at)).status).toBe(200);
    const facts = { issuer: address };
    expect(at.log).toContainEqual({ level: 'info', facts, message: 'the issuer gives keys again' });
    expect(await (await fetch(`${at.origin}/readyz`)).json()).not.toHaveProperty('checks.issuer');
  });
});
