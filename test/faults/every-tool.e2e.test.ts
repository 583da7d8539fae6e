import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { anOrder, questions } from '../samples.ts';
import {
  openFaultyServer,
  patienceFor,
  spawnFaultyServer,
  withFaultyServer,
} from './faulty-server.ts';

/** One of each kind: names, pages, a feed, a report, an analysis, a statement. */
const afterwards: readonly [tool: string, args?: JsonObject][] = [
  ['list_stock'],
  ['list_orders', { period: 'yesterday', all: true }],
  ['list_order_changes', { since: 'yesterday' }],
  ['get_daily_close', { date: 'yesterday' }],
  ['compare_turnover', { period: 'yesterday' }],
  ['query', { sql: 'SELECT count(*) FROM shops' }],
];

// Each has a server of its own and mostly waits: several run at a time.
describe.concurrent('every tool', () => {
  test.each([
    // One as users start it: what it prints on stderr is looked through as well.
    ['502', spawnFaultyServer] as const,
    ...[
      'body=cut',
      'reset',
      'slow',
      'list=null',
      'list=high-total',
      'list=stuck',
      'limits=odd',
    ].map((fault) => [fault, openFaultyServer] as const),
  ])('answers while the platform gives %s, and well once that is over', (fault, open) => {
    // A broken answer is asked for once more, and no oftener.
    const settings = { ...patienceFor(fault), COMMERCE_MAX_WAIT_SECONDS: '1' };
    const options = { faults: `${fault}:path=/api*`, ordersPerDay: 12, settings };
    const trial = async ({ ask, sandbox }: Awaited<ReturnType<typeof open>>) => {
      const asked = questions({ orderId: anOrder(sandbox.world) }).map(async ([tool, args]) => {
        const { text } = await ask(tool, args);
        expect(text).toMatch(new RegExp(`^${tool}[: ]`));
        expect(text).not.toContain('Something unexpected');
      });
      await Promise.all(asked);
      sandbox.control.clearFaults();
      const isWell = async () => {
        const answers = await Promise.all(afterwards.map((given) => ask(...given)));
        return answers.every(({ isError }) => !isError);
      };
      // A busy machine takes longer than the second that a call has here.
      await vi.waitUntil(isWell, { timeout: 30_000 });
    };
    return withFaultyServer(options, trial, open);
  });
});
