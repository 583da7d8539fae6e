import { describe, expect, test } from 'vitest';
import { FairQueue } from '../../../src/core/fair-queue.ts';
import { takeTurn } from '../../../src/query/pool/pool.ts';

const { signal } = new AbortController();

describe('turns', () => {
  test('are refused when too many wait', async () => {
    const turns = new FairQueue({ maxActive: 1, maxWaiting: 1 });
    await takeTurn(turns, 'a', signal);
    void takeTurn(turns, 'b', signal);
    await expect(takeTurn(turns, 'c', signal)).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('1 statements are waiting'),
    });
  });

  test('are refused to a caller who has most of those that may wait, told how many, and to nobody else', async () => {
    const turns = new FairQueue({ maxActive: 1, maxWaiting: 4, maxWaitingPerCaller: 3 });
    const end = await takeTurn(turns, 'a', signal);
    const own = Array.from({ length: 3 }, () => takeTurn(turns, 'a', signal));
    await expect(takeTurn(turns, 'a', signal)).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining(
        '3 statements of yours are waiting already, the most of one',
      ),
    });
    const other = takeTurn(turns, 'b', signal);
    end();
    (await other)();
    expect(await own[0]).toBeTypeOf('function');
  });

  test('are given up by who cancels while waiting', async () => {
    const turns = new FairQueue({ maxActive: 1, maxWaiting: 5 });
    const end = await takeTurn(turns, 'a', signal);
    const cancel = new AbortController();
    const waiting = takeTurn(turns, 'b', cancel.signal);
    const next = takeTurn(turns, 'c', signal);
    cancel.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    end();
    expect(await next).toBeTypeOf('function');
  });
});
