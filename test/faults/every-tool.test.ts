import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { anOrder, questions } from '../samples.ts';
import { accounts } from '../server-over.ts';
import { patienceFor, withFaultyServer } from './faulty-server.ts';

/** One of each kind: names, pages, a feed, a report, an analysis, a statement. */
const afterwards: readonly [tool: string, args?: JsonObject][] = [
  ['list_stock'],
  ['list_orders', { period: 'yesterday', all: true }],
  ['list_order_changes', { since: 'yesterday' }],
  ['get_daily_close', { date: 'yesterday' }],
  ['compare_turnover', { period: 'yesterday' }],
  ['query', { sql: 'SELECT count(*) FROM shops' }],
];

describe.each(accounts)('over an account ($description, $dialect)', (account) => {
  // Each has a server of its own and mostly waits: several run at a time.
  describe.concurrent('every tool', () => {
    const rowFaults = ['list=null', 'list=high-total', 'list=stuck'];
    // Faults of the transport know no names.
    const transportFaults =
      account.dialect === 'plain' ? ['502', 'body=cut', 'reset', 'slow', 'limits=odd'] : [];
    test.each([...transportFaults, ...rowFaults])(
      'answers while the platform gives %s, and well once that is over',
      (fault) => {
        // A broken answer is asked for once more, and no oftener.
        const settings = { ...patienceFor(fault), COMMERCE_MAX_WAIT_SECONDS: '1' };
        const options = { ...account, faults: `${fault}:path=/api*`, ordersPerDay: 3, settings };
        return withFaultyServer(options, async ({ ask, sandbox, hurry }) => {
          hurry(fault);
          const asked = questions({ orderId: anOrder(sandbox.world) }).map(async ([tool, args]) => {
            const { text } = await ask(tool, args);
            expect(text).toMatch(new RegExp(`^${tool}[: ]`));
            expect(text).not.toContain('Something unexpected');
          });
          await Promise.all(asked);
          sandbox.control.clearFaults();
          hurry();
          const isWell = async () => {
            const answers = await Promise.all(afterwards.map((given) => ask(...given)));
            return answers.every(({ isError }) => !isError);
          };
          // A busy machine takes longer than the second that a call has here.
          await vi.waitUntil(isWell, { timeout: 30_000 });
        });
      },
    );
  });
});
