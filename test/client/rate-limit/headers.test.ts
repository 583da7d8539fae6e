import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBudget } from '../../../src/client/rate-limit/headers.ts';

const from = (headers: Record<string, string>) => parseBudget((name) => headers[name]);

const policy = '"general";q=300;w=60, "write";q=60;w=60';

describe('parseBudget', () => {
  test('reads all five headers', () => {
    expect(
      from({
        'ratelimit-policy': policy,
        ratelimit: '"general";r=290;t=42',
        'ratelimit-limit': '300',
        'ratelimit-remaining': '290',
        'ratelimit-reset': '42',
      }),
    ).toEqual({
      limit: 300,
      remaining: 290,
      resetSeconds: 42,
      windowSeconds: 60,
      ceilings: [
        { name: 'general', quota: 300, windowSeconds: 60 },
        { name: 'write', quota: 60, windowSeconds: 60 },
      ],
    });
  });

  test.each([
    ['no header at all: no budget reported, which is not zero', {}, undefined],
    ['nothing readable', { 'ratelimit-limit': 'many', ratelimit: '???' }, undefined],
    ['a reset alone', { 'ratelimit-reset': '5' }, undefined],
    ['zero remaining', { 'ratelimit-remaining': '0' }, { remaining: 0, ceilings: [] }],
    [
      'an unquoted policy name',
      { ratelimit: 'general;r=3;t=9', 'ratelimit-limit': '5' },
      { limit: 5, remaining: 3, resetSeconds: 9, ceilings: [] },
    ],
    [
      'contradiction: the fewer and the later count',
      {
        'ratelimit-limit': '30',
        'ratelimit-remaining': '20',
        ratelimit: '"general";r=7;t=50',
        'ratelimit-reset': '3',
      },
      { limit: 30, remaining: 7, resetSeconds: 50, ceilings: [] },
    ],
    [
      'more remaining than the limit',
      { 'ratelimit-limit': '30', 'ratelimit-remaining': '99' },
      { limit: 30, remaining: 30, ceilings: [] },
    ],
    [
      'signs, fractions and overflow',
      { 'ratelimit-limit': '-1', 'ratelimit-remaining': '2.5', 'ratelimit-reset': '99999999999' },
      undefined,
    ],
    [
      'ceilings of nothing: none',
      {
        'ratelimit-policy': '"general";q=0;w=60',
        'ratelimit-limit': '0',
        ratelimit: 'general;r=4',
      },
      { remaining: 4, ceilings: [] },
    ],
    [
      'a reset after the longest window: its end',
      { 'ratelimit-policy': policy, 'ratelimit-remaining': '3', 'ratelimit-reset': '99999' },
      {
        limit: 300,
        remaining: 3,
        resetSeconds: 60,
        windowSeconds: 60,
        ceilings: [
          { name: 'general', quota: 300, windowSeconds: 60 },
          { name: 'write', quota: 60, windowSeconds: 60 },
        ],
      },
    ],
    [
      'a policy without a window',
      { 'ratelimit-policy': '"general";q=10' },
      { limit: 10, ceilings: [{ name: 'general', quota: 10 }] },
    ],
  ])('understands %s', (_, headers, expected) => {
    expect(from(headers)).toEqual(expected);
  });

  test.each([
    ['by its name', { ratelimit: '"write";r=0;t=9' }],
    [
      'by its limit',
      { 'ratelimit-limit': '60', 'ratelimit-remaining': '0', 'ratelimit-reset': '9' },
    ],
  ])('never lets the write ceiling, told %s, hold up reads', (_, headers) => {
    expect(from({ 'ratelimit-policy': policy, ...headers })).toMatchObject({
      limit: 300,
      resetSeconds: 9,
      windowSeconds: 60,
    });
    expect(from({ 'ratelimit-policy': policy, ...headers })).not.toHaveProperty('remaining');
  });

  test('does not take the reset of a write window of another length', () => {
    const report = from({
      'ratelimit-policy': '"general";q=300;w=60, "write";q=9;w=5',
      ratelimit: '"write";r=0;t=4',
    });
    expect(report).toMatchObject({ limit: 300, windowSeconds: 60 });
    expect(report).not.toHaveProperty('resetSeconds');
  });

  test('survives any header text and never reports a negative or unbounded count', () => {
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^"?(general|write)"?(;[rtqw]=-?\d{0,12}){0,3}(, ?"write";q=\d)?$/),
    );
    fc.assert(
      fc.property(fc.array(text, { minLength: 5, maxLength: 5 }), ([a, b, c, d, e]) => {
        const report = from({
          'ratelimit-policy': a ?? '',
          ratelimit: b ?? '',
          'ratelimit-limit': c ?? '',
          'ratelimit-remaining': d ?? '',
          'ratelimit-reset': e ?? '',
        });
        if (!report) return;
        for (const count of [report.limit, report.remaining, report.resetSeconds]) {
          if (count !== undefined) expect(Number.isInteger(count) && count >= 0).toBe(true);
        }
        expect(report.remaining ?? 0).toBeLessThanOrEqual(report.limit ?? Infinity);
      }),
    );
  });
});
