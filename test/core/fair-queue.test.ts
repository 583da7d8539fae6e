import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue, type FairQueueBounds, type Waiter } from '../../src/core/fair-queue.ts';

const standard = { maxActive: 1, maxWaiting: 20, maxActivePerCaller: 2, maxWaitingPerCaller: 20 };
const queueOf = (bounds: Partial<FairQueueBounds> = {}) =>
  new FairQueue({ ...standard, ...bounds });

/** What waits under the name of its caller, or one of its own. */
type Named = Waiter & { caller: string; name?: string };

/** Enters all of them at once, each of which gives its place back at once; who was let in, in order. */
async function passThrough(queue: FairQueue, entries: readonly Named[]) {
  const order: string[] = [];
  const passing = entries.map(async (entry) => {
    const release = await queue.enter(entry);
    order.push(entry.name ?? entry.caller);
    release();
  });
  await Promise.all(passing);
  return order;
}

describe('a fair queue', () => {
  test.each<[what: string, entries: Named[], order: string[]]>([
    [
      'goes round the callers, however many requests each has waiting',
      [...'aaabcb'].map((caller) => ({ caller })),
      [...'abcaba'],
    ],
    [
      'goes round the groups first, and within each round its callers',
      ['a1', 'a1', 'a2', 'a2', 'b1', 'c1', 'b1'].map((caller) => ({
        caller,
        group: caller.charAt(0),
      })),
      ['a1', 'b1', 'c1', 'a2', 'b1', 'a1', 'a2'],
    ],
    [
      'lets a higher priority go first, whoever asks for it',
      [{ caller: 'a' }, { caller: 'b' }, { caller: 'a', priority: 1, name: 'high' }],
      ['high', 'b', 'a'],
    ],
  ])('%s', async (_, entries, order) => {
    const queue = queueOf();
    const release = await queue.enter({});
    const passing = passThrough(queue, entries);
    release();
    expect(await passing).toEqual(order);
  });

  test('bounds a group as it bounds a caller, in places and in the line', async () => {
    const queue = queueOf({ maxActive: 4, maxActivePerCaller: 2, maxWaitingPerCaller: 1 });
    const of = (group: string, caller: string) => queue.enter({ group, caller });
    const held = await Promise.all([of('a', '1'), of('a', '2')]);
    const waiting = of('a', '3');
    await expect(of('a', '4')).rejects.toThrow('too_many_waiting {"max":1,"isOfCaller":true}');
    const other = await of('b', '1');
    expect(queue.active).toBe(3);
    held[0]?.();
    (await waiting)();
    other();
    held[1]?.();
    expect(queue.active).toBe(0);
  });

  test('gives no place to one that leaves while it is found out whether it may go', async () => {
    let open = () => {};
    const opened = new Promise<boolean>((resolve) => {
      open = () => resolve(true);
    });
    const queue = queueOf();
    const leaving = new AbortController();
    const gone = queue.enter({ caller: 'a', signal: leaving.signal, mayGo: () => opened });
    leaving.abort(new Error('left'));
    await expect(gone).rejects.toThrow('left');
    open();
    const release = await queue.enter({ caller: 'b' });
    expect(queue.active).toBe(1);
    release();
  });

  test.each([
    ['too_many_waiting {"max":1,"isOfCaller":false}', { maxWaiting: 1 }, 'b'],
    ['too_many_waiting {"max":1,"isOfCaller":true}', { maxWaitingPerCaller: 1 }, 'a'],
  ])('refuses at once where too many wait: %s', async (message, bounds, caller) => {
    const queue = queueOf(bounds);
    await queue.enter({ caller: 'a' });
    void queue.enter({ caller: 'a' });
    await expect(queue.enter({ caller })).rejects.toThrow(message);
    expect(queue.waiting.length).toBe(1);
  });

  test('leaves a place for others, however many one caller asks for', async () => {
    const queue = queueOf({ maxActive: 3, maxActivePerCaller: 2 });
    for (let index = 0; index < 6; index++) void queue.enter({ caller: 'greedy' });
    expect(queue.active).toBe(2);
    expect(await queue.enter({ caller: 'other' })).toBeTypeOf('function');
  });

  test('gives the turn of a request that is given up to the next', async () => {
    const queue = queueOf();
    const release = await queue.enter({});
    const leaving = new AbortController();
    const left = queue.enter({ signal: leaving.signal });
    const next = queue.enter({});
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    release();
    expect(await next).toBeTypeOf('function');
    expect(queue.waiting.length).toBe(0);
  });

  test('closes when those under way and waiting are done, and lets nobody else in', async () => {
    const queue = queueOf();
    const release = await queue.enter({});
    const waiting = queue.enter({});
    let isClosed = false;
    const closed = queue.close().then(() => {
      isClosed = true;
    });
    await expect(queue.enter({})).rejects.toThrow('server_ending');
    release();
    const last = await waiting;
    expect(isClosed).toBe(false);
    last();
    await closed;
  });

  test('never grants more than its places, and in the end serves everyone', async () => {
    const turn = fc.record({ caller: fc.constantFrom('a', 'b', 'c') });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 30 }), async (turns) => {
        const queue = queueOf({ maxActive: 3, maxWaiting: 30, maxActivePerCaller: 2 });
        const held = new Map<string, number>();
        let served = 0;
        await Promise.all(
          turns.map(async ({ caller }) => {
            const release = await queue.enter({ caller });
            held.set(caller, (held.get(caller) ?? 0) + 1);
            expect(queue.active).toBeLessThanOrEqual(3);
            expect(held.get(caller)).toBeLessThanOrEqual(2);
            await Promise.resolve();
            held.set(caller, (held.get(caller) ?? 0) - 1);
            release();
            served++;
          }),
        );
        expect([served, queue.active, queue.waiting.length]).toEqual([turns.length, 0, 0]);
      }),
    );
  });
});
