import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { accounts } from '../server-over.ts';
import {
  type FaultyServer,
  openFaultyServer,
  patienceFor,
  withFaultyServer,
} from './faulty-server.ts';

describe.each(accounts)('over an account ($description, $dialect)', (account) => {
  let server: FaultyServer;
  let total: unknown;
  let right: JsonObject[];

  const wholeMonth = { period: 'last_month', all: true };
  const yesterday = { period: 'yesterday', fields: ['id'] };

  beforeAll(async () => {
    const settings = { COMMERCE_TIMEOUT_SECONDS: '3', COMMERCE_MAX_WAIT_SECONDS: '25' };
    server = await openFaultyServer({ ...account, settings, ordersPerDay: 40 });
    ({ total } = (await server.ask('list_orders', wholeMonth)).body);
    right = (await server.ask('list_orders', yesterday)).rows;
    expect(right.length).toBeGreaterThan(20);
  });

  afterEach(async () => {
    server.sandbox.control.clearFaults();
    expect((await server.ask('list_orders', yesterday)).rows).toEqual(right);
    expect(server.slips()).toEqual([]);
  });

  afterAll(() => server.close());

  describe('a list of many pages', () => {
    // Pages that break know no names.
    const pageFaults = ['502', 'reset=middle', 'body=cut', 'slow', 'expired'];
    test.each(account.dialect === 'plain' ? pageFaults : pageFaults.slice(0, 1))(
      'of which one page in three breaks (%s) is whole',
      async (fault) => {
        server.sandbox.control.inject(`${fault}:path=/api/order,every=3,times=3,ms=5000`);
        const { isError, text, context } = await server.ask('list_orders', wholeMonth);
        expect(isError, text).toBe(false);
        expect(context).toMatchObject({ result: { rows: total } });
        expect(context.warnings).toBeUndefined();
      },
    );

    test.each([
      ['list=high-total:', 'fewer_than_reported'],
      ['list=repeated:', 'fewer_than_reported'],
      ['list=null:after=2,', 'fewer_than_reported'],
      ['list=low-total:', 'more_than_reported'],
    ])('that is wrong about itself (%s) is not called whole, and says why', async (fault, why) => {
      server.sandbox.control.inject(`${fault}path=/api/order`);
      const { isError, text, context, warnings } = await server.ask('list_orders', wholeMonth);
      expect(isError, text).toBe(false);
      expect(context.complete).toBe(false);
      const warning = expect.objectContaining({ code: 'not_whole', why });
      expect(warnings).toContainEqual(warning);
      expect(text).toContain(warnings.find(({ code }) => code === 'not_whole')?.text);
    });
  });

  describe('one page', () => {
    test.each([
      ['list_orders', '/api/order', wholeMonth],
      ['list_tax_rates', '/api/tax-rate', {}],
    ])('of %s with null in place of rows is no empty list', async (tool, path, args) => {
      server.sandbox.control.inject(`list=null:path=${path}`);
      const answer = await server.ask(tool, args);
      expect(answer.isError, answer.text).toBe(true);
      expect(answer.text).toMatch(new RegExp(`^${tool}: GET ${path} `));
    });
  });

  describe('a change feed', () => {
    test('whose cursor does not move ends, and says so', async () => {
      server.sandbox.control.inject('list=stuck:path=/api/order/delta');
      const since = { since: 'last_week', all: true };
      const { isError, context, body, warnings } = await server.ask('list_order_changes', since);
      expect(isError).toBe(false);
      expect(context.complete).toBe(false);
      expect(body.next_cursor).toEqual(expect.any(String));
      expect(server.sandbox.stats.byPath['/api/order/delta']).toBeLessThanOrEqual(3);
      expect(warnings).toContainEqual(
        expect.objectContaining({ code: 'not_whole', why: 'cursor_stands_still' }),
      );
    });
  });

  // Each has a server of its own and mostly waits.
  describe.concurrent('names that cannot be read', () => {
    test.each(['list=null', 'slow'])('(%s) are left out, and it is said', async (fault) => {
      // What is slow is asked for once.
      const settings = { ...patienceFor(fault), COMMERCE_MAX_WAIT_SECONDS: '1' };
      const options = { ...account, faults: `${fault}:path=/api/shop`, settings };
      await withFaultyServer(options, async ({ ask }) => {
        const { isError, text, context, warnings } = await ask('list_orders', {
          period: 'last_week',
        });
        expect(isError, text).toBe(false);
        expect(Object(context.labels).shop_id).toBeUndefined();
        // On a busy machine other names are late as well.
        const unnamed = expect.objectContaining({ code: 'no_names', idField: 'shop_id' });
        expect(warnings).toContainEqual(unnamed);
      });
    });
  });
});
