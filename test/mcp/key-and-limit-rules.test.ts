import { describe, expect, test } from 'vitest';
import { isRecord, parseJson } from '../../src/core/json.ts';
import { callAs, callWith } from '../sandbox/caller.ts';
import { goingOn, serverOver, sharedServer, type TestServer } from '../server-over.ts';

/** The rules of docs/platform.md on access and limits as they show through the server. */

const shared = sharedServer();
const { ask } = shared;

async function rateBudget({ read }: TestServer): Promise<unknown> {
  const [content] = await read('commerce://access');
  const access = parseJson(content?.text ?? '');
  return isRecord(access) ? access.rate_budget : undefined;
}

describe('the key', () => {
  test('is asked with, since the token of a browser session is refused (docs/platform.md#bearer-tokens)', async () => {
    const { sandbox } = shared();
    const token = sandbox.control.mintBrowserToken();
    expect(await callWith(sandbox, token).get('/api/me')).toMatchObject({ status: 401 });
    expect(await ask('get_me')).toMatchObject({ isError: false });
  });

  // docs/platform.md#api-keys and docs/platform.md#me.
  test('get_me tells its account, its lifetime and its capabilities', async () => {
    const { body } = await ask('get_me');
    expect(body).toMatchObject({
      account: { name: 'sandbox' },
      token: { client_id: shared().sandbox.clientId, expires_in: expect.any(Number) },
      authorization: { role: 'owner', capabilities: { 'location.list': true } },
    });
  });

  test('a role that holds nothing shows an empty map, a profile that cannot be looked up null (docs/platform.md#me)', async () => {
    const { sandbox } = shared();
    const powerless = await serverOver('memory', { sandbox, role: 'powerless' });
    const { body: held } = await powerless.ask('get_me');
    expect(held).toMatchObject({ authorization: { capabilities: {} } });
    const faceless = await serverOver('memory', { sandbox, role: 'faceless' });
    const { body } = await faceless.ask('get_me');
    expect(body).toMatchObject({ user: null, roles: null, locked_location: null });
    expect(body.profile_error).toEqual(expect.any(String));
  });

  test('once refused is not exchanged again and again (docs/platform.md#revoked-keys)', async () => {
    const { ask, sandbox } = await serverOver('memory');
    sandbox.control.revokeKey(sandbox.clientId);
    for (let count = 0; count < 3; count += 1)
      expect(await ask('get_me')).toMatchObject({ isError: true });
    expect(sandbox.stats.failedExchanges).toBeLessThanOrEqual(3);
    expect(sandbox.stats.byPath['/api/me'] ?? 0).toBe(0);
  });

  // docs/platform.md#one-key-one-integration, docs/platform.md#request-budget and docs/platform.md#write-ceiling.
  test('shares one budget with whoever else uses it; writes are told apart from reads', async () => {
    const server = await serverOver('memory', { quota: 50, windowSeconds: 3600 });
    await server.ask('get_me');
    const other = await callAs(server.sandbox);
    for (let count = 0; count < 10; count += 1) await other.get('/api/me');
    for (let count = 0; count < 5; count += 1) await other.send('POST', '/api/me');
    await server.ask('get_me');
    // openapi.json and two questions; each write counts for one as well.
    expect(await rateBudget(server)).toMatchObject({ limit: 50, remaining: 32 });
  });

  test('is the only way in; no tool logs in or writes (docs/platform.md#removed-endpoints)', async () => {
    const { tools } = await shared().listTools();
    const names = tools.map(({ name }) => name);
    expect(names.filter((name) => /login|auth|demo/.test(name))).toEqual([]);
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    // It writes to the person's own folder.
    expect(writing.map(({ name }) => name)).toEqual(['export_rows']);
  });
});

describe('the limits', () => {
  test('an answer without the five headers reports no budget, and calls go on (docs/platform.md#rate-headers)', async () => {
    const server = await serverOver('memory', { faults: 'limits=none' });
    const answers = await Promise.all([server.ask('get_me'), server.ask('list_shops')]);
    expect(answers.map(({ isError }) => isError)).toEqual([false, false]);
    expect(await rateBudget(server)).toBe('no budget reported');
  });

  // docs/platform.md#subscription and docs/platform.md#numbers-of-the-limits.
  test('more calls than a window holds are paced by what it says', async () => {
    const paced = { quota: 12, windowSeconds: 2, now: goingOn };
    const { ask, sandbox } = await serverOver('memory', paced);
    const { world, stats } = sandbox;
    const ids = world.orders(world.unbalancedDay.date).slice(0, 20);
    const answers = await Promise.all(ids.map(({ id }) => ask('get_order', { order_id: id })));
    expect(answers.map(({ body }) => body.id)).toEqual(ids.map(({ id }) => id));
    expect(stats.refused).toBe(0);
  });

  test('no page of fewer rows than 1 is asked for (docs/platform.md#page-sizes)', async () => {
    const profiled = await ask('list_product_prices', { limit: 0 });
    expect(profiled.isError, profiled.text).toBe(false);
    expect(profiled.rows).toEqual([]);
    expect(profiled.context.read).toMatchObject({ rows: expect.any(Number) });
  });
});
