import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBudget, readBudget } from '../../../src/client/rate-limit/headers.ts';

const from = (headers: Record<string, string>) => parseBudget((name) => headers[name]);

const policy = '"general";q=300;w=60, "write";q=60;w=60';

describe('parseBudget', () => {
  test('reads all five headers of section 8.4', () => {
    expect(
      from({
        'ratelimit-policy': policy,
        ratelimit: '"general";r=290;t=42',
        'ratelimit-limit': '300',
        'ratelimit-remaining': '290',
        'ratelimit-reset': '42',
      }),
    ).toEqual({
      policy: 'general',
      limit: 300,
      remaining: 290,
      resetSeconds: 42,
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
      { policy: 'general', limit: 5, remaining: 3, resetSeconds: 9, ceilings: [] },
    ],
    [
      'contradiction: the fewer and the later count',
      {
        'ratelimit-limit': '30',
        'ratelimit-remaining': '20',
        ratelimit: '"general";r=7;t=50',
        'ratelimit-reset': '3',
      },
      { policy: 'general', limit: 30, remaining: 7, resetSeconds: 50, ceilings: [] },
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
      { policy: 'general', remaining: 4, ceilings: [] },
    ],
    [
      'a reset after the longest window: its end',
      { 'ratelimit-policy': policy, 'ratelimit-remaining': '3', 'ratelimit-reset': '99999' },
      {
        remaining: 3,
        resetSeconds: 60,
        ceilings: [
          { name: 'general', quota: 300, windowSeconds: 60 },
          { name: 'write', quota: 60, windowSeconds: 60 },
        ],
      },
    ],
    [
      'a policy without a window',
      { 'ratelimit-policy': '"general";q=10' },
      { ceilings: [{ name: 'general', quota: 10 }] },
    ],
  ])('understands %s', (_, headers, expected) => {
    expect(from(headers)).toEqual(expected);
  });

  test('tells which ceiling is described by its limit where no name is given', () => {
    expect(from({ 'ratelimit-policy': policy, 'ratelimit-limit': '60' })?.policy).toBe('write');
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

describe('readBudget', () => {
  const ceilings = [
    { name: 'general', quota: 300, windowSeconds: 60 },
    { name: 'write', quota: 60, windowSeconds: 60 },
  ];

  test('takes a general report as it is', () => {
    const report = { policy: 'general', limit: 300, remaining: 5, resetSeconds: 9, ceilings };
    expect(readBudget(report)).toEqual({
      limit: 300,
      remaining: 5,
      resetSeconds: 9,
      windowSeconds: 60,
    });
  });

  test('never lets the write ceiling hold up reads', () => {
    const report = { policy: 'write', limit: 60, remaining: 0, resetSeconds: 9, ceilings };
    expect(readBudget(report)).toEqual({ limit: 300, resetSeconds: 9, windowSeconds: 60 });
  });

  test('does not take the reset of a write window of another length', () => {
    const [general, write] = ceilings;
    const others = [
      { ...general, name: 'general', quota: 300 },
      { ...write, name: 'write', quota: 9, windowSeconds: 5 },
    ];
    const report = { policy: 'write', limit: 9, remaining: 0, resetSeconds: 4, ceilings: others };
    expect(readBudget(report)).toEqual({ limit: 300, windowSeconds: 60 });
  });
});
