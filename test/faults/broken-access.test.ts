import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, type ScriptedServer, scripted } from '../client/scripted-server.ts';
import type { ServerOptions } from '../server-over.ts';
import { type FaultyServer, patienceFor, withFaultyServer } from './faulty-server.ts';

/** Somebody else's server, which answers as any of ours would: nothing may ever reach it. */
let foreign: ScriptedServer;

beforeAll(async () => {
  foreign = await scripted((_, response) => json(response, 200, { count: 0, total: 0, data: [] }));
});

afterAll(async () => {
  expect(foreign).toMatchObject({ seen: [], exchanges: 0 });
  await foreign[Symbol.asyncDispose]();
});

/** Tries a server that has answered before, and answers again once all is well. */
const around = (trial: (server: FaultyServer) => Promise<void>, options: ServerOptions = {}) =>
  withFaultyServer(options, async (server) => {
    expect(await server.ask('get_me')).toMatchObject({ isError: false });
    await trial(server);
    server.sandbox.control.clearFaults();
    const next = await server.ask('get_me');
    expect(next.isError, next.text).toBe(false);
  });

// Each has a server of its own and mostly waits: several run at a time.
describe.concurrent('a token', () => {
  test('that is refused for ever is exchanged once a call, and a person is called', () =>
    around(async ({ ask, sandbox }) => {
      sandbox.control.inject('401:path=/api*');
      const { text, isError } = await ask('get_me');
      expect(isError).toBe(true);
      expect(text).toMatch(/answered 401: .*trace_id.*A person must issue a new key/s);
      expect(sandbox.stats.exchanges).toBe(2);
    }));

  test('whose end 50 calls meet at once is exchanged once', () =>
    around(async ({ ask, sandbox }) => {
      sandbox.control.expireTokens();
      const asking = Array.from({ length: 50 }, (_, start) =>
        ask('search_products', { start, limit: 1 }),
      );
      const answers = await Promise.all(asking);
      expect(answers.filter(({ isError }) => isError)).toEqual([]);
      expect(new Set(answers.map(({ rows }) => rows[0]?.id)).size).toBe(50);
      expect(sandbox.stats.exchanges).toBe(2);
    }));

  test('whose key is revoked in the middle of a long list ends it in the words for it', () =>
    around(
      async ({ ask, sandbox: { control, clientId } }) => {
        const revoked = await ask(
          'list_orders',
          { period: 'last_90_days', all: true },
          { onprogress: () => control.revokeKey(clientId) },
        );
        expect(revoked).toMatchObject({ isError: true, rows: [] });
        expect(revoked.text).toMatch(/this API key: it was revoked or rolled/);
        expect(revoked.text).toContain('A person must issue a new key');
        control.restoreKey(clientId);
      },
      { latencyMs: 50, ordersPerDay: 60 },
    ));
});

test('a key whose secret was mistyped needs a person', () => {
  const settings = { COMMERCE_CLIENT_SECRET: 'mistyped-secret' };
  return withFaultyServer({ settings }, async ({ ask, read }) => {
    const { isError, text } = await ask('get_me');
    expect(isError).toBe(true);
    expect(text).toMatch(/^get_me: .*revoked or rolled.*A person must issue a new key/s);
    expect(text).not.toMatch(/sandbox-secret|mistyped-secret/);
    await expect(read('commerce://access')).rejects.toThrow(/issue a new key/);
  });
});

describe.concurrent('an exchange', () => {
  const tokenPath = 'path=/oauth/token';

  test.each(['html=echo', 'reset=middle', '429'])('that fails once (%s) is made again', (fault) =>
    around(async ({ ask, sandbox: { control } }) => {
      control.expireTokens();
      control.inject(`${fault}:${tokenPath},times=1`);
      const { isError, text } = await ask('get_me');
      expect(isError, text).toBe(false);
    }),
  );

  test.each<[fault: string, says: RegExp]>([
    ['502', /No access token: POST to the token endpoint answered 502: A fault[^{}]+\n/],
    ['html=echo', /answered 503: .*Basic \*\*\*/],
    ['body=cut', /POST to the token endpoint gave no usable access_token/],
    ['reset', /POST to the token endpoint: the connection was (reset|closed)/],
    ['slow', /the authorization server did not answer within 2 s/],
    ['huge', /answered with more than 1 MB/],
    ['redirect', /answered 302, a redirect to http:\S+, which is not followed/],
  ])('that fails for ever (%s) is explained', (fault, says) => {
    const trial = async ({ ask, sandbox: { control }, hurry }: FaultyServer) => {
      control.expireTokens();
      const value = fault === 'redirect' ? `,value=${foreign.origin}/oauth/token` : '';
      control.inject(`${fault}:${tokenPath}${value}`);
      hurry(fault);
      const answer = await ask('get_me');
      hurry();
      expect(answer.isError).toBe(true);
      expect(answer.text).toMatch(says);
    };
    return around(trial, { settings: patienceFor(fault) });
  });
});

describe.concurrent('discovery that fails from the start', () => {
  test.each<[fault: string, says: RegExp]>([
    ['503', /GET \/.well-known\/oauth-authorization-server answered 503/],
    ['body=cut', /names no token_endpoint; check the address/],
    ['redirect', /a redirect to http:\S+, which is not followed/],
    ['foreign-endpoint', /names a token endpoint at http:\S+, not at http:\S+: the secret is not/],
  ])('(%s) is explained, and over once it is back', (fault, says) => {
    const value = /^(redirect|foreign)/.test(fault) ? `,value=${foreign.origin}/oauth/token` : '';
    const faults = `${fault}:path=/.well-known*${value}`;
    return withFaultyServer({ faults }, async ({ ask, listTools, sandbox }) => {
      const { tools } = await listTools();
      expect(tools.length).toBeGreaterThan(24);
      const answer = await ask('get_me');
      expect(answer.isError).toBe(true);
      expect(answer.text).toMatch(says);
      sandbox.control.clearFaults();
      expect(await ask('get_me')).toMatchObject({ isError: false });
    });
  });
});

test('a redirect of an answer to another origin is not followed', () =>
  around(async ({ ask, sandbox }) => {
    sandbox.control.inject(`redirect:path=/api/order,value=${foreign.origin}/api/order`);
    const answer = await ask('list_orders', { period: 'yesterday' });
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/GET \/api\/order answered 302, a redirect.* is not followed/);
  }));
