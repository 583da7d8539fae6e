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
  const activity = new Activity();
  const ended: EndedCall[] = [];
  activity.on('call', (call) => ended.push(call));
  return { activity, ended };
}

describe('an activity', () => {
  test('tells the outcome that was reported, and takes what is thrown without one for a fault', async () => {
    const { activity, ended } = start();
    await activity.track(getMe, async (report) => report({ outcome: 'not_found' }));
    const thrown = activity.track(getMe, () => Promise.reject(new Error('broken')));
    await expect(thrown).rejects.toThrow('broken');
    const refused = activity.track(getMe, async (report) => {
      report({ outcome: 'unknown_tool' });
      throw new Error('no such tool');
    });
    await expect(refused).rejects.toThrow('no such tool');
    const outcomes = ended.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['not_found', 'unexpected', 'unknown_tool']);
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
