import { describe, expect, test } from 'vitest';
import { anOrder, questions } from '../samples.ts';
import { deadlineMs, openRehearsal, type Rehearsal } from './faulty-server.ts';

/** Asks everything at once and holds each answer to a form and a time. */
function askAll({ ask, sandbox }: Rehearsal, patienceMs: number) {
  return Promise.all(
    questions({ orderId: anOrder(sandbox.world) }).map(async ([tool, args]) => {
      const { text, tookMs } = await ask(tool, args);
      expect(text).toMatch(new RegExp(`^${tool}[: ]`));
      expect(text).not.toContain('Something unexpected');
      expect(tookMs, tool).toBeLessThan(patienceMs);
    }),
  );
}

describe('every tool', () => {
  // Each has a server of its own and mostly waits: several run at a time.
  test.concurrent.each([
    ...['502', 'html', 'reset', 'cut', 'empty', 'deep', 'slow'],
    ...['null-list', 'lying-total', 'low-total', 'repeated-ids', 'stuck-cursor', 'odd-limits'],
  ])('answers while the platform gives %s, and well once that is over', async (fault) => {
    const rehearsal = await openRehearsal({ faults: `${fault}:path=/api*` });
    try {
      await rehearsal.connection.listTools();
      // An answer may need reports, lists and names one after the other: each has its deadline.
      await askAll(rehearsal, 3 * deadlineMs);
      rehearsal.sandbox.control.clearFaults();
      await askAll(rehearsal, deadlineMs);
      const after = await Promise.all(
        ['get_me', 'list_shops', 'list_stock'].map((tool) => rehearsal.ask(tool)),
      );
      expect(after.map(({ isError }) => isError)).toEqual([false, false, false]);
      expect(rehearsal.slips()).toEqual([]);
    } finally {
      await rehearsal.close();
    }
  });
});
