import { describe, expect, onTestFinished, test } from 'vitest';
import { openRehearsal, type Rehearsal, type RehearsalOptions } from './faulty-server.ts';

async function openHere(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const opened = await openRehearsal(options);
  onTestFinished(async () => {
    const slips = opened.slips();
    await opened.close();
    expect(slips).toEqual([]);
  });
  await opened.connection.listTools();
  return opened;
}

describe('a 429', () => {
  test.each([
    ['of a second', '1', 900],
    ['of no time', '0', 900],
    ['of a fraction', '0.5', 0],
    ['of less than nothing', '-1', 0],
    ['in words', 'soon', 0],
    ['in more than a number holds', '1e99', 0],
    ['until long ago', 'Thu, 01 Jan 1970 00:00:00 GMT', 900],
  ])('with a Retry-After %s (%s) is waited out and asked again', async (_, value, atLeastMs) => {
    const { ask, sandbox } = await openHere({ windowSeconds: 1 });
    await ask('get_me');
    sandbox.control.inject({ kind: '429', path: '/api/me', times: 1, value });
    const { isError, text, tookMs } = await ask('get_me');
    expect(isError, text).toBe(false);
    expect(tookMs).toBeGreaterThanOrEqual(atLeastMs);
    expect(sandbox.stats.byStatus[429]).toBe(1);
    expect(await ask('list_shops')).toMatchObject({ isError: false });
  });

  test('without Retry-After is waited out until the window rolls', async () => {
    const { ask, sandbox } = await openHere({ windowSeconds: 1 });
    await ask('get_me');
    sandbox.control.inject('429-bare:path=/api/me,times=1');
    expect(await ask('get_me')).toMatchObject({ isError: false });
    expect(await ask('list_shops')).toMatchObject({ isError: false });
  });

  test.each([
    ['a minute', '60', 60],
    ['thirty years', '999999999', 60],
    ['until the end of days', 'Fri, 31 Dec 9999 23:59:59 GMT', 60],
  ])(
    'that asks for %s is answered at once, with a time to come back',
    async (_, value, seconds) => {
      const { ask, sandbox } = await openHere();
      await ask('get_me');
      sandbox.control.inject({ kind: '429', path: '/api/me', times: 1, value });
      const { isError, text, tookMs } = await ask('get_me');
      expect(isError).toBe(true);
      expect(text).toMatch(/rate budget of this API key is used up/);
      expect(Number(/Try again in (\d+) seconds/.exec(text)?.[1])).toBeLessThanOrEqual(seconds + 1);
      expect(tookMs).toBeLessThan(1000);
      expect(sandbox.stats.byPath['/api/me']).toBe(2);
    },
  );

  test('for ever ends within the longest wait, after few requests', async () => {
    const { ask, sandbox } = await openHere();
    await ask('get_me');
    sandbox.control.inject('429:path=/api/me,value=0');
    const { isError, text, tookMs } = await ask('get_me');
    expect(isError).toBe(true);
    expect(text).toMatch(/rate budget .*is used up/);
    expect(tookMs).toBeLessThan(6000);
    expect(sandbox.stats.byStatus[429]).toBeLessThan(5);
  });
});

describe('rate headers', () => {
  test.each(['no-limits', 'bad-limits', 'odd-limits'])(
    'that are broken (%s) hold nothing up',
    async (fault) => {
      const settings = { COMMERCE_MAX_WAIT_SECONDS: '10' };
      const { ask } = await openHere({ faults: `${fault}:path=/api*`, settings });
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, start) => ask('search_products', { start, limit: 1 })),
      );
      expect(answers.filter(({ isError }) => isError).map(({ text }) => text)).toEqual([]);
      expect(new Set(answers.map(({ rows }) => rows[0]?.id)).size).toBe(20);
    },
  );

  test.each(['no-limits', 'bad-limits', 'odd-limits'])(
    'that break on every other answer (%s) hold nothing up, and draw no 429',
    async (fault) => {
      const { ask, sandbox } = await openHere({ quota: 40, windowSeconds: 1 });
      sandbox.control.inject(`${fault}:path=/api*,every=2`);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, start) => ask('search_products', { start, limit: 1 })),
      );
      expect(answers.filter(({ isError }) => isError).map(({ text }) => text)).toEqual([]);
      expect(sandbox.stats.refused).toBe(0);
    },
  );

  test('of a quota that shrinks in the middle of a drain stretch it, and lose nothing', async () => {
    const { ask, sandbox } = await openHere({ quota: 40, windowSeconds: 1, latencyMs: 50 });
    const drained = await ask(
      'list_orders',
      { period: 'last_90_days', all: true },
      { onprogress: () => sandbox.control.setQuota(4) },
    );
    expect(drained.isError, drained.text).toBe(false);
    expect(drained.context).toMatchObject({ result: { rows: drained.structured.total } });
    expect(drained.context.warnings).toBeUndefined();
    expect(await ask('get_me')).toMatchObject({ isError: false });
  });
});
