import { describe, expect, test } from 'vitest';
import type { TurnoverArguments } from '../../../src/analysis/turnover/question.ts';
import { spansOf } from '../../../src/analysis/turnover/question.ts';
import { reasonOf } from '../../reasons.ts';

const now = Date.parse('2026-11-20T14:05:11+01:00');

describe('spansOf', () => {
  test.each<[TurnoverArguments, 'day' | 'week' | undefined, Parameters<typeof reasonOf>[0]]>([
    [{ explain: true, against: 'none' }, undefined, { code: 'explain_needs_reference' }],
    [{ against: 'usual', against_from: 'today' }, undefined, { code: 'two_references' }],
    [
      { period: 'this_year', against: 'usual' },
      undefined,
      {
        code: 'no_usual_of_period',
        days: { from: '2026-01-01', to: '2026-11-20' },
        max: 31,
      },
    ],
    [{ period: 'last_year' }, 'day', { code: 'too_many_buckets', size: 'day', max: 120 }],
  ])('refuses %j by %s', (args, size, reason) => {
    const asking = () => spansOf({ period: 'last_week', ...args }, now, size);
    expect(asking).toThrow(reasonOf(reason));
  });
});
