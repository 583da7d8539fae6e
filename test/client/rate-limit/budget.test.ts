import { describe, expect, test } from 'vitest';
import { parseBudget } from '../../../src/client/rate-limit/budget.ts';

const policy = '"general";q=300;w=60, "write";q=60;w=5';
const ceilings = [
  { name: 'general', quota: 300, windowSeconds: 60 },
  { name: 'write', quota: 60, windowSeconds: 5 },
];
const trio = {
  'ratelimit-limit': '300',
  'ratelimit-remaining': '290',
  'ratelimit-reset': '42',
};
const general = { limit: 300, remaining: 290, resetMs: 42_000 };

describe('parseBudget', () => {
  test.each<[string, Record<string, string>, object | undefined]>([
    [
      'all five headers',
      { ...trio, 'ratelimit-policy': policy, ratelimit: '"general";r=290;t=42' },
      { ...general, windowMs: 60_000, ceilings },
    ],
    ['three of them', trio, { ...general, ceilings: [] }],
    [
      'the structured ones alone',
      { 'ratelimit-policy': policy, ratelimit: '"general";r=290;t=42' },
      { ...general, windowMs: 60_000, ceilings },
    ],
    [
      'the write ceiling, which holds up no reads',
      {
        ...{ 'ratelimit-limit': '60', 'ratelimit-remaining': '0', 'ratelimit-reset': '4' },
        ...{ 'ratelimit-policy': policy, ratelimit: '"write";r=0;t=4' },
      },
      { limit: 300, windowMs: 60_000, ceilings },
    ],
    ['zero remaining', { 'ratelimit-remaining': '0' }, { remaining: 0, ceilings: [] }],
    ['no header at all: no budget reported, which is not zero', {}, undefined],
    ['nothing readable', { 'ratelimit-limit': 'many', ratelimit: '???' }, undefined],
    [
      'signs, fractions and overflow',
      { 'ratelimit-limit': '-1', 'ratelimit-remaining': '2.5', 'ratelimit-reset': '99999999999' },
      undefined,
    ],
  ])('understands %s', (_, headers, expected) => {
    expect(parseBudget((name) => headers[name])).toEqual(expected);
  });
});
