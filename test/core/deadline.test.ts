import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import { inParallel, linkController, onAbort, withDeadline } from '../../src/core/deadline.ts';

const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

test('ends when the time is up, gives what the work gives, and leaves no timer behind', async () => {
  vi.useFakeTimers();
  const ended = expect(withDeadline({ ms: 5000 }, never)).rejects.toMatchObject({
    name: 'TimeoutError',
  });
  await vi.advanceTimersByTimeAsync(5000);
  await ended;
  expect(await withDeadline({ ms: 5000 }, async () => 7)).toBe(7);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test.each(['before', 'after'])(
  'ends with the reason of a signal that ends %s the work begins',
  async (when) => {
    const caller = new AbortController();
    if (when === 'before') caller.abort(new Error('left'));
    const working = withDeadline({ ms: 60_000, signal: caller.signal }, async (signal) => {
      signal.throwIfAborted();
      return never(signal);
    });
    caller.abort(new Error('left'));
    await expect(working).rejects.toThrow('left');
  },
);

test('ends although garbage is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // Node 20 loses a signal made by AbortSignal.any of a timeout here, and waits for ever.
  const caller = new AbortController();
  const working = withDeadline({ ms: 100, signal: caller.signal }, never);
  const collecting = setInterval(collect, 5);
  await expect(working).rejects.toMatchObject({ name: 'TimeoutError' });
  clearInterval(collecting);
});

describe('a controller that is linked', () => {
  test('ends with the first of its sources, for its reason, and may end alone', () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const { controller } = linkController(one.signal, undefined, two.signal);
    const alone = linkController(one.signal).controller;
    alone.abort(new Error('alone'));
    two.abort(new Error('two'));
    one.abort(new Error('one'));
    expect(controller.signal.reason).toMatchObject({ message: 'two' });
    expect(alone.signal.reason).toMatchObject({ message: 'alone' });
    expect(linkController(one.signal).controller.signal.aborted).toBe(true);
  });

  test('ends with none once it is unlinked', () => {
    const source = new AbortController();
    const { controller, unlink } = linkController(source.signal);
    unlink();
    source.abort();
    expect(controller.signal.aborted).toBe(false);
  });
});

test('no source makes signals by AbortSignal.any or AbortSignal.timeout, which Node 20 may lose', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((it) =>
    it.endsWith('.ts'),
  );
  expect(sources.length).toBeGreaterThan(200);
  const found = sources.filter((it) =>
    /AbortSignal\.(any|timeout)\(/.test(readFileSync(`src/${it}`, 'utf8')),
  );
  expect(found, 'use linkController or withDeadline of src/core/deadline.ts').toEqual([]);
});

const numbers = Array.from({ length: 12 }, (_, at) => at);

describe('inParallel', () => {
  test('works through the items in order, so many at once', async () => {
    const begun: number[] = [];
    let [active, most] = [0, 0];
    await inParallel(numbers, 3, undefined, async (item) => {
      begun.push(item);
      most = Math.max(most, ++active);
      await setImmediate();
      active--;
    });
    expect(begun).toEqual(numbers);
    expect(most).toBe(3);
  });

  test('throws the first failure once all that began have ended, and begins no more', async () => {
    const begun: number[] = [];
    const ended: unknown[] = [];
    const work = inParallel(numbers, 3, undefined, async (item, ending) => {
      begun.push(item);
      if (item === 1) throw new Error('of item 1');
      await new Promise<void>((resolve) => {
        ending.addEventListener('abort', () => resolve());
      });
      await setImmediate();
      ended.push(item);
      throw new Error('a later one');
    });
    await expect(work).rejects.toThrow('of item 1');
    expect(begun).toEqual([0, 1, 2]);
    expect(ended).toEqual([0, 2]);
  });

  test('ends with its signal, in the words of what it ended', async () => {
    const leaving = new AbortController();
    const work = inParallel(numbers, 2, leaving.signal, async (_, ending) => {
      await new Promise<void>((_resolve, reject) => {
        ending.addEventListener('abort', () => reject(new Error('cancelled')));
      });
    });
    leaving.abort();
    await expect(work).rejects.toThrow('cancelled');
  });
});

describe('onAbort', () => {
  test('calls when the signal ends, at once where it has, and not where that was taken back', () => {
    const { signal, abort } = controlled();
    const [kept, left, late] = [vi.fn(), vi.fn(), vi.fn()];
    onAbort(signal, kept);
    onAbort(signal, left)();
    abort();
    onAbort(signal, late);
    expect([kept, left, late].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1]);
  });

  test('lets as many listen as there are', async () => {
    const warned = vi.fn();
    process.on('warning', warned);
    const { signal } = controlled();
    for (let at = 0; at < 50; at += 1) onAbort(signal, () => {});
    // Node warns in a later turn.
    await setImmediate();
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
  });
});

function controlled() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
