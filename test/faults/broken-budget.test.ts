import { describe, expect, test } from 'vitest';
import { withFaultyServer } from './faulty-server.ts';

// Each has a server of its own and mostly waits: several run at a time. How long is waited for after other answers, and
// that it ends, is told on a fake clock (client/request/attempts.test.ts).
describe.concurrent('a 429', () => {
  test('a refusal for two hours is answered at once with the hour, also to a list with all', () =>
    withFaultyServer({}, async ({ ask, sandbox }) => {
      await ask('get_me');
      sandbox.control.inject('429:path=/api/order,value=7200');
      for (const all of [false, true]) {
        const { failure, text } = await ask('list_orders', { period: 'yesterday', all });
        expect(failure).toMatchObject({ code: 'rate_limited' });
        expect(Object(failure).retry_after_seconds).toBeGreaterThan(7100);
        expect(text).toMatch(/ask again at \d{4}-\d\d-\d\d \d\d:\d\d\./);
      }
      expect(sandbox.stats.byPath['/api/order']).toBe(1);
    }));
});

describe.concurrent('rate headers', () => {
  test('refusals of a quota that shrinks during a long list stretch it, and lose nothing', () =>
    withFaultyServer(
      { quota: 40, windowSeconds: 1, latencyMs: 50, ordersPerDay: 60 },
      async ({ ask, sandbox }) => {
        const list = await ask(
          'list_orders',
          { period: 'last_90_days', all: true },
          { onprogress: () => sandbox.control.setQuota(4) },
        );
        expect(list.isError, list.text).toBe(false);
        expect(list.context).toMatchObject({ result: { rows: list.body.total } });
        expect(list.context.warnings).toBeUndefined();
        expect(await ask('get_me')).toMatchObject({ isError: false });
      },
    ));
});
