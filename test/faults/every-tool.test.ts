import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { questions } from './questions.ts';
import { deadlineMs, openRehearsal, type Rehearsal } from './rehearsal.ts';

describe.each([
  ...['502', 'html', 'reset', 'cut', 'empty', 'deep', 'slow'],
  ...['null-list', 'lying-total', 'low-total', 'repeated-ids', 'stuck-cursor', 'odd-limits'],
])('while the platform gives %s', (fault) => {
  let rehearsal: Rehearsal;

  beforeAll(async () => {
    rehearsal = await openRehearsal({ faults: `${fault}:path=/api*` });
    await rehearsal.connection.listTools();
  });

  afterAll(() => rehearsal.close());

  test('every tool answers by the deadline, and well once it is over', async () => {
    const ask = (patience: number) =>
      Promise.all(
        questions.map(async ([tool, args]) => {
          const { text, tookMs } = await rehearsal.ask(tool, args);
          expect(text).toMatch(new RegExp(`^${tool}: |^${tool} `));
          expect(text).not.toContain('unexpected');
          expect(tookMs, tool).toBeLessThan(patience);
        }),
      );
    // An answer may need reports, lists and names one after the other: each has its deadline.
    await ask(3 * deadlineMs);
    rehearsal.sandbox.control.clearFaults();
    await ask(deadlineMs);
    const after = await Promise.all(
      ['get_me', 'list_shops', 'list_stock'].map((tool) => rehearsal.ask(tool)),
    );
    expect(after.map(({ isError }) => isError)).toEqual([false, false, false]);
    expect(rehearsal.slips()).toEqual([]);
  });
});
