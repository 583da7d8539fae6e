import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  deadlineMs,
  openRehearsal,
  type Rehearsal,
  type RehearsalOptions,
} from './faulty-server.ts';
import { type ForeignOrigin, openForeignOrigin } from './foreign-origin.ts';

let rehearsal: Rehearsal;
let foreign: ForeignOrigin;

beforeAll(async () => {
  rehearsal = await openRehearsal();
  foreign = await openForeignOrigin();
  await rehearsal.connection.listTools();
  await rehearsal.ask('get_me');
});

afterEach(async () => {
  rehearsal.sandbox.control.clearFaults();
  const next = await rehearsal.ask('get_me');
  expect(next.isError, next.text).toBe(false);
  expect(rehearsal.slips()).toEqual([]);
  expect(foreign.received).toEqual([]);
});

afterAll(async () => {
  await rehearsal.close();
  await foreign.close();
});

/** A server of its own for one test. */
async function openHere(options: RehearsalOptions): Promise<Rehearsal> {
  const opened = await openRehearsal(options);
  onTestFinished(() => opened.close());
  return opened;
}

/** So many questions at once, no two alike. */
const askAtOnce = (count: number, { ask }: Rehearsal = rehearsal) =>
  Promise.all(
    Array.from({ length: count }, (_, start) => ask('search_products', { start, limit: 1 })),
  );

describe('a token', () => {
  test.each(['401', 'expired'])('that is refused once (%s) is exchanged once', async (fault) => {
    const before = rehearsal.sandbox.stats.exchanges;
    rehearsal.sandbox.control.inject(`${fault}:path=/api*,times=1`);
    expect(await rehearsal.ask('get_me')).toMatchObject({ isError: false });
    expect(rehearsal.sandbox.stats.exchanges).toBe(before + 1);
  });

  test('that is refused for ever is exchanged once a call, and a person is called', async () => {
    const before = rehearsal.sandbox.stats.exchanges;
    rehearsal.sandbox.control.inject('401:path=/api*');
    const { text, isError } = await rehearsal.ask('get_me');
    expect(isError).toBe(true);
    expect(text).toMatch(/answered 401: .*trace_id/);
    expect(text).toContain('A person must issue a new key');
    expect(rehearsal.sandbox.stats.exchanges).toBe(before + 1);
  });

  test('whose end 50 calls meet at once is exchanged once', async () => {
    const before = rehearsal.sandbox.stats.exchanges;
    rehearsal.sandbox.control.expireTokens();
    const answers = await askAtOnce(50);
    expect(answers.filter(({ isError }) => isError)).toEqual([]);
    expect(new Set(answers.map(({ rows }) => rows[0]?.id)).size).toBe(50);
    expect(rehearsal.sandbox.stats.exchanges).toBe(before + 1);
  });

  test('that lives two seconds serves as well as any', async () => {
    const brief = await openHere({ tokenLifetimeSeconds: 2, latencyMs: 50 });
    while (brief.sandbox.stats.exchanges < 4) {
      const answers = await askAtOnce(8, brief);
      expect(answers.filter(({ isError }) => isError)).toEqual([]);
    }
    expect(brief.sandbox.stats.byStatus[401]).toBeUndefined();
    expect(brief.slips()).toEqual([]);
  });

  test('whose key is revoked in the middle of a drain ends it in the words for it', async () => {
    const drained = await openHere({ latencyMs: 50 });
    const { control, clientId } = drained.sandbox;
    const revoked = await drained.ask(
      'list_orders',
      { period: 'last_90_days', all: true },
      { onprogress: () => control.revokeKey(clientId) },
    );
    expect(revoked).toMatchObject({ isError: true, rows: [] });
    expect(revoked.text).toMatch(/this API key: it was revoked or rolled/);
    expect(revoked.text).toContain('A person must issue a new key');
    control.restoreKey(clientId);
    expect(await drained.ask('get_me')).toMatchObject({ isError: false });
    expect(drained.slips()).toEqual([]);
  });
});

describe('an exchange', () => {
  const tokenPath = 'path=/oauth/token';

  test.each([
    ...['500', '502', '503', 'html', 'echo', 'reset', 'reset-body', 'slow', 'drip:ms=150'],
    ...['content-type', '429'],
  ])('that fails once (%s) is made again', async (fault) => {
    const { control } = rehearsal.sandbox;
    control.expireTokens();
    control.inject(`${fault}${fault.includes(':') ? ',' : ':'}${tokenPath},times=1`);
    const { isError, text } = await rehearsal.ask('get_me');
    expect(isError, text).toBe(false);
  });

  test.each<[fault: string, says: RegExp]>([
    ['502', /No access token: POST to the token endpoint answered 502/],
    ['html', /No access token: POST to the token endpoint answered 503: <html>/],
    ['echo', /answered 502: .*Basic \*\*\*/],
    ['empty', /POST to the token endpoint gave no usable access_token/],
    ['cut', /POST to the token endpoint gave no usable access_token/],
    ['malformed', /POST to the token endpoint gave no usable access_token/],
    ['reset', /POST to the token endpoint: the connection was (reset|closed)/],
    ['slow', /the authorization server did not answer within 1 s/],
    ['huge', /answered with more than 1 MB/],
    ['redirect', /answered 302, a redirect to http:\S+, which is not followed/],
    ['redirect-308', /answered 308, a redirect to http:\S+, which is not followed/],
  ])('that fails for ever (%s) is explained by the deadline', async (fault, says) => {
    const { control } = rehearsal.sandbox;
    control.expireTokens();
    const value = fault.startsWith('redirect') ? `,value=${foreign.url}/oauth/token` : '';
    control.inject(`${fault}:${tokenPath}${value}`);
    const answer = await rehearsal.ask('get_me');
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(says);
    expect(answer.tookMs).toBeLessThan(deadlineMs);
  });
});

describe('discovery that fails from the start', () => {
  test.each<[fault: string, says: RegExp]>([
    ['503', /oauth-authorization-server answered 503/],
    ['html', /oauth-authorization-server answered 503: <html>/],
    ['empty', /names no token_endpoint; check the address/],
    ['cut', /names no token_endpoint; check the address/],
    ['reset', /the connection was (reset|closed)/],
    ['slow', /the authorization server did not answer within 1 s/],
    ['redirect', /a redirect to http:\S+, which is not followed/],
    ['redirect-308', /a redirect to http:\S+, which is not followed/],
    ['foreign-endpoint', /names a token endpoint at http:\S+, not at http:\S+: the secret is not/],
  ])('(%s) is explained, and over once it is back', async (fault, says) => {
    const value = /^(redirect|foreign)/.test(fault) ? `,value=${foreign.url}/oauth/token` : '';
    const down = await openHere({ faults: `${fault}:path=/.well-known*${value}` });
    const { tools } = await down.connection.listTools();
    expect(tools.length).toBeGreaterThan(24);
    const answer = await down.ask('get_me');
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(says);
    expect(answer.tookMs).toBeLessThan(deadlineMs);
    down.sandbox.control.clearFaults();
    expect(await down.ask('get_me')).toMatchObject({ isError: false });
    expect(down.slips()).toEqual([]);
  });
});

describe('a redirect of an answer', () => {
  test.each([
    ['redirect', 'another'],
    ['redirect-308', 'another'],
    ['redirect', 'its own'],
    ['redirect-308', 'its own'],
  ])('(%s) to %s origin is not followed', async (fault, whose) => {
    const value = whose === 'another' ? `${foreign.url}/api/order` : '/api/shop';
    rehearsal.sandbox.control.inject(`${fault}:path=/api/order,value=${value}`);
    const answer = await rehearsal.ask('list_orders', { period: 'yesterday' });
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/GET \/api\/order answered 30[28], a redirect.* is not followed/);
  });
});
