import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { callAs, callWith, exchange } from '../caller.ts';

let sandbox: Sandbox;
let clock = Date.parse('2026-11-20T12:00:00Z');
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => clock, tokenLifetimeSeconds: 120 });
});
afterAll(() => sandbox.close());

describe('the authorization server (section 5)', () => {
  test('is found by discovery', async () => {
    const url = `${sandbox.authUrl}/.well-known/oauth-authorization-server`;
    const document: unknown = await (await fetch(url)).json();
    expect(document).toMatchObject({ token_endpoint: `${sandbox.authUrl}/oauth/token` });
  });

  test('can hold token_endpoint alone in its discovery document', async () => {
    const minimal = await startSandbox({ minimalDiscovery: true });
    const url = `${minimal.authUrl}/.well-known/oauth-authorization-server`;
    expect(await (await fetch(url)).json()).toEqual({
      token_endpoint: `${minimal.authUrl}/oauth/token`,
    });
    await minimal.close();
  });

  test('exchanges a key for a bearer token, as often as it is asked', async () => {
    const first = await exchange(sandbox, sandbox.keys.owner);
    const second = await exchange(sandbox, sandbox.keys.owner);
    expect(first.body).toMatchObject({ token_type: 'Bearer', expires_in: 120 });
    expect(second.body.access_token).not.toBe(first.body.access_token);
  });

  test.each([
    ['a wrong secret', { clientId: 'ck_sandbox.owner', clientSecret: 'wrong' }],
    ['an unknown key', { clientId: 'ck_sandbox.nobody', clientSecret: 'sandbox-secret-of-owner' }],
  ])('answers %s with 401 and the error body of OAuth', async (_what, key) => {
    const { status, body, headers } = await exchange(sandbox, key);
    expect(status).toBe(401);
    expect(body.error).toBe('invalid_client');
    expect(headers.get('www-authenticate')).toMatch(/^Basic/);
  });

  test.each([
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{}, 'invalid_request'],
  ])('answers the form %j with 400 %s', async (form, error) => {
    const { status, body } = await exchange(sandbox, sandbox.keys.owner, form);
    expect([status, body.error]).toEqual([400, error]);
  });

  test('answers 401 for a revoked key until it is restored', async () => {
    const { clientId } = sandbox.keys.clerk;
    const caller = await callAs(sandbox, 'clerk');
    sandbox.control.revokeKey(clientId);
    expect((await exchange(sandbox, sandbox.keys.clerk)).status).toBe(401);
    expect((await caller.get('/api/me')).status).toBe(401);
    sandbox.control.restoreKey(clientId);
    expect((await exchange(sandbox, sandbox.keys.clerk)).status).toBe(200);
  });
});

describe('a call (sections 5.1 and 7)', () => {
  const expectRefusal = async (token: string | undefined) => {
    const { status, body, headers } = await callWith(sandbox, token).get('/api/shop');
    expect(status).toBe(401);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({ type: 'about:blank', title: 'Unauthorized', status: 401 });
    expect(body.hint).toMatch(/exchange/i);
    expect(body.trace_id).toBe(headers.get('x-request-id'));
    expect([...headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  };

  test('without a token answers 401 with a hint and no rate headers', async () => {
    await expectRefusal(undefined);
  });

  test('with an unknown token answers 401', async () => {
    await expectRefusal('sbx_invented');
  });

  test('with a token of a browser session answers 401 whatever its role', async () => {
    await expectRefusal(sandbox.control.mintBrowserToken('owner'));
  });

  test('answers 401 from the moment its token expires', async () => {
    const { body } = await exchange(sandbox, sandbox.keys.owner);
    const caller = callWith(sandbox, String(body.access_token));
    clock += 119_999;
    expect((await caller.get('/api/shop')).status).toBe(200);
    clock += 1;
    await expectRefusal(String(body.access_token));
  });

  test('answers 401 once all tokens were made to expire', async () => {
    const caller = await callAs(sandbox);
    sandbox.control.expireTokens();
    expect((await caller.get('/api/shop')).status).toBe(401);
    expect((await (await callAs(sandbox)).get('/api/shop')).status).toBe(200);
  });

  test.each(['/api/auth/login', '/api/auth/demo'])(
    'to the removed %s answers 404',
    async (path) => {
      const caller = await callAs(sandbox);
      expect((await caller.send('POST', path)).status).toBe(404);
    },
  );

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'with %s is refused and counted as a write',
    async (method) => {
      const { status, headers } = await (await callAs(sandbox)).send(method, '/api/order');
      expect(status).toBe(405);
      expect(headers.get('allow')).toContain('GET');
      expect(headers.get('ratelimit')).toMatch(/^"write"/);
    },
  );
});

describe('GET /api/me (section 2)', () => {
  test('tells account, remaining lifetime, role document and user', async () => {
    const caller = await callAs(sandbox, 'manager');
    clock += 20_000;
    const { body } = await caller.get('/api/me');
    expect(body).toMatchObject({
      account: { name: 'sandbox' },
      token: { client_id: 'ck_sandbox.manager', expires_in: 100 },
      authorization: {
        role: 'manager',
        capabilities: { 'location.list': true, 'inventory.view_local': true },
        requires_bindings: ['location'],
        bindings: { location: { ids: [2] } },
      },
      locked_location: { id: 2, name: 'Utrecht Centraal' },
    });
    expect(body).not.toHaveProperty('profile_error');
  });

  test('has an open except set, an empty capabilities map and a failing profile where these apply', async () => {
    const [auditor, powerless, faceless] = await Promise.all(
      (['auditor', 'powerless', 'faceless'] as const).map(async (role) =>
        (await callAs(sandbox, role)).get('/api/me'),
      ),
    );
    expect(auditor?.body).toHaveProperty('authorization.bindings', { location: { except: [5] } });
    expect(powerless?.body).toHaveProperty('authorization.capabilities', {});
    expect(faceless?.body).toMatchObject({ user: null, roles: null, locked_location: null });
    expect(faceless?.body.profile_error).toMatch(/profile/);
    expect(faceless?.body).toHaveProperty('authorization.role', 'faceless');
  });
});
