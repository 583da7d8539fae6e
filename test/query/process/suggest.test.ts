import { expect, test } from 'vitest';
import { type ReadTable, suggestColumn } from '../../../src/query/process/suggest.ts';
import type { TableKind, Tables } from '../../../src/query/provider.ts';
import type { SqlType } from '../../../src/query/sql-type.ts';

const ids = { id: 'list_orders.id', shop_id: 'shops.id', order_id: 'list_orders.id' };
const customers = { relation_data_id: 'search_customers.id', customer_id: 'search_customers.id' };
const facts = { ids: { ...ids, ...customers }, leftOut: {}, isOfOrders: false };
const calls = (args: string[], columns = {}): TableKind => {
  return { kind: 'calls', arguments: args, columns, facts };
};
const tables: Tables = new Map([
  ['list_orders', calls(['period', 'shop_id'])],
  ['search_customers', calls(['q', 'segment_id'])],
  ['shops', calls([], { id: 'integer', title: 'text' })],
]);

function table(
  columns: Record<string, SqlType>,
  numbers: [path: string, measure: string][] = [],
): ReadTable {
  const found = numbers.map(([path, measure]) => ({ path, measure }));
  return { columns: Object.entries(columns), facts: found };
}

const read = {
  turnover_trend: table({
    bucket: 'DATE',
    revenue: { total_turnover_wt: 'DECIMAL(18,2)' },
    reference: { revenue: { total_turnover_wt: 'DECIMAL(18,2)' } },
  }),
  get_financial_report: table({ path: 'VARCHAR', measure: 'VARCHAR' }, [
    ['revenue', 'total_turnover'],
    ['direct_paid', 'turnover_wt'],
    ['not_paid_now', 'turnover_wt'],
    ['direct_paid.balance_check', 'difference_wt'],
  ]),
  list_orders: table({
    id: 'BIGINT',
    shop_id: 'BIGINT',
    relation_data_id: 'BIGINT',
    customer_name: 'VARCHAR',
    total_wt: 'DECIMAL(18,2)',
  }),
};

test.each<[guess: string, among: keyof typeof read, meant: string | undefined]>([
  ['total_turnover_wt', 'turnover_trend', 'revenue.total_turnover_wt'],
  ['revenue.total_turnover_wt', 'turnover_trend', 'revenue.total_turnover_wt'],
  ['total_turnover', 'turnover_trend', 'revenue.total_turnover_wt'],
  ['Total_Turnover', 'get_financial_report', "value ... WHERE measure = 'total_turnover'"],
  ['revenue.total_turnover', 'get_financial_report', "value ... WHERE measure = 'total_turnover'"],
  [
    'turnover_wt',
    'get_financial_report',
    "value ... WHERE path = 'direct_paid' AND measure = 'turnover_wt'",
  ],
  ['differences_wt', 'get_financial_report', "value ... WHERE measure = 'difference_wt'"],
  [
    'balance_check',
    'get_financial_report',
    "measure, value ... WHERE path = 'direct_paid.balance_check'",
  ],
  ['customer_id', 'list_orders', 'relation_data_id'],
  ['order_id', 'list_orders', 'id'],
  ['shop_name', 'list_orders', 'shops.title ... JOIN shops ON shops.id = shop_id'],
  ['customer_title', 'list_orders', 'customer_name'],
  ['totl_wt', 'list_orders', 'total_wt'],
  ['zzzz', 'list_orders', undefined],
  ['zzzz', 'get_financial_report', undefined],
])('%s of %s most likely means %s', (guess, among, meant) => {
  expect(suggestColumn(guess, new Map([[among, read[among]]]), tables)).toBe(meant);
});
