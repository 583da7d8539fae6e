import { expect, test } from 'vitest';
import { createLatelySeen } from '../../../src/analysis/reference/lately-seen.ts';

test('holds the half that was seen last, and never more than it may', () => {
  const seen = createLatelySeen<number, string>(10);
  for (let key = 1; key <= 100; key++) {
    seen.set(key, `row ${key}`);
    expect(seen.size).toBeLessThanOrEqual(10);
    const lately = [key, key - 1, key - 2, key - 3, key - 4].filter((it) => it > 0);
    for (const it of lately) expect(seen.get(it)).toBe(`row ${it}`);
    expect(seen.get(key - 10)).toBeUndefined();
  }
});

test('gives what was seen last under a key, which takes one place however often it passes by', () => {
  const seen = createLatelySeen<string, number>(4);
  for (let value = 1; value <= 50; value++) seen.set('W1', value);
  expect(seen.get('W1')).toBe(50);
  seen.set('W2', 1);
  expect([seen.get('W1'), seen.get('W2')]).toEqual([50, 1]);
});
