import { expect, test } from 'vitest';
import { type FilledSpan, rowPerGroup } from '../../../src/analysis/turnover/compare.ts';
import { compareValues } from '../../../src/analysis/turnover/earlier-periods.ts';
import { toDecimal } from '../../../src/core/money.ts';
import { periodOf } from '../../../src/core/periods.ts';

const countries = new Map([
  [1, 'NL'],
  [2, 'NL'],
  [11, 'BE'],
]);

/** Turnover of VAT rates: what each has now, and had before. */
function span(figures: readonly [id: number, current: number | null, reference: number | null][]) {
  const day = periodOf({ from: '2026-11-19', to: '2026-11-19' });
  const cells = figures.map(([id, current, reference]) => ({
    measure: 'rates.vat',
    subject: { id, name: `rate ${id}` },
    ...compareValues(toDecimal(current) ?? null, [toDecimal(reference) ?? []].flat()),
  }));
  const filled: FilledSpan = { period: day, others: [day], excluded: [], unusual: [], cells };
  return filled;
}

test('rates of several countries are added up for each, what is missing is nothing', () => {
  const figures = span([
    [1, 0.1, 1],
    [2, 0.2, null],
    [11, null, 4],
  ]);
  expect(rowPerGroup(figures, countries)).toEqual([
    {
      measure: 'rates.vat',
      name: 'NL',
      current: 0.3,
      reference: 1,
      difference: -0.7,
      percent: -70,
    },
    {
      measure: 'rates.vat',
      name: 'BE',
      current: null,
      reference: 4,
      difference: null,
      percent: null,
    },
  ]);
});

test('VAT rates of a single country make no rows of countries', () => {
  const figures = span([
    [1, 1, 1],
    [2, 1, 1],
  ]);
  expect(rowPerGroup(figures, countries)).toEqual([]);
});
