import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ClientEvent } from '../../../src/client/transport/runtime.ts';
import { Activity, type EndedCall } from '../../../src/mcp/telemetry/call-tracking.ts';
import { createLog } from '../../../src/mcp/telemetry/log.ts';

const getMe = { tool: 'get_me', caller: 'alice' };

function request(traceId?: string): ClientEvent {
  return { event: 'request', endpoint: 'GET /x', status: 200, durationMs: 1, attempt: 1, traceId };
}

function start() {
  let nowMs = 0;
  const activity = new Activity(() => nowMs);
  const ended: EndedCall[] = [];
  activity.onCall((call) => ended.push(call));
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { activity, ended, pass };
}

describe('an activity', () => {
  test('tells who called what, how it ended and how long it took', async () => {
    const { activity, ended, pass } = start();
    const result = await activity.track(getMe, async () => {
      pass(250);
      return 'answer';
    });
    expect(result).toBe('answer');
    expect(ended).toEqual([
      { ...getMe, outcome: 'ok', durationMs: 250, upstreamRequests: 0, traceIds: [] },
    ]);
  });

  test('tells the outcome that was reported, and takes what is thrown without one for a fault', async () => {
    const { activity, ended } = start();
    await activity.track(getMe, async (report) => report('not_found'));
    const thrown = activity.track(getMe, () => Promise.reject(new Error('broken')));
    await expect(thrown).rejects.toThrow('broken');
    const refused = activity.track(getMe, async (report) => {
      report('unknown_tool');
      throw new Error('no such tool');
    });
    await expect(refused).rejects.toThrow('no such tool');
    expect(ended.map(({ outcome }) => outcome)).toEqual([
      'not_found',
      'unexpected',
      'unknown_tool',
    ]);
  });

  test('keeps the requests of calls that run side by side apart', async () => {
    const { activity, ended } = start();
    const call = (tool: string, count: number) =>
      activity.track({ tool, caller: undefined }, async () => {
        for (let index = 0; index < count; index++) {
          await Promise.resolve();
          activity.notice(request(`${tool}-${index}`));
        }
      });
    await Promise.all([call('a', 2), call('b', 3)]);
    expect(ended.map(({ tool, traceIds }) => [tool, traceIds])).toEqual([
      ['a', ['a-0', 'a-1']],
      ['b', ['b-0', 'b-1', 'b-2']],
    ]);
  });

  test('counts every request, and names the first hundred', async () => {
    const { activity, ended } = start();
    await activity.track(getMe, async () => {
      for (let index = 0; index < 150; index++) activity.notice(request(`t${index}`));
      activity.notice(request());
      activity.notice({ event: 'shared', endpoint: 'GET /x', from: 'cache' });
    });
    expect(ended[0]?.upstreamRequests).toBe(151);
    expect(ended[0]?.traceIds).toHaveLength(100);
  });
});

describe.skipIf(!existsSync('/dev/full'))('a log on a full disk', () => {
  test('loses its lines and never throws', async () => {
    const disk = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(disk));
    const log = createLog('info', disk);
    const { pino } = await import('pino');
    expect(pino).toBeDefined();
    for (let line = 0; line < 5; line += 1) {
      log.warn({ line }, 'lost');
      await new Promise(setImmediate);
    }
  });
});
