import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { withDeadline } from '../../src/core/deadline.ts';

const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

test('ends when the time is up', async () => {
  vi.useFakeTimers();
  const ended = expect(withDeadline(5000, undefined, never)).rejects.toThrow(
    'The time for it was up',
  );
  await vi.advanceTimersByTimeAsync(5000);
  await ended;
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test.each(['before', 'after'])(
  'ends with the reason of a signal that ends %s the work begins',
  async (when) => {
    const caller = new AbortController();
    if (when === 'before') caller.abort(new Error('left'));
    const working = withDeadline(60_000, caller.signal, async (signal) => {
      signal.throwIfAborted();
      return never(signal);
    });
    caller.abort(new Error('left'));
    await expect(working).rejects.toThrow('left');
  },
);

test('gives what the work gives, and leaves no timer behind', async () => {
  vi.useFakeTimers();
  expect(await withDeadline(5000, new AbortController().signal, async () => 7)).toBe(7);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('ends although garbage is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // Node 20 loses a signal made by AbortSignal.any of a timeout here, and waits for ever.
  const caller = new AbortController();
  const working = withDeadline(100, caller.signal, never);
  const collecting = setInterval(collect, 5);
  await expect(working).rejects.toThrow('The time for it was up');
  clearInterval(collecting);
});
