import { describe, expect, test } from 'vitest';
import { drawRows } from '../../../../src/cli/terminal/figure/draw-rows.ts';

const view = { width: 60, locale: 'en' } as const;
const perShop = [
  { shop_id: 1, orders: 3, turnover: 79.95 },
  { shop_id: 2, orders: 1, turnover: 20 },
];
const labels = { shop_id: { '1': 'Webshop', '2': 'Café Perron' } };

describe('the drawing beneath rows', () => {
  test('has a bar for each, in their order, with the names that ids stand for', () => {
    const rows = perShop.map(({ shop_id, turnover }) => ({ shop_id, turnover }));
    const lines = drawRows(rows.toReversed(), labels, view);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^Café Perron +20\.00 +█+/);
    expect(lines[1]).toMatch(/^Webshop +79\.95 +█{20,}/);
  });

  test('is a course where the rows are days', () => {
    const rows = Array.from({ length: 30 }, (_, at) => ({
      day: `2026-10-${String(at + 1).padStart(2, '0')}`,
      turnover: 100 + at,
    }));
    const [course, ends] = drawRows(rows, {}, view);
    expect(course).toMatch(/^turnover +100 +▁.*█ +129$/);
    expect(ends).toMatch(/Thu 1 Oct +Fri 30 Oct/);
  });

  test.each<[string, Parameters<typeof drawRows>[0]]>([
    ['one row', perShop.slice(0, 1)],
    ['rows without numbers', [{ name: 'a' }, { name: 'b' }]],
    [
      'rows whose only numbers are ids',
      [
        { name: 'a', order_id: 1 },
        { name: 'b', order_id: 2 },
      ],
    ],
    [
      'labels that come twice',
      [
        { name: 'a', n: 1 },
        { name: 'a', n: 2 },
      ],
    ],
    ['more rows than a screen', Array.from({ length: 41 }, (_, n) => ({ name: `a${n}`, n }))],
    ['nothing', []],
  ])('is none of %s', (_, rows) => {
    expect(drawRows(rows, {}, view)).toEqual([]);
  });
});
