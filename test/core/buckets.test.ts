import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketSizes, buckets, daysIn } from '../../src/core/buckets.ts';
import { runs } from '../property-runs.ts';
import { dayNumber, days, numbered } from './second-calendar.ts';

describe('buckets', () => {
  test.each([
    ['day', '2026-10-24', '2026-10-26', ['2026-10-24 1', '2026-10-25 1', '2026-10-26 1']],
    ['week', '2026-11-11', '2026-11-20', ['2026-W46 5', '2026-W47 5']],
    ['week', '2026-12-28', '2027-01-04', ['2026-W53 7', '2027-W01 1']],
    ['month', '2026-01-31', '2026-03-01', ['2026-01 1', '2026-02 28', '2026-03 1']],
    ['month', '2026-11-20', '2026-11-20', ['2026-11 1']],
  ] as const)('cuts by %s from %s to %s', (size, from, to, pieces) => {
    const found = buckets({ from, to }, size).map((piece) => `${piece.bucket} ${daysIn(piece)}`);
    expect(found).toEqual(pieces);
  });

  test('covers every day once, under labels of its own', () => {
    fc.assert(
      fc.property(
        days,
        fc.integer({ min: 0, max: 500 }),
        fc.constantFrom(...bucketSizes),
        (from, more, size) => {
          const to = numbered(dayNumber(from) + more);
          const pieces = buckets({ from, to }, size);
          const covered = pieces.flatMap((piece) =>
            Array.from({ length: daysIn(piece) }, (_, index) => dayNumber(piece.from) + index),
          );
          expect(covered).toEqual(Array.from({ length: more + 1 }, (_, i) => dayNumber(from) + i));
          expect(new Set(pieces.map(({ bucket }) => bucket)).size).toBe(pieces.length);
        },
      ),
      { numRuns: runs(30) },
    );
  });
});

describe('daysIn', () => {
  test.each([
    ['2026-11-20', '2026-11-20', 1],
    ['2026-03-28', '2026-03-30', 3],
    ['2028-01-01', '2028-12-31', 366],
  ])('counts %s to %s as %d days', (from, to, count) => {
    expect(daysIn({ from, to })).toBe(count);
  });
});
