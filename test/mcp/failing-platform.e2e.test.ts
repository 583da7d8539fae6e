import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type Connection, connect } from './clients.ts';
import { account } from './spawn.ts';

let sandbox: Sandbox;
let connection: Connection;

beforeAll(async () => {
  sandbox = await startSandbox({ quota: 6000 });
  connection = await connect({ args: ['stdio'], settings: account(sandbox) });
});

afterEach(() => sandbox.control.clearFaults());

afterAll(async () => {
  await connection.close();
  await sandbox.close();
});

describe('an ailing platform', () => {
  test('that answers 502 is asked four times, then explained', async () => {
    sandbox.control.inject('502:path=/api/report/daily-close');
    const before = sandbox.stats.byStatus[502] ?? 0;
    const answer = await connection.call('get_daily_close', { date: 'today' });
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/^get_daily_close: GET \/api\/report\/daily-close answered 502/);
    expect(answer.text).toMatch(/trace_id [\w-]{8,}/);
    expect(answer.text).toContain('try again in a little while');
    expect(sandbox.stats.byStatus[502]).toBe(before + 4);
  });

  test('that answers 502 once is not noticed', async () => {
    sandbox.control.inject('502:path=/api/me,times=1');
    expect(await connection.call('get_me')).toMatchObject({ isError: false });
  });

  test('whose token expired is asked again with a new one', async () => {
    const before = sandbox.stats.exchanges;
    sandbox.control.expireTokens();
    expect(await connection.call('get_me')).toMatchObject({ isError: false });
    expect(sandbox.stats.exchanges).toBe(before + 1);
  });

  test('that has no budget left within the longest wait says when to come back', async () => {
    const scarce = await startSandbox({ quota: 1, windowSeconds: 3600 });
    const settings = { ...account(scarce), COMMERCE_MAX_WAIT_SECONDS: '0' };
    const frugal = await connect({ args: ['stdio'], settings });
    await frugal.call('get_me');
    const answer = await frugal.call('get_me');
    expect(answer.text).toMatch(/^get_me: .*rate budget of this API key is used up/);
    expect(answer.text).toMatch(/Try again in \d+ seconds\./);
    expect(scarce.stats.refused).toBe(0);
    await frugal.close();
    await scarce.close();
  });

  test('that has gone is named by its address', async () => {
    const gone = await startSandbox();
    const left = await connect({ args: ['stdio'], settings: account(gone) });
    await left.call('get_me');
    await gone.close();
    const answer = await left.call('get_me');
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain(`get_me: GET /api/me: nothing answers (ECONNREFUSED)`);
    expect(answer.text).toContain(gone.baseUrl);
    expect(answer.text).toContain('try again in a little while');
    await left.close();
  });
});

describe('a key that no longer works', () => {
  test.each(['revoked', 'mistyped'])('because it was %s needs a person', async (reason) => {
    const { clientId, clientSecret } = sandbox.keys.faceless;
    const secret = reason === 'mistyped' ? 'mistyped-secret' : clientSecret;
    const settings = account(sandbox, { clientId, clientSecret: secret });
    const refused = await connect({ args: ['stdio'], settings });
    if (reason === 'revoked') {
      await refused.call('get_me');
      sandbox.control.revokeKey(clientId);
    }
    const answer = await refused.call('get_me');
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/^get_me: /);
    expect(answer.text).toMatch(/revoked or rolled/);
    expect(answer.text).toMatch(/A person must issue a new key/);
    expect(answer.text).not.toMatch(/sandbox-secret|mistyped-secret/);
    await expect(refused.read('commerce://access')).rejects.toThrow(/issue a new key/);
    sandbox.control.restoreKey(clientId);
    await refused.close();
  });
});
