import { afterEach, describe, expect, test } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { callAs } from './caller.ts';

const started: Sandbox[] = [];
const start = async (options: SandboxOptions = {}) => {
  const sandbox = await startSandbox(options);
  started.push(sandbox);
  return sandbox;
};
afterEach(async () => {
  await Promise.all(started.splice(0).map((sandbox) => sandbox.close()));
});

describe('a sandbox', () => {
  test('generates nothing before it is asked: a chain starts as fast as a shop', async () => {
    await start();
    const before = process.cpuUsage();
    await start({ ordersPerDay: 2000 });
    expect(process.cpuUsage(before).user).toBeLessThan(200_000);
  });

  test('refuses the request beyond its quota and says when to come back', async () => {
    const sandbox = await start({ quota: 3, now: () => Date.parse('2026-11-20T12:00:18Z') });
    const caller = await callAs(sandbox);
    const answers = await Promise.all(Array.from({ length: 5 }, () => caller.get('/api/shop')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBe(2);
    expect(refused[0]?.headers.get('retry-after')).toBe('42');
    expect(refused[0]?.headers.get('ratelimit')).toBe('"general";r=0;t=42');
    expect(refused[0]?.body).toMatchObject({ status: 429, title: 'Too Many Requests' });
    expect(sandbox.stats.refused).toBe(2);
    sandbox.control.rollWindow();
    expect((await caller.get('/api/shop')).status).toBe(200);
    sandbox.control.setQuota(1);
    expect((await caller.get('/api/shop')).headers.get('ratelimit-limit')).toBe('1');
  });

  test('counts what it is asked', async () => {
    const sandbox = await start();
    const caller = await callAs(sandbox);
    await caller.get('/api/customer/20001');
    await caller.get('/api/customer/20002');
    await caller.get('/api/nothing');
    expect(sandbox.stats).toMatchObject({
      requests: 3,
      exchanges: 1,
      inFlight: 0,
      byPath: { '/api/customer/{id}': 2 },
      byStatus: { 200: 2, 404: 1 },
    });
  });

  test('adds latency to its answers and knows how many wait', async () => {
    const naps: number[] = [];
    const held: (() => void)[] = [];
    const sleep = (ms: number) => {
      naps.push(ms);
      return new Promise<void>((resolve) => held.push(resolve));
    };
    const sandbox = await start({ latencyMs: 50, sleep });
    const caller = await callAs(sandbox);
    const answers = Array.from({ length: 20 }, () => caller.get('/api/shop'));
    await expect.poll(() => held.length).toBe(20);
    for (const release of held) release();
    await Promise.all(answers);
    expect(naps).toEqual(Array(20).fill(50));
    expect(sandbox.stats.maxInFlight).toBe(20);
  });

  test('closes at once with connections open, and a second time without complaint', async () => {
    const sandbox = await start({ latencyMs: 60_000 });
    const caller = await callAs(sandbox);
    const hanging = caller.get('/api/shop').catch((error: unknown) => error);
    await expect.poll(() => sandbox.stats.inFlight).toBe(1);
    await sandbox.close();
    await sandbox.close();
    expect(await hanging).toBeInstanceOf(Error);
  });

  test('refuses faults that it cannot read, before it listens', async () => {
    await expect(startSandbox({ faults: 'flood' })).rejects.toThrow(/"flood" is no kind of fault/);
  });

  test('survives any path and any query', async () => {
    const sandbox = await start();
    const caller = await callAs(sandbox);
    for (const path of [
      '/',
      '/api',
      '/api/order/%',
      '/api/order?from=%E0%A4%A',
      '/api//order',
      '/API/shop',
    ]) {
      const { status } = await caller.get(path);
      expect([400, 404], path).toContain(status);
    }
  });
});
