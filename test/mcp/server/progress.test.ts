import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Progress } from '../../../src/analysis/answer.ts';
import { type ProgressReport, ProgressReporter } from '../../../src/mcp/server/progress.ts';

describe('a progress reporter', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start() {
    const sent: ProgressReport[] = [];
    const reporter = new ProgressReporter((report) => sent.push(report));
    const report = (progress: Progress) => reporter.report(progress);
    return { sent, report, stop: () => reporter.stop() };
  }

  test('reports what was done, of how much', () => {
    const { sent, report } = start();
    report({ done: 500, total: 4800, message: 'read 500 of 4,800 orders' });
    expect(sent).toEqual([{ progress: 500, total: 4800, message: 'read 500 of 4,800 orders' }]);
  });

  test('reports at most every 100 ms, and the last step always', () => {
    const { sent, report } = start();
    for (const done of [1, 2, 3]) report({ done, total: 4, message: '' });
    expect(sent.map(({ progress }) => progress)).toEqual([1]);
    report({ done: 4, total: 4, message: '' });
    expect(sent.map(({ progress }) => progress)).toEqual([1, 4]);
  });

  test('says nothing about a call that is over within a second', () => {
    const { sent, stop } = start();
    vi.advanceTimersByTime(999);
    stop();
    vi.advanceTimersByTime(60_000);
    expect(sent).toEqual([]);
  });

  test('says once a second that a call is under way, and since when', () => {
    const { sent, stop } = start();
    vi.advanceTimersByTime(3500);
    stop();
    expect(sent.map(({ message }) => message)).toEqual([
      'waiting for the platform (1 s)',
      'waiting for the platform (2 s)',
      'waiting for the platform (3 s)',
    ]);
  });

  test('says what a call works on, of which no step is done', () => {
    const { sent, report, stop } = start();
    report({ done: 0, message: 'computing' });
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1500);
    report({ done: 3, total: 3, message: 'read 3 of 3 reports' });
    report({ done: 0, message: 'computing' });
    vi.advanceTimersByTime(1500);
    stop();
    expect(sent.map(({ message }) => message)).toEqual([
      'computing (1 s)',
      'read 3 of 3 reports',
      'computing (3 s)',
    ]);
  });

  test('never exceeds the total that it comes with, and grows all the same', () => {
    const step = fc.record({
      waitMs: fc.integer({ min: 0, max: 70_000 }),
      done: fc.integer({ min: 0, max: 12 }),
      total: fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { sent, report, stop } = start();
        for (const { waitMs, done, total } of steps) {
          report({ done, message: '', ...(total !== undefined && { total }) });
          vi.advanceTimersByTime(waitMs);
        }
        stop();
        for (const [index, { progress, total = Number.POSITIVE_INFINITY }] of sent.entries()) {
          expect(progress).toBeLessThanOrEqual(total);
          expect(progress).toBeGreaterThan(sent[index - 1]?.progress ?? 0);
        }
      }),
    );
  });

  test('tells of a later part that is smaller than an earlier one', () => {
    const { sent, report, stop } = start();
    report({ done: 1841, total: 1841, message: 'read 1,841 of 1,841 orders' });
    report({ done: 250, total: 250, message: 'read 250 of 250 list_order_items' });
    stop();
    expect(sent).toEqual([
      { progress: 1841, total: 1841, message: 'read 1,841 of 1,841 orders' },
      { progress: 1841.5, message: 'read 250 of 250 list_order_items' },
    ]);
  });

  test('keeps no process alive', () => {
    vi.useRealTimers();
    const timer = vi.spyOn(globalThis, 'setInterval');
    start().stop();
    expect(timer.mock.results[0]?.value.hasRef()).toBe(false);
    timer.mockRestore();
  });
});
