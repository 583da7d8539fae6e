import { describe, expect, test } from 'vitest';
import { createAdmission } from '../../../src/mcp/http/admission.ts';

/** A request that is served when it is let in, and over when the test says. */
function guest(caller = 'ann', places = 1) {
  const leaving = new AbortController();
  const leaves = new EventTarget();
  const over = new Promise<void>((resolve) =>
    leaves.addEventListener('over', () => resolve(), { once: true }),
  );
  let isServed = false;
  return {
    leave: () => leaving.abort(),
    finish: () => leaves.dispatchEvent(new Event('over')),
    isServed: () => isServed,
    enter: (admission: ReturnType<typeof createAdmission>) =>
      admission.admit({
        caller,
        places,
        signal: leaving.signal,
        async serve() {
          isServed = true;
          return new Response('served');
        },
        over: () => over,
        refuse: (reason) => new Response(reason, { status: 503 }),
      }),
  };
}

describe('an admission', () => {
  test('holds a place until the exchange is over, not only until it is answered', async () => {
    const admission = createAdmission({ maxActive: 1, maxWaiting: 1 });
    const [first, second] = [guest(), guest()];
    expect(await (await first.enter(admission)).text()).toBe('served');
    const waiting = second.enter(admission);
    expect(second.isServed()).toBe(false);
    expect(admission.count()).toEqual({ active: 1, waiting: 1, refused: 0 });
    first.finish();
    expect(await (await waiting).text()).toBe('served');
  });

  test('refuses who would wait beyond the bound, and counts them', async () => {
    const admission = createAdmission({ maxActive: 1, maxWaiting: 1 });
    const [first, second, third] = [guest(), guest(), guest()];
    void first.enter(admission);
    void second.enter(admission);
    expect((await third.enter(admission)).status).toBe(503);
    expect(admission.count().refused).toBe(1);
  });

  test('never serves who left while waiting, and gives their place to the next', async () => {
    const admission = createAdmission({ maxActive: 1, maxWaiting: 2 });
    const [first, second, third] = [guest(), guest(), guest()];
    await first.enter(admission);
    const left = second.enter(admission);
    const waiting = third.enter(admission);
    second.leave();
    await expect(left).rejects.toThrow();
    first.finish();
    await waiting;
    expect([second.isServed(), third.isServed()]).toEqual([false, true]);
  });

  test('gives the place back when serving fails', async () => {
    const admission = createAdmission({ maxActive: 1, maxWaiting: 1 });
    const entry = {
      caller: 'ann',
      places: 1,
      signal: new AbortController().signal,
      serve: () => Promise.reject(new Error('broken')),
      over: async () => {},
      refuse: () => new Response(),
    };
    await expect(admission.admit(entry)).rejects.toThrow('broken');
    expect(await (await guest().enter(admission)).text()).toBe('served');
  });

  test('closes when everybody is out, those who waited included, and lets nobody in', async () => {
    const admission = createAdmission({ maxActive: 1, maxWaiting: 1 });
    const [first, second] = [guest(), guest()];
    await first.enter(admission);
    const waiting = second.enter(admission);
    const closed = admission.close();
    expect((await guest().enter(admission)).status).toBe(503);
    first.finish();
    await waiting;
    second.finish();
    await closed;
    expect(admission.count().active).toBe(0);
  });

  test('takes a place for each message of a batch', async () => {
    const admission = createAdmission({ maxActive: 4, maxWaiting: 1 });
    const [batch, single] = [guest('ann', 4), guest('bob')];
    await batch.enter(admission);
    const waiting = single.enter(admission);
    expect(admission.count()).toMatchObject({ active: 4, waiting: 1 });
    expect(single.isServed()).toBe(false);
    batch.finish();
    await waiting;
  });

  test('refuses a batch of more messages than it ever has places for, and says how many', async () => {
    const admission = createAdmission({ maxActive: 4, maxWaiting: 1, ownShare: 0.5 });
    const refused = await guest('ann', 3).enter(admission);
    expect(refused.status).toBe(503);
    expect(await refused.text()).toBe('A batch may carry 2 messages at most');
  });

  test('leaves places for others, however many one caller asks for', async () => {
    const admission = createAdmission({ maxActive: 4, maxWaiting: 8, ownShare: 0.5 });
    const greedy = Array.from({ length: 20 }, () => guest('ann'));
    const answers = greedy.map((one) => one.enter(admission));
    const other = guest('bob');
    expect(await (await other.enter(admission)).text()).toBe('served');
    expect(greedy.filter((one) => one.isServed())).toHaveLength(2);
    const last = await answers.at(-1);
    expect(await last?.text()).toContain('4 requests of yours are waiting');
  });

  test('gives callers their turns in rotation', async () => {
    const admission = createAdmission({ maxActive: 1, maxWaiting: 8 });
    const first = guest('ann');
    await first.enter(admission);
    const [second, third, other] = [guest('ann'), guest('ann'), guest('bob')];
    for (const one of [second, third, other]) void one.enter(admission);
    first.finish();
    await expect.poll(() => second.isServed()).toBe(true);
    second.finish();
    await expect.poll(() => other.isServed()).toBe(true);
    expect(third.isServed()).toBe(false);
  });
});
