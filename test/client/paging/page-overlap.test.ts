import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowId } from '../../../src/client/paging/page.ts';
import { gaps, merge, type PlacedPage } from '../../../src/client/paging/page-overlap.ts';

const page = (start: number, ids: number[], total: number, turn = 1): PlacedPage => ({
  start,
  rows: ids.map((id) => ({ id, turn })),
  total,
  turn,
});

describe('gaps', () => {
  test.each([
    ['nothing where pages meet', [page(0, [1, 2], 4), page(2, [3, 4], 4)], 4, []],
    [
      'what no page covers',
      [page(0, [1], 6), page(3, [4, 5], 6)],
      6,
      [
        { from: 1, to: 3 },
        { from: 5, to: 6 },
      ],
    ],
    ['everything without a page', [], 3, [{ from: 0, to: 3 }]],
    [
      'the head, where rows came in while reading',
      [page(0, [1, 2], 4), page(2, [3, 4], 4)],
      6,
      [{ from: 0, to: 2 }],
    ],
    [
      'the seam, where rows left while reading',
      [page(0, [1, 2], 4), page(2, [4], 3)],
      3,
      [{ from: 1, to: 2 }],
    ],
    ['nothing of an empty list', [], 0, []],
  ])('are %s', (_, pages, total, expected) => {
    expect(gaps(pages, total, { from: 0, to: total })).toEqual(expected);
  });

  test('and pages together cover exactly what is wanted', () => {
    const anyPage = fc.record({ start: fc.nat(50), length: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(fc.array(anyPage), fc.nat(60), (given, total) => {
        const pages = given.map(({ start, length }) => page(start, Array(length).fill(0), total));
        const covered = new Set(pages.flatMap(({ start, rows }) => rows.map((_, i) => start + i)));
        const open = gaps(pages, total, { from: 0, to: total }).flatMap(({ from, to }) =>
          Array.from({ length: to - from }, (_, i) => from + i),
        );
        const expected = Array.from({ length: total }, (_, i) => i).filter((i) => !covered.has(i));
        expect(open).toEqual(expected);
      }),
    );
  });
});

describe('merge', () => {
  test('keeps list order, each id once, in the version read last', () => {
    const old = page(2, [3, 4], 4, 1);
    const moved = page(0, [9, 1, 2, 3], 5, 2);
    const { rows, touched } = merge([old, moved], 5, rowId);
    expect(rows.map(({ id, turn }) => [id, turn])).toEqual([
      [9, 2],
      [1, 2],
      [2, 2],
      [3, 2],
      [4, 1],
    ]);
    expect([...touched]).toEqual([moved, old]);
  });

  test('takes the later version of a row wherever the earlier one stood', () => {
    const { rows } = merge([page(0, [1, 2], 4, 1), page(1, [2, 3, 4], 4, 2)], 4, rowId);
    expect(rows.map(({ id, turn }) => [id, turn])).toEqual([
      [1, 1],
      [2, 2],
      [3, 2],
      [4, 2],
    ]);
  });

  test('tells rows without ids apart by their place', () => {
    const rows = ['a', 'b', 'c'].map((name) => ({ name }));
    const pages = [
      { start: 0, rows: rows.slice(0, 2), total: 3, turn: 1 },
      { start: 1, rows: rows.slice(1), total: 3, turn: 2 },
    ];
    expect(merge(pages, 3, rowId).rows).toEqual(rows);
  });
});
