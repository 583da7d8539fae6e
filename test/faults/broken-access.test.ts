import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientMessages } from '../../src/client/messages.ts';
import type { Finished } from '../../src/core/message.ts';
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
  test('a token that is always refused is exchanged once a call, and a person is called for', () =>
    around(async ({ ask, sandbox }) => {
      sandbox.control.inject('401:path=/api*');
      const { text, failure } = await ask('get_me');
      expect(failure).toMatchObject({
        code: 'unauthorized',
        status: 401,
        trace_id: expect.stringMatching(/./),
      });
      expect(text).toContain('\nA fresh token was refused too: the API key was revoked');
      expect(sandbox.stats.exchanges).toBe(2);
    }));

  // docs/platform.md#token-exchange and docs/platform.md#renewal.
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
        expect(revoked).toMatchObject({ rows: [], failure: { code: 'key_refused' } });
        expect(revoked.text).toContain(clientMessages.key_wrong().text);
        control.restoreKey(clientId);
      },
      { latencyMs: 50, ordersPerDay: 60 },
    ));
});

test('a key whose secret was mistyped needs a person', () => {
  const settings = { COMMERCE_CLIENT_SECRET: 'mistyped-secret' };
  return withFaultyServer({ settings }, async ({ ask, read }) => {
    const { failure, text } = await ask('get_me');
    expect(failure).toMatchObject({ code: 'key_refused' });
    expect(text).toContain(`get_me: ${clientMessages.key_wrong().text}`);
    expect(text).not.toMatch(/sandbox-secret|mistyped-secret/);
    const reading = read('commerce://access');
    await expect(reading).rejects.toMatchObject({ data: { code: 'key_refused' } });
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

  const endpoint = 'POST to the token endpoint';
  const location = () => ({ endpoint, status: 302, origin: foreign.origin });

  test.each<[fault: string, says: RegExp | (() => Finished)]>([
    ['502', () => clientMessages.exchange_refused({ endpoint, status: 502, detail: '' })],
    ['html=echo', () => clientMessages.exchange_refused({ endpoint, status: 503, detail: '' })],
    ['body=cut', () => clientMessages.no_access_token({ endpoint })],
    ['reset', /\((ECONNRESET|UND_ERR_SOCKET)\)/],
    ['slow', () => clientMessages.exchange_late({ seconds: 2 })],
    ['huge', () => clientMessages.answer_too_large({ endpoint, bytes: 1_000_000 })],
    ['redirect', () => clientMessages.redirected(location())],
  ])('that fails for ever (%s) is explained', (fault, says) => {
    const trial = async ({ ask, sandbox: { control }, hurry }: FaultyServer) => {
      control.expireTokens();
      const value = fault === 'redirect' ? `,value=${foreign.origin}/oauth/token` : '';
      control.inject(`${fault}:${tokenPath}${value}`);
      hurry(fault);
      const answer = await ask('get_me');
      hurry();
      expect(answer.isError).toBe(true);
      expect(answer.text).toMatch(says instanceof RegExp ? says : says().text);
    };
    return around(trial, { settings: patienceFor(fault) });
  });
});

describe.concurrent('discovery that fails from the start', () => {
  const endpoint = 'GET /.well-known/oauth-authorization-server';

  test.each<[fault: string, says: (expected: string) => Finished]>([
    ['503', () => clientMessages.exchange_refused({ endpoint, status: 503, detail: '' })],
    ['body=cut', () => clientMessages.no_token_endpoint({ endpoint })],
    [
      'redirect',
      () => clientMessages.redirected({ endpoint, status: 302, origin: foreign.origin }),
    ],
    [
      'foreign-endpoint',
      (expected) =>
        clientMessages.other_token_endpoint({ endpoint, named: foreign.origin, expected }),
    ],
  ])('(%s) is explained, and over once it is back', (fault, says) => {
    const value = /^(redirect|foreign)/.test(fault) ? `,value=${foreign.origin}/oauth/token` : '';
    const faults = `${fault}:path=/.well-known*${value}`;
    return withFaultyServer({ faults }, async ({ ask, listTools, sandbox }) => {
      const { tools } = await listTools();
      expect(tools.length).toBeGreaterThan(24);
      const answer = await ask('get_me');
      expect(answer.isError).toBe(true);
      expect(answer.text).toContain(says(new URL(sandbox.authUrl).origin).text);
      sandbox.control.clearFaults();
      expect(await ask('get_me')).toMatchObject({ isError: false });
    });
  });
});

test('a redirect of an answer to another origin is not followed', () =>
  around(async ({ ask, sandbox }) => {
    sandbox.control.inject(`redirect:path=/api/order,value=${foreign.origin}/api/order`);
    const answer = await ask('list_orders', { period: 'yesterday' });
    const redirected = { endpoint: 'GET /api/order', status: 302, origin: foreign.origin };
    expect(answer.failure).toMatchObject({ code: 'redirected', status: 302 });
    expect(answer.text).toContain(clientMessages.redirected(redirected).text);
  }));
