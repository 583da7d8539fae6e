import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResultColumn } from '../../../src/analysis/figure/columns.ts';
import { decideFigure } from '../../../src/analysis/figure/decide-figure.ts';
import { readFigure } from '../../../src/analysis/figure/figure.ts';
import { figureText } from '../../../src/analysis/figure/text/figure-text.ts';
import { numberIn } from '../../../src/core/json.ts';
import { ask, byDay, byShop, drawn, notes, refused } from './requests.ts';

describe('the unit', () => {
  test.each([
    ['€', 'euro'],
    ['EUR', 'euro'],
    ['%', 'percent'],
    [' count ', 'count'],
    ['kilo', 'kilo'],
    ['constructor', 'constructor'],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %s', (unit, known) => {
    expect(drawn(byShop, [['A', 1]], { unit }).unit).toBe(known);
  });
});

/** The unit that columns are drawn in, each 0.5 at a shop; or why they are not. */
function inUnits(
  unit: string,
  columns: readonly (readonly [string, ResultColumn['unit']])[],
): string {
  const decision = decideFigure({
    columns: [
      { name: 'shop', type: 'VARCHAR' },
      ...columns.map(([name, own]) => ({ name, type: 'DOUBLE', unit: own })),
    ],
    rows: [{ shop: 'A', ...Object.fromEntries(columns.map(([name]) => [name, 0.5])) }],
    unit,
    notes,
  });
  if ('refusal' in decision) return decision.refusal;
  const { figure } = decision;
  return `${figure.unit}: ${figureText(figure, 'en')}`;
}

describe('the unit of columns', () => {
  test.each([
    ['euro', undefined, '€0.50'],
    ['euro', 'count', 'are counts, not euros'],
    ['euro', 'percent', 'are percentages, not euros'],
    ['percent', 'percent', '0.5%'],
    ['percent', 'ratio', '50.0%'],
    ['percent', 'count', 'are counts, not percentages'],
    ['stuks', 'count', '0.5 stuks'],
    ['euro', 'ratio', '€0.50'],
  ] as const)('asked as %s, known to be %s, is written as %s', (asked, own, written) => {
    expect(inUnits(asked, [['x', own]])).toContain(written);
  });
});

describe('a refusal', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => [`n${index}`, index]);

  test.each<[string, string, () => string]>([
    ['no rows', 'no rows', () => refused(byDay, [])],
    [
      'no numbers',
      'no column holds numbers',
      () => refused({ day: 'DATE', shop: 'VARCHAR' }, [['2026-11-02', 'A']]),
    ],
    [
      'nothing but an axis',
      'no column holds numbers',
      () => refused({ turnover: 'BIGINT' }, [[1]]),
    ],
    ['numbers that are all missing', 'empty in every row', () => refused(byShop, [['A', null]])],
    [
      'a label twice',
      'GROUP BY',
      () =>
        refused(byShop, [
          ['A', 1],
          ['A', 2],
        ]),
    ],
    [
      'a label twice in one series',
      'with the same shop',
      () =>
        refused({ day: 'DATE', shop: 'VARCHAR', method: 'VARCHAR', n: 'BIGINT' }, [
          ['2026-11-02', 'A', 'x', 1],
          ['2026-11-02', 'A', 'y', 2],
          ['2026-11-02', 'B', 'y', 2],
        ]),
    ],
    ['401 names', '401 different values', () => refused(byShop, many(401))],
    [
      '13 series',
      '13 values of shop',
      () =>
        refused(
          { day: 'DATE', shop: 'VARCHAR', n: 'BIGINT' },
          many(13).map(([name]) => ['2026-11-02', name, 1]),
        ),
    ],
    [
      'two units on one scale',
      'turnover holds euros and orders counts',
      () =>
        inUnits('€', [
          ['turnover', undefined],
          ['orders', 'count'],
        ]),
    ],
    [
      'bars of both sides of VAT',
      'a part beside its whole',
      () => refused({ shop: 'VARCHAR', turnover: 'DOUBLE', turnover_wt: 'DOUBLE' }, [['A', 1, 2]]),
    ],
    [
      'bars of VAT beside what it is of',
      'vat (the VAT)',
      () =>
        refused({ rate: 'VARCHAR', measure: 'VARCHAR', value: 'DOUBLE' }, [
          ['NL 21%', 'turnover_wt', 121],
          ['NL 21%', 'vat', 21],
        ]),
    ],
    ['what may be shares', 'part lies between 0 and 1', () => inUnits('%', [['part', undefined]])],
  ])('of %s says why, and what to change', (_, reason, refusal) => {
    expect(refusal()).toContain(reason);
    expect(refusal()).toMatch(/\. [A-Z]|: no |empty/);
  });

  test('is not due to 400 labels', () => {
    expect(drawn(byShop, many(400)).axis.labels).toHaveLength(400);
  });
});

describe('a figure', () => {
  const cell = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.constant(null),
    fc.constant(undefined),
    fc.string(),
    fc.constantFrom('2026-11-02', '2026-W45', '12.50', '-0.01', '99999999999999999999.99'),
    fc.object(),
  );
  const type = fc.constantFrom(
    'VARCHAR',
    'BIGINT',
    'DECIMAL(18,2)',
    'DATE',
    'STRUCT(a INTEGER)',
    'INTEGER[]',
    '"NULL"',
  );

  test('of any result is well formed, survives JSON, and has only numbers that were given', () => {
    const anyTable = fc.record({
      types: fc.array(type, { minLength: 1, maxLength: 4 }),
      rows: fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(anyTable, fc.boolean(), ({ types, rows }, isOrdered) => {
        const columns = Object.fromEntries(types.map((one, index) => [`c${index}`, one]));
        const decision = ask(columns, rows, { isOrdered });
        if ('refusal' in decision) {
          expect(decision.refusal.length).toBeGreaterThan(20);
          return;
        }
        const { figure } = decision;
        expect(readFigure(JSON.parse(JSON.stringify(figure)))).toEqual(figure);
        expect(figureText(figure, isOrdered ? 'nl' : 'en')).toContain(figure.axis.name);
        const given = new Set(rows.flat().map(numberIn));
        for (const { values } of figure.series)
          for (const value of values) if (value !== null) expect(given).toContain(Number(value));
      }),
    );
  });

  test.each([{}, null, 'figure', [], { v: 2 }, { v: 1, kind: 'pie' }])('is not %j', (value) => {
    expect(readFigure(value)).toBeUndefined();
  });
});
