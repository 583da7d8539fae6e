import { describe, expect, test } from 'vitest';
import { createAdmission } from '../../../src/mcp/http/admission.ts';

/** A request that is served when it is let in, and over when the test says. */
function guest() {
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
      admission.admit(
        leaving.signal,
        async () => {
          isServed = true;
          return new Response('served');
        },
        () => over,
      ),
  };
}

describe('an admission', () => {
  test('holds a place until the exchange is over, not only until it is answered', async () => {
    const admission = createAdmission({ maxActive: 1, maxWaiting: 1 });
    const [first, second] = [guest(), guest()];
    expect(await (await first.enter(admission))?.text()).toBe('served');
    const waiting = second.enter(admission);
    expect(second.isServed()).toBe(false);
    expect(admission.count()).toEqual({ active: 1, waiting: 1, refused: 0 });
    first.finish();
    expect(await (await waiting)?.text()).toBe('served');
  });

  test('refuses who would wait beyond the bound, and counts them', async () => {
    const admission = createAdmission({ maxActive: 1, maxWaiting: 1 });
    const [first, second, third] = [guest(), guest(), guest()];
    void first.enter(admission);
    void second.enter(admission);
    expect(await third.enter(admission)).toBeUndefined();
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
    const fails = () => Promise.reject(new Error('broken'));
    const { signal } = new AbortController();
    await expect(admission.admit(signal, fails, async () => {})).rejects.toThrow('broken');
    expect(await guest().enter(admission)).toBeInstanceOf(Response);
  });

  test('closes when everybody is out, those who waited included, and lets nobody in', async () => {
    const admission = createAdmission({ maxActive: 1, maxWaiting: 1 });
    const [first, second] = [guest(), guest()];
    await first.enter(admission);
    const waiting = second.enter(admission);
    const closed = admission.close();
    expect(await guest().enter(admission)).toBeUndefined();
    first.finish();
    await waiting;
    second.finish();
    await closed;
    expect(admission.count().active).toBe(0);
  });
});
