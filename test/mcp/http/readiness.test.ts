import { describe, expect, test, vi } from 'vitest';
import { clientMessages } from '../../../src/client/messages.ts';
import { responseOf } from '../../../src/client/request/get.ts';
import type { ClientEvent } from '../../../src/client/transport/runtime.ts';
import { type ErrorCode, PlatformError } from '../../../src/core/errors.ts';
import { createReadiness } from '../../../src/mcp/http/readiness.ts';
import { Activity } from '../../../src/mcp/telemetry/call-tracking.ts';
import { keepLog, serverOver } from '../../server-over.ts';

const ok = { token: 'ok', platform: 'ok' };

function answered(status: number, endpoint = 'GET /api/me'): ClientEvent {
  return { event: 'request', endpoint, status, durationMs: 5, attempt: 1, traceId: undefined };
}

function failure(code: ErrorCode, status?: number) {
  return new PlatformError(code, clientMessages.no_list({ endpoint: 'acme.example.com' }), {
    status,
  });
}

/** Readiness on a clock of its own; `get` is what it asks for itself. */
function start() {
  let nowMs = 0;
  const get = vi.fn(async () => responseOf({ body: {}, readAtMs: 0, size: 0 }, false));
  const activity = new Activity();
  const noteTrouble = vi.fn();
  const check = createReadiness({ get }, activity, noteTrouble, () => nowMs);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { get, check, pass, noteTrouble, happens: (event: ClientEvent) => activity.notice(event) };
}

describe('readiness', () => {
  test('readiness asks the platform itself without a recent call, and keeps the answer for half a minute', async () => {
    const { get, check, pass } = start();
    expect(await check()).toEqual(ok);
    pass(29_999);
    await check();
    expect(get).toHaveBeenCalledOnce();
    pass(1);
    await check();
    expect(get).toHaveBeenCalledTimes(2);
  });

  test('readiness logs once a minute that calls fail', () => {
    const { happens, noteTrouble, pass } = start();
    for (const status of [200, 502, 200, 0]) happens(answered(status));
    expect(noteTrouble.mock.calls).toEqual([[{ ...ok, platform: 'answers with an error' }]]);
    pass(60_000);
    happens(answered(0));
    expect(noteTrouble).toHaveBeenCalledTimes(2);
  });

  test.each([
    [403, 'ok'],
    [502, 'answers with an error'],
    [401, 'answers with an error'],
    [0, 'cannot be reached'],
  ])(
    'readiness learns from a call that got %i, for five seconds and without asking',
    async (status, platform) => {
      const { get, check, happens, pass } = start();
      happens(answered(status));
      expect(await check()).toEqual({ ...ok, platform });
      pass(4999);
      await check();
      expect(get).not.toHaveBeenCalled();
      pass(1);
      expect(await check()).toEqual(ok);
      expect(get).toHaveBeenCalledOnce();
    },
  );

  test.each<[ErrorCode, number | undefined, string]>([
    ['rate_limited', undefined, 'ok'],
    ['upstream_failed', 502, 'answers with an error'],
    ['unreachable', undefined, 'cannot be reached'],
    ['cancelled', undefined, 'gives no answer in time'],
  ])('readiness takes %s (%s) of its own call for: %s', async (code, status, platform) => {
    const { get, check } = start();
    get.mockRejectedValue(failure(code, status));
    expect(await check()).toEqual({ ...ok, platform });
  });

  test.each<[ErrorCode, string]>([
    ['key_refused', 'the API key is refused: a person must issue a new one'],
    ['unreachable', 'cannot be reached'],
    ['exchange_failed', 'answers with an error'],
  ])('readiness says that the token is missing: %s', async (failed, token) => {
    const { get, check, happens } = start();
    get.mockImplementation(async () => {
      happens({ event: 'exchange', durationMs: 5, failed });
      throw failure(failed);
    });
    expect(await check()).toEqual({ token, platform: 'not asked' });
  });

  test('readiness takes the description of the platform for no answer', async () => {
    const { get, check, happens } = start();
    get.mockRejectedValue(failure('upstream_failed', 502));
    happens(answered(200, 'GET /openapi.json'));
    expect(await check()).toEqual({ ...ok, platform: 'answers with an error' });
  });
});

test('a server says that its audit cannot be written', async () => {
  const log = { ...keepLog([]), auditProblem: () => 'ENOSPC' };
  const server = await serverOver('http', { log });
  const ready = await fetch(`${server.origin}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([
    200,
    { checks: { audit: expect.stringContaining('(ENOSPC)') } },
  ]);
  expect(await server.metric('commerce_mcp_audit_broken')).toBe(1);
});
