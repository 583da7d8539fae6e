import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { inParallel } from '../../src/core/in-parallel.ts';

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

  test('has done nothing where there is nothing to do', async () => {
    await expect(inParallel([], 4, undefined, () => Promise.reject())).resolves.toBeUndefined();
  });
});
