import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { figureCsv } from '../../../src/analysis/figure/figure-text.ts';
import { byShop, drawn } from './requests.ts';

describe('figureCsv', () => {
  test('reads back as it was, whatever the names', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(names, (names) => {
        const rows = names.map((shop, index) => [shop, index]);
        const figure = drawn(byShop, rows, { isOrdered: true });
        const read: string[][] = parse(figureCsv(figure)).slice(1);
        expect(read).toHaveLength(figure.axis.labels.length);
        for (const [index, label] of figure.axis.labels.entries())
          expect([label, `'${label}`]).toContain(read[index]?.[0]);
      }),
    );
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['@x', "'@x"],
    ['-cmd', "'-cmd"],
    ['-12.5', '-12.5'],
    ['a,"b"', '"a,""b"""'],
  ])('writes %s as %s', (shop, written) => {
    expect(figureCsv(drawn(byShop, [[shop, 1]]))).toBe(`shop,turnover\r\n${written},1\r\n`);
  });
});
