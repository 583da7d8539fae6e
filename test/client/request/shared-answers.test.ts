import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import type { SharedAnswers } from '../../../src/client/request/get.ts';
import { settings, world } from '../fake-world.ts';

/** Two clients of one platform that share their cached answers, and what they share. */
function replicas() {
  const { clock, platform } = world();
  const held = new Map<string, unknown>();
  const answers: SharedAnswers = {
    get: async (name, read) => (held.has(name) ? read(held.get(name)) : undefined),
    put: async (name, reading) => void held.set(name, reading),
  };
  const open = () => createClient(settings, platform.runtime(), undefined, answers);
  return { clock, held, one: open(), two: open() };
}

const cacheForMs = 60_000;

describe('answers that replicas share', () => {
  test('are found by each, under names that hold no question', async () => {
    const { clock, held, one, two } = replicas();
    const question = () => ({ query: { q: 'jansen' }, cacheForMs });
    await clock.run(one.get('/api/customer', question()));
    expect(await clock.run(two.get('/api/customer', question()))).toMatchObject({
      cached: true,
    });
    expect([...held.keys()].join()).not.toContain('jansen');
  });

  test.each([
    ['what is no answer', () => 'foreign'],
    ['a body that is none', () => ({ body: 5, readAtMs: 1, size: 1 })],
    ['an old one', (now: number) => ({ body: {}, readAtMs: now - cacheForMs, size: 2 })],
    ['one from days ahead', (now: number) => ({ body: {}, readAtMs: now + 1e8, size: 2 })],
  ])('are not believed: %s', async (_, given) => {
    const { clock, held, one, two } = replicas();
    await clock.run(one.get('/api/shop', { cacheForMs }));
    for (const name of held.keys()) held.set(name, given(clock.now()));
    const answered = await clock.run(two.get('/api/shop', { cacheForMs }));
    expect(answered).toMatchObject({ cached: false, body: { data: [] } });
  });
});
