import fs, { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ClientEvent } from '../../../src/client/transport/runtime.ts';
import {
  Activity,
  currentHeaders,
  type EndedCall,
} from '../../../src/mcp/telemetry/call-tracking.ts';
import { checkAuditFile, createLog, withAccount } from '../../../src/mcp/telemetry/log.ts';
import { folderWith } from '../../setup/folder.ts';

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

  test('hands on which request it serves, to what it asks meanwhile alone', async () => {
    const { activity } = start();
    const origin = { request_id: 'proxy-1', traceparent: '00-1-2-01', remote: '::1' };
    const asked = activity.track({ ...getMe, origin }, async () => {
      await new Promise(setImmediate);
      return currentHeaders();
    });
    expect(currentHeaders()).toEqual({});
    expect(await asked).toEqual({ 'x-request-id': 'proxy-1', traceparent: '00-1-2-01' });
  });

  test('names a request to the platform once, and never by its own id', async () => {
    const { activity, ended } = start();
    await activity.track({ ...getMe, origin: { request_id: 'own' } }, async () => {
      for (const id of ['own', 'own', 'a', 'own', 'a', 'b']) activity.notice(request(id));
    });
    expect(ended[0]).toMatchObject({ upstreamRequests: 6, traceIds: ['a', 'b'] });
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

test('an audit is written whatever the level of the log, to a file of its own', async () => {
  const folder = folderWith();
  const file = join(folder, 'audit.log');
  const log = withAccount(createLog('silent', { auditFile: file }), 'utrecht');
  log.error({}, 'not written');
  log.audit({ caller: 'alice' }, 'call');
  const lines = () => readFileSync(file, 'utf8').trim().split('\n');
  await vi.waitFor(() => expect(lines()[0]).toContain('alice'));
  expect(lines().map((line) => JSON.parse(line))).toMatchObject([
    { account: 'utrecht', caller: 'alice', msg: 'call' },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an audit on a full disk says so, and goes on where it stopped', async () => {
  const folder = folderWith();
  const [file, printed] = [join(folder, 'audit.log'), join(folder, 'log')];
  const descriptor = openSync(printed, 'w');
  onTestFinished(() => closeSync(descriptor));
  const log = createLog('info', { auditFile: file, descriptor });
  const write = fs.writeSync;
  let room = 10;
  vi.spyOn(fs, 'writeSync').mockImplementation((to: number, data: unknown) => {
    if (to === descriptor) return write(to, String(data));
    const bytes = Buffer.from(data instanceof Buffer ? data : String(data)).subarray(0, room);
    room -= bytes.length;
    if (bytes.length === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    return write(to, bytes);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  log.audit({ caller: 'alice' }, 'call');
  await vi.waitFor(() => expect(log.auditProblem()).toBe('ENOSPC'));
  expect(readFileSync(file, 'utf8')).toHaveLength(10);
  room = Number.POSITIVE_INFINITY;
  log.audit({ caller: 'bob' }, 'call');
  await vi.waitFor(() => expect(log.auditProblem()).toBeUndefined());
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ caller }) => caller)).toEqual(['alice', 'bob']);
  await vi.waitFor(() => expect(readFileSync(printed, 'utf8')).toMatch(/cannot.*\n.*again/));
});

describe('a file for the audit', () => {
  test.each(['.', 'none/audit.log', '/dev/full', '/dev/null'])('is not %s', (path) => {
    expect(() => checkAuditFile(join(path.startsWith('/') ? '' : folderWith(), path))).toThrow(
      'COMMERCE_AUDIT_FILE unusable_path',
    );
  });

  test.each([
    ['{"a":1}\n{"b', '{"a":1}\n{"b\n'],
    ['{"a":1}\n', '{"a":1}\n'],
    ['', ''],
  ])('that ends as %j goes on with a line of its own', (before, after) => {
    const path = join(folderWith({ 'audit.log': before }), 'audit.log');
    checkAuditFile(path);
    expect(readFileSync(path, 'utf8')).toBe(after);
  });

  test('is made for its owner alone', () => {
    const path = join(folderWith(), 'audit.log');
    checkAuditFile(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

describe.skipIf(!existsSync('/dev/full'))('a log on a full disk', () => {
  test('loses its lines and never throws', async () => {
    const disk = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(disk));
    const log = createLog('info', { descriptor: disk });
    const { pino } = await import('pino');
    expect(pino).toBeDefined();
    for (let line = 0; line < 5; line += 1) {
      log.warn({ line }, 'lost');
      await new Promise(setImmediate);
    }
  });
});
