import { describe, expect, test, vi } from 'vitest';
import type { FleetStatus } from '../../../src/client/fleet/fleet.ts';
import type { ClientEvent } from '../../../src/client/transport/runtime.ts';
import { PlatformError } from '../../../src/core/errors.ts';
import { createReadiness } from '../../../src/mcp/http/readiness.ts';

const exchanged: ClientEvent = { event: 'exchange', durationMs: 5, expiresInSeconds: 900 };

function answered(status: number, endpoint = 'GET /api/me'): ClientEvent {
  const traceId = undefined;
  return { event: 'request', endpoint, status, durationMs: 5, attempt: 1, traceId };
}

function failure(code: 'unreachable' | 'key_refused' | 'upstream_failed', status?: number) {
  return new PlatformError(code, 'acme.example.com said no', { endpoint: 'GET /x', status });
}

function start(fleet?: FleetStatus) {
  let nowMs = 0;
  let listener: (event: ClientEvent) => void = () => {};
  const client = {
    checkExchange: vi.fn(async () => {
      listener(exchanged);
      return { expiresInSeconds: 900, clockSkewSeconds: undefined };
    }),
    get: vi.fn(async () => ({ body: {}, rows: [], readAtMs: 0, cached: false })),
  };
  const activity = {
    onEvent: (given: (event: ClientEvent) => void) => {
      listener = given;
    },
  };
  const check = createReadiness({
    client,
    activity,
    elapsed: () => nowMs,
    ...(fleet && { fleet: { status: () => fleet } }),
  });
  return {
    client,
    check,
    happens: (event: ClientEvent) => listener(event),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('readiness', () => {
  test('asks for a token and an answer when nothing has passed yet', async () => {
    const { client, check } = start();
    expect(await check()).toEqual({ isReady: true, checks: { token: 'ok', platform: 'ok' } });
    expect(client.checkExchange).toHaveBeenCalledOnce();
    expect(client.get).toHaveBeenCalledOnce();
  });

  test.each<[FleetStatus, string]>([
    [{ state: 'shared', replicas: 4 }, 'ok'],
    [{ state: 'alone', replicas: 4 }, 'Redis is away: paces itself as one of 4'],
  ])('says whether the budget is shared, and is ready all the same: %j', async (status, fleet) => {
    const { check } = start(status);
    const checks = { token: 'ok', platform: 'ok', fleet };
    expect(await check()).toEqual({ isReady: true, checks });
  });

  test('asks nothing while calls pass', async () => {
    const { client, check, happens } = start();
    happens(exchanged);
    happens(answered(403));
    expect(await check()).toMatchObject({ isReady: true });
    expect(client.checkExchange).not.toHaveBeenCalled();
    expect(client.get).not.toHaveBeenCalled();
  });

  test('stands for five seconds, however often it is asked', async () => {
    const { client, check, pass } = start();
    await Promise.all([check(), check(), check()]);
    pass(4999);
    await check();
    expect(client.get).toHaveBeenCalledOnce();
    pass(1);
    await check();
    expect(client.get).toHaveBeenCalledOnce();
    // What it asked for alone stands longer: each time costs a request of the budget.
    pass(30_000);
    await check();
    expect(client.get).toHaveBeenCalledTimes(2);
    expect(client.checkExchange).toHaveBeenCalledOnce();
  });

  test('asks for a token again when the last one has run out', async () => {
    const { client, check, pass } = start();
    await check();
    pass(900_000);
    await check();
    expect(client.checkExchange).toHaveBeenCalledTimes(2);
  });

  test.each([
    ['key_refused', 'the API key is refused: a person must issue a new one'],
    ['unreachable', 'cannot be reached'],
    ['upstream_failed', 'answers with an error'],
  ] as const)('says that the token is missing: %s', async (code, says) => {
    const { client, check } = start();
    client.checkExchange.mockRejectedValue(failure(code));
    const { isReady, checks } = await check();
    expect(isReady).toBe(false);
    expect(checks).toEqual({ token: says, platform: 'ok' });
  });

  test('takes a refusal for an answer, and a failure or silence for none', async () => {
    for (const [error, platform] of [
      [failure('upstream_failed', 404), 'ok'],
      [failure('upstream_failed', 502), 'answers with an error'],
      [failure('unreachable'), 'cannot be reached'],
    ] as const) {
      const { client, check } = start();
      client.get.mockRejectedValue(error);
      expect((await check()).checks.platform).toBe(platform);
    }
  });

  test.each([
    [502, 'answers with an error'],
    [401, 'answers with an error'],
    [0, 'cannot be reached'],
  ])(
    'is not ready while calls fail with %i, and is again when one is answered',
    async (status, says) => {
      const { client, check, happens, pass } = start();
      happens(exchanged);
      happens(answered(status));
      expect(await check()).toMatchObject({ isReady: false, checks: { platform: says } });
      pass(4000);
      happens(answered(200));
      pass(1000);
      expect(await check()).toMatchObject({ isReady: true });
      expect(client.get).not.toHaveBeenCalled();
    },
  );

  test('asks again as soon as failing calls have stopped', async () => {
    const { client, check, happens, pass } = start();
    await check();
    happens(answered(502));
    pass(5000);
    expect(await check()).toMatchObject({ isReady: true });
    expect(client.get).toHaveBeenCalledTimes(2);
  });

  test('does not take the description of the platform for an answer', async () => {
    const { client, check, happens } = start();
    client.get.mockRejectedValue(failure('upstream_failed', 502));
    happens(answered(200, 'GET /openapi.json'));
    expect(await check()).toMatchObject({ isReady: false });
  });

  test('sees a key that is revoked later', async () => {
    const { client, check, happens, pass } = start();
    await check();
    happens({ event: 'exchange', durationMs: 5, failed: 'key_refused' });
    client.checkExchange.mockRejectedValue(failure('key_refused'));
    pass(5000);
    expect(await check()).toMatchObject({ isReady: false });
  });

  test('tells nothing of the account', async () => {
    const { client, check } = start();
    client.checkExchange.mockRejectedValue(failure('unreachable'));
    client.get.mockRejectedValue(failure('unreachable'));
    expect(JSON.stringify(await check())).not.toContain('acme');
  });
});
