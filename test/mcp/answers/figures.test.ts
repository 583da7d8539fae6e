import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { figureWriter, writeFigures } from '../../../src/mcp/answers/table.ts';
import { runs } from '../../property-runs.ts';

function written(name: string, values: readonly (string | number)[]): string[] {
  const write = figureWriter(name, values) ?? String;
  return values.map((value) => write(value));
}

describe('figureWriter', () => {
  test.each<[what: string, name: string, values: (string | number)[], texts: string[]]>([
    [
      'amounts with two decimals in every row',
      'total_wt',
      [5, 5.5, -31.85],
      ['5.00', '5.50', '-31.85'],
    ],
    ['amounts that came as texts', 'total_wt', ['5', '0.5'], ['5.00', '0.50']],
    ['counts as they came', 'quantity', [5, 12], ['5', '12']],
    ['more than two decimals as they came', 'weight', [0.125, 2.5], ['0.125', '2.5']],
    ['shares as they came', 'revenue.margin.percentage', [50.5, 50], ['50.5', '50']],
    ['a rate as it came', 'tax_rate', [9, 5.5], ['9', '5.5']],
  ])('writes %s', (_, name, values, texts) => {
    expect(written(name, values)).toEqual(texts);
  });

  test('leaves counts and shares alone where a column holds figures of several measures', () => {
    const rows = [
      { measure: 'revenue.total_turnover_wt', current: 5657.5 },
      { measure: 'revenue.margin.percentage', current: 51.6 },
      { measure: 'order_count', current: 82 },
      { measure: 'average_order_value_wt', current: 69 },
    ];
    const values = rows.map(({ current }) => current);
    const measures = rows.map(({ measure }) => measure);
    expect(writeFigures('current', values, measures)).toEqual([
      '5657.50',
      undefined,
      undefined,
      '69.00',
    ]);
  });

  test('writes as decimal.js does, whatever a column holds', () => {
    const figure = fc.oneof(
      fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.stringMatching(/^-?(?:0|[1-9]\d{0,12})(?:\.\d{1,3}0{0,3})?$/),
      fc.constantFrom(0, -0, '-0', '-0.00', '0.10', 1e21, 1e-7, '12345678901234567890.12'),
    );
    fc.assert(
      fc.property(fc.array(figure), (values) => {
        const decimals = values.map((value) => new Decimal(value));
        const most = Math.max(0, ...decimals.map((value) => value.decimalPlaces()));
        const areAmounts = most === 1 || most === 2;
        const expected = decimals.map((value, at) =>
          areAmounts ? value.toFixed(2) : String(values[at]),
        );
        expect(written('total_wt', values)).toEqual(expected);
      }),
      { numRuns: runs(300) },
    );
  });

  test('rounds nothing, whatever a column holds', () => {
    const amounts = fc.array(
      fc.oneof(
        fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      ),
    );
    fc.assert(
      fc.property(amounts, (values) => {
        expect(written('total_wt', values).map(Number)).toEqual(values.map((value) => value + 0));
      }),
    );
  });
});
