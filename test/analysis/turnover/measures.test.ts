import { describe, expect, test } from 'vitest';
import { chooseMeasures } from '../../../src/analysis/turnover/measures.ts';

const ofReport = [
  'revenue.total_sales',
  'revenue.total_sales_wt',
  'revenue.total_turnover',
  'revenue.total_turnover_wt',
  'revenue.margin.value',
  'direct_paid.total_wt',
  'direct_paid.turnover_wt',
];

function chosen(all: readonly string[], wanted?: readonly string[]): string[] {
  const { isChosen } = chooseMeasures(all, wanted, { tool: 'turnover_trend', by: 'total' });
  return all.filter(isChosen);
}

describe('chooseMeasures', () => {
  test.each<[what: string, all: string[], wanted: string[] | undefined, names: string[]]>([
    [
      'the report’s own turnover and margin where nothing is named',
      ofReport,
      undefined,
      ['revenue.total_turnover', 'revenue.total_turnover_wt', 'revenue.margin.value'],
    ],
    [
      'whatever a split calls turnover',
      ['groups.shops.turnover', 'groups.shops.turnover_wt', 'groups.shops.items'],
      undefined,
      ['groups.shops.turnover', 'groups.shops.turnover_wt'],
    ],
    [
      'all of a split that calls nothing turnover',
      ['a.omzet', 'a.btw'],
      undefined,
      ['a.omzet', 'a.btw'],
    ],
    ['by a part of a name', ofReport, ['Sales'], ['revenue.total_sales', 'revenue.total_sales_wt']],
    [
      'by the whole name that one alone',
      ofReport,
      ['revenue.total_sales'],
      ['revenue.total_sales'],
    ],
    [
      'by a name as it is listed with its twin',
      ofReport,
      ['revenue.total_sales[_wt]'],
      ['revenue.total_sales', 'revenue.total_sales_wt'],
    ],
    ['of several names each once', ofReport, ['margin', 'margin.value'], ['revenue.margin.value']],
    [
      'all of a report whose turnover goes by another name, margin or not',
      ['revenue.omzet_wt', 'revenue.margin.value'],
      undefined,
      ['revenue.omzet_wt', 'revenue.margin.value'],
    ],
    ['nothing of nothing', [], ['sales'], []],
  ])('chooses %s', (_, all, wanted, names) => {
    expect(chosen(all, wanted)).toEqual(names);
  });

  test('lists what is left out, twins as one', () => {
    expect(
      chooseMeasures(ofReport, undefined, { tool: 'compare_turnover', by: 'total' }).others,
    ).toEqual(['revenue.total_sales[_wt]', 'direct_paid.total_wt', 'direct_paid.turnover_wt']);
  });

  test('lists a twin by its own name where the other was chosen', () => {
    expect(
      chooseMeasures(ofReport, ['revenue.total_turnover'], {
        tool: 'compare_turnover',
        by: 'total',
      }).others,
    ).toContain('revenue.total_turnover_wt');
  });

  test('says of a split that it has fewer of them', () => {
    const asked = { tool: 'compare_turnover', by: 'turnover_group' } as const;
    expect(() => chooseMeasures(['groups.turnover'], ['margin'], asked)).toThrow(
      'compare_turnover: no measure by turnover_group is called "margin". There are groups.turnover. The report splits some measures only: without by there are more.',
    );
  });

  test('refuses a name that fits none, with the nearest and all there are', () => {
    expect(() =>
      chooseMeasures(ofReport, ['revenue.totl_sales'], { tool: 'turnover_trend', by: 'total' }),
    ).toThrow(
      'turnover_trend: no measure is called "revenue.totl_sales". Did you mean revenue.total_sales? There are revenue.total_sales[_wt], revenue.total_turnover[_wt], revenue.margin.value,',
    );
  });
});
