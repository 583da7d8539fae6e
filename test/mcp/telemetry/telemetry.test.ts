import { describe, expect, test } from 'vitest';
import type { ClientEvent } from '../../../src/client/transport/runtime.ts';
import {
  auditCalls,
  createActivity,
  type EndedCall,
} from '../../../src/mcp/telemetry/call-tracking.ts';
import { createLineWriter } from '../../../src/mcp/telemetry/stderr.ts';
import { keepLog, type LogLine } from '../../server-over.ts';

const getMe = { tool: 'get_me', caller: 'alice' };

function request(traceId?: string): ClientEvent {
  return { event: 'request', endpoint: 'GET /x', status: 200, durationMs: 1, attempt: 1, traceId };
}

function start() {
  let nowMs = 0;
  const activity = createActivity(() => nowMs);
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

describe('the audit line', () => {
  test('leaves the caller out where nobody is told apart, and is written at its level', async () => {
    const { activity } = start();
    const lines: LogLine[] = [];
    auditCalls(activity, keepLog(lines), 'debug');
    await activity.track({ tool: 'get_me', caller: undefined }, async () => {});
    const facts = {
      tool: 'get_me',
      outcome: 'ok',
      duration_ms: 0,
      upstream_requests: 0,
      trace_ids: [],
    };
    expect(lines).toEqual([{ level: 'debug', message: 'call', facts }]);
  });
});

describe('a line writer', () => {
  test('never throws, and says how many lines a full disk cost', () => {
    let isFull = false;
    const written: string[] = [];
    const writer = createLineWriter((line) => {
      if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      written.push(line);
    });
    writer.write('one\n');
    isFull = true;
    for (const line of ['two\n', 'three\n']) writer.write(line);
    isFull = false;
    writer.write('four\n');
    expect(written).toEqual(['one\n', expect.stringContaining('"lines":2'), 'four\n']);
  });

  test('waits for a reader that hangs once, and not with every line', () => {
    const patience: boolean[] = [];
    const writer = createLineWriter((_, isPatient) => {
      patience.push(isPatient);
      throw Object.assign(new Error('full'), { code: 'EAGAIN' });
    });
    for (const line of ['one\n', 'two\n', 'three\n']) writer.write(line);
    expect(patience).toEqual([true, false, false]);
  });
});
