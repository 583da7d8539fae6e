import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { anOrder, questions } from '../samples.ts';
import { type FaultyServer, openFaultyServer, spawnFaultyServer } from './faulty-server.ts';

/** Asks everything at once and holds each answer to a form. */
function askAll({ ask, sandbox }: FaultyServer) {
  return Promise.all(
    questions({ orderId: anOrder(sandbox.world) }).map(async ([tool, args]) => {
      const { text } = await ask(tool, args);
      expect(text).toMatch(new RegExp(`^${tool}[: ]`));
      expect(text).not.toContain('Something unexpected');
    }),
  );
}

/** One of each kind: names, pages, a feed, a report, an analysis, a statement. */
const afterwards: readonly [tool: string, args?: JsonObject][] = [
  ['list_stock'],
  ['list_orders', { period: 'yesterday', all: true }],
  ['list_order_changes', { since: 'yesterday' }],
  ['get_daily_close', { date: 'yesterday' }],
  ['compare_turnover', { period: 'yesterday' }],
  ['query', { sql: 'SELECT count(*) FROM shops' }],
];

describe('every tool', () => {
  // Each has a server of its own and mostly waits: several run at a time.
  test.concurrent.for([
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
  ])(
    'answers while the platform gives %s, and well once that is over',
    async ([fault, open], { expect }) => {
      // A broken answer is asked for once more, and no oftener.
      const settings = { COMMERCE_MAX_WAIT_SECONDS: '1' };
      const server = await open({ faults: `${fault}:path=/api*`, ordersPerDay: 12, settings });
      try {
        await server.connection.listTools();
        await askAll(server);
        server.sandbox.control.clearFaults();
        const isWell = async () => {
          const answers = await Promise.all(afterwards.map((given) => server.ask(...given)));
          return answers.every(({ isError }) => !isError);
        };
        // A busy machine takes longer than the second that a call has here.
        await expect.poll(isWell).toBe(true);
        expect(server.slips()).toEqual([]);
      } finally {
        await server.close();
      }
    },
  );
});
