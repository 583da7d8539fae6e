import { describe, expect, test } from 'vitest';
import type { FactSplit } from '../../../src/analysis/reference/facts.ts';
import {
  addParts,
  addVat,
  chooseMeasures,
  reportedTotals,
  type TurnoverFigure,
} from '../../../src/analysis/turnover/measures.ts';
import { plain, toDecimal, zero } from '../../../src/core/money.ts';
import { reasonOf } from '../../reasons.ts';

const ofReport = [
  'revenue.total_sales',
  'revenue.total_sales_wt',
  'revenue.total_turnover',
  'revenue.total_turnover_wt',
  'revenue.margin.value',
  'direct_paid.total_wt',
];

function choose(all: readonly string[], wanted?: readonly string[], by: FactSplit = 'total') {
  const args = { measures: wanted && [...wanted] };
  const { chosen, ...rest } = chooseMeasures(all, { tool: 'turnover_trend', by, args });
  return { chosen: [...chosen], ...rest };
}

const figure = (measure: string, value: number, id?: number): TurnoverFigure => {
  return { measure, value: toDecimal(value) ?? zero, subject: id === undefined ? {} : { id } };
};

describe('reportedTotals', () => {
  const totals = (parts: readonly TurnoverFigure[], ofReport: readonly TurnoverFigure[]) =>
    reportedTotals(parts, ofReport).map(({ measure, value }) => [measure, plain(value)]);
  const paid = [
    figure('direct_paid.payments.amount_wt', 2, 1),
    figure('direct_paid.payments.amount_wt', 3, 2),
  ];

  test('has the documented total of turnover, though rows add up to another', () => {
    const shops = [figure('a.turnover_wt', 1, 1), figure('a.turnover_wt', 2, 2)];
    const whole = [figure('revenue.total_turnover', 3), figure('revenue.total_turnover_wt', 3.01)];
    expect(totals(shops, whole)).toEqual([['a.turnover_wt', 3.01]]);
  });

  test.each([
    ['that the rows add up to', [figure('b.total_wt', 4), figure('b.check.payments_wt', 5)], 5],
    ['not of the other side of VAT', [figure('b.total', 5)], undefined],
    ['not a percentage', [figure('b.percentage_wt', 5)], undefined],
  ])('of other measures has a figure of the whole %s', (_, whole, total) => {
    expect(totals(paid, whole)).toEqual(total ? [['direct_paid.payments.amount_wt', total]] : []);
  });

  test('gives no total of percentages', () => {
    expect(totals([figure('a.percentage', 1, 1)], [figure('b', 1)])).toEqual([]);
  });
});

test('each rate has the sum of what is paid and what is not, and no sum of percentages', () => {
  const ofRates = [
    figure('direct_paid.rates.vat', 1, 1),
    figure('direct_paid.rates.vat', 2, 2),
    figure('direct_paid.rates.percentage', 21, 1),
    figure('not_paid_now.rates.vat', 4, 1),
  ];
  const added = addParts(ofRates).map(({ measure, value, subject }) => [
    measure,
    subject.id,
    plain(value),
  ]);
  expect(added).toEqual([
    ['rates.vat', 1, 5],
    ['rates.vat', 2, 2],
  ]);
});

test.each([
  [['direct_paid.rates.vat', 'not_paid_now.rates.vat'], [3]],
  [['direct_paid.rates.vat', 'direct_paid.other.vat'], []],
  [['direct_paid.rates.btw'], []],
])('VAT of a whole is what the rates %j give as VAT', (names, expected) => {
  const ofRates = names.map((name, at) => figure(name, at + 1, at));
  expect(addVat(ofRates, {}).map(({ value }) => plain(value))).toEqual(expected);
});

test.each([
  ['what its sides differ by, but for rounding', { sold: 100, sold_wt: 121, tax: 21.01 }, [21.01]],
  ['no measure that is something else', { sold: 100, sold_wt: 121, items: 5 }, []],
  ['none of two that it may be', { sold: 100, sold_wt: 121, tax: 21, charged: 21 }, []],
  ['none where a side is missing', { sold: 100, tax: 21 }, []],
])('VAT of a whole whose rates call it otherwise is %s', (_, measures, expected) => {
  const ofRates = Object.entries(measures).map(([name, value]) =>
    figure(`direct_paid.rates.${name}`, value, 1),
  );
  expect(addVat(ofRates, {}).map(({ value }) => plain(value))).toEqual(expected);
});

describe('chooseMeasures', () => {
  test.each<[what: string, all: string[], wanted: string[] | undefined, names: string[]]>([
    ['the report’s own turnover and margin', ofReport, undefined, ofReport.slice(2, 5)],
    ['whatever a split calls turnover', ['a.turnover', 'a.items'], undefined, ['a.turnover']],
    ['all that calls nothing turnover', ['a.omzet', 'a.btw'], undefined, ['a.omzet', 'a.btw']],
    ['the one figure on both sides of VAT', ['a.n', 'b.n', 'b.n_wt'], undefined, ['b.n', 'b.n_wt']],
    ['by a part of a name', ofReport, ['Sales'], ofReport.slice(0, 2)],
    ['by the whole name that one alone', ofReport, ['revenue.total_sales'], ofReport.slice(0, 1)],
    ['both sides of VAT as listed', ofReport, ['revenue.total_sales[_wt]'], ofReport.slice(0, 2)],
    ['each once', ofReport, ['margin', 'margin.value'], ['revenue.margin.value']],
    ['nothing of nothing', [], ['sales'], []],
  ])('chooses %s', (_, all, wanted, names) => {
    expect(choose(all, wanted).chosen).toEqual(names);
  });

  const ofShops = ['shop_totals.turnover', 'shop_totals.turnover_wt', 'shop_totals.items'];

  test.each<[wanted: string, names: string[], all?: string[]]>([
    ['turnover', ofShops.slice(0, 2)],
    ['turnover_wt', ofShops.slice(1, 2)],
    ['total_turnover_wt', ofShops.slice(1, 2)],
    ['revenue.total_turnover_wt', ofShops.slice(1, 2)],
    // A full name is that of one measure: turnover without VAT.
    ['revenue.total_turnover', ofShops.slice(0, 1)],
    ['total_turnover', ofShops.slice(0, 2)],
    ['revenue.total_turnover[_wt]', ofShops.slice(0, 2)],
    ['turnover_by_group.groups.turnover_wt', ofShops.slice(1, 2)],
    ['rates.turnover', ofShops.slice(0, 1)],
    ['turnover_by_group.shop_totals.turnover_wt', ofReport.slice(3, 4), ofReport],
    ['turnover', ofReport.slice(2, 4), ofReport],
    ['total_turnover_wt', ofReport.slice(3, 4), ofReport],
    ['turnover_wt', ofReport.slice(3, 4), ofReport],
  ])(
    'understands turnover by any of its names, in any split: %s',
    (wanted, names, all = ofShops) => {
      expect(choose(all, [wanted], 'shop').chosen).toEqual(names);
    },
  );

  test('of VAT rates names those of both blocks together, and a block where it is named', () => {
    const blocks = ['direct_paid.rates', 'not_paid_now.rates'];
    const names = ['turnover', 'turnover_wt', 'vat'];
    const all = ['rates', ...blocks].flatMap((block) => names.map((name) => `${block}.${name}`));
    const chosen = (...wanted: string[]) => choose(all, wanted, 'tax_rate').chosen;
    expect(choose(all, undefined, 'tax_rate').chosen).toEqual(all.slice(0, 3));
    expect(chosen('turnover_wt', 'vat')).toEqual(['rates.turnover_wt', 'rates.vat']);
    expect(chosen('direct_paid.rates.vat')).toEqual(['direct_paid.rates.vat']);
    expect(chosen('not_paid_now')).toEqual(all.slice(6));
  });

  test('lists what is left out, both sides of VAT as one unless one was chosen', () => {
    expect(choose(ofReport).others).toEqual(['revenue.total_sales[_wt]', 'direct_paid.total_wt']);
    expect(choose(ofReport, ['revenue.total_sales']).others).toContain('revenue.total_sales_wt');
  });

  test.each(['turnover', 'turnover_wt', 'total_turnover_wt', 'revenue.total_turnover_wt'])(
    'says of a split without turnover what it has: %s',
    (name) => {
      const measures = ['direct_paid.payments.amount_wt'];
      expect(() => choose(measures, [name], 'payment_method')).toThrow(
        reasonOf({ code: 'unknown_measures', by: 'payment_method', name, measures }),
      );
    },
  );

  test('refuses a name that fits none, with those there are', () => {
    expect(() => choose(['groups.turnover'], ['margin'], 'turnover_group')).toThrow(
      reasonOf({
        code: 'unknown_measures',
        by: 'turnover_group',
        name: 'margin',
        measures: ['groups.turnover'],
      }),
    );
    const measures = ['revenue.total_sales[_wt]', 'revenue.total_turnover[_wt]'];
    expect(() => choose(ofReport, ['revenue.totl_sales'])).toThrow(
      reasonOf({
        code: 'unknown_measures',
        tool: 'turnover_trend',
        name: 'revenue.totl_sales',
        nearest: 'revenue.total_sales',
        measures: [...measures, 'revenue.margin.value', 'direct_paid.total_wt'],
      }),
    );
  });
});
