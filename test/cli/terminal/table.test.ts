import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { alignTable } from '../../../src/cli/terminal/table.ts';

describe('alignTable', () => {
  test('lines texts up left and figures right, by what a terminal shows', () => {
    const columns = [{ title: 'shop' }, { title: 'euros', isFigure: true }];
    expect(
      alignTable(columns, [
        ['Café', '5.00'],
        ['日本', '1,250.00'],
      ]),
    ).toEqual(['shop     euros', 'Café      5.00', '日本  1,250.00']);
  });

  test('shortens texts and never figures or what has to stay whole', () => {
    const columns = [
      { title: 'id', isWhole: true },
      { title: 'name' },
      { title: 'n', isFigure: true },
    ];
    expect(
      alignTable(columns, [['4336000521', 'a long name of a customer', '123456']], 28),
    ).toEqual(['id          name           n', '4336000521  a long …  123456']);
  });

  test('shortens a dotted path at its beginning, where it tells nothing apart', () => {
    expect(
      alignTable([{ title: 'm' }], [['turnover_by_group.shop_totals.turnover_wt']], 14),
    ).toEqual(['m', '…s.turnover_wt']);
  });

  test('is never wider than the terminal as long as its texts can give way', () => {
    const cells = fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 10 });
    fc.assert(
      fc.property(cells, fc.integer({ min: 20, max: 100 }), (rows, width) => {
        const lines = alignTable([{ title: 'a' }, { title: 'b' }], rows, width);
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});
