import { describe, expect, test } from 'vitest';
import { createTurns } from '../../../src/query/pool/turns.ts';

const { signal } = new AbortController();

describe('turns', () => {
  test('go round the callers, however many statements each has waiting', async () => {
    const turns = createTurns({ atOnce: 1, maxWaiting: 10 });
    const order: string[] = [];
    const end = await turns.take('a', signal);
    const all = ['a', 'a', 'a', 'b', 'c', 'b'].map(async (caller) => {
      const done = await turns.take(caller, signal);
      order.push(caller);
      done();
    });
    end();
    await Promise.all(all);
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });

  test('are refused when too many wait', async () => {
    const turns = createTurns({ atOnce: 1, maxWaiting: 1 });
    await turns.take('a', signal);
    void turns.take('b', signal);
    await expect(turns.take('c', signal)).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('1 statements are waiting'),
    });
  });

  test('are refused to a caller who has most of those that may wait, told how many, and to nobody else', async () => {
    const turns = createTurns({ atOnce: 1, maxWaiting: 4 });
    const end = await turns.take('a', signal);
    const own = Array.from({ length: 3 }, () => turns.take('a', signal));
    await expect(turns.take('a', signal)).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining(
        '3 statements of yours are waiting already, the most of one',
      ),
    });
    const other = turns.take('b', signal);
    end();
    (await own[0])?.();
    expect(await other).toBeTypeOf('function');
  });

  test('are given up by who cancels while waiting', async () => {
    const turns = createTurns({ atOnce: 1, maxWaiting: 5 });
    const end = await turns.take('a', signal);
    const cancel = new AbortController();
    const waiting = turns.take('b', cancel.signal);
    const next = turns.take('c', signal);
    cancel.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    end();
    expect(await next).toBeTypeOf('function');
  });

  test('end once, however often they are ended', async () => {
    const turns = createTurns({ atOnce: 1, maxWaiting: 5 });
    const end = await turns.take('a', signal);
    const second = turns.take('b', signal);
    end();
    end();
    await second;
    const third = turns.take('c', signal);
    const winner = await Promise.race([third, Promise.resolve('waiting')]);
    expect(winner).toBe('waiting');
  });
});
