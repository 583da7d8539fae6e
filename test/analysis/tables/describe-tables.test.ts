import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../../src/analysis/define-tool.ts';
import {
  type ColumnKnowledge,
  createColumnKnowledge,
} from '../../../src/analysis/tables/columns/column-knowledge.ts';
import { type Detail, describeTables } from '../../../src/analysis/tables/describe-tables.ts';
import { namedTables } from '../../../src/analysis/tables/table-names.ts';
import { toolsets } from '../../../src/endpoints/define.ts';
import { Catalogue } from '../../../src/mcp/tools/catalogue.ts';

const tools = new Catalogue({ toolsets }).list();

function describing(
  detail: Detail,
  knowledge: ColumnKnowledge = createColumnKnowledge(),
  {
    among = tools,
    refused = {},
  }: {
    among?: readonly ToolDefinition[];
    refused?: Record<string, string>;
  } = {},
) {
  const known = { knowledge, refusal: (tool: string) => refused[tool] };
  const rows = describeTables(namedTables(among), known, detail);
  return (name: string) => rows.find((row) => row.name === name) ?? {};
}

describe('the look at all tables', () => {
  test('has each list once, by its plain name where it has one', () => {
    const row = describing('short');
    expect(row('shops')).toMatchObject({ name: 'shops' });
    expect(row('list_shops')).toEqual({});
    expect(row('list_orders')).toMatchObject({ name: 'list_orders' });
    expect(row('result')).toMatchObject({ arguments: "('id')" });
  });

  test('has no table for what asks nothing of the platform, nor for itself', () => {
    const row = describing('short');
    for (const name of ['query', 'read_rows', 'show_figure']) expect(row(name)).toEqual({});
  });

  test('stars the arguments that have to be given', () => {
    const row = describing('short');
    expect(row('list_orders').arguments).toMatch(/^period\* shop_id /);
    expect(row('list_order_items').arguments).toContain('order_id*');
    expect(row('search_customers').arguments).toBe('q segment_id');
  });

  test('says what arguments mean in full', () => {
    expect(describing('full')('list_orders').arguments).toMatch(/^period\* \(.+\); .*status \(/);
  });

  test('says that columns have not been seen yet', () => {
    expect(describing('short')('list_orders').columns).toMatch(/not seen yet/);
  });

  test('calls values seen so far, and empty columns empty so far', () => {
    const knowledge = createColumnKnowledge();
    knowledge.remember('list_orders', [
      { id: 1, shop_id: 3, status: 'new', note: null, price_type_id: 1 },
      { id: 2, shop_id: 3, status: 'shipped', note: null, price_type_id: 2 },
      { id: 3, shop_id: 7, status: 'new', note: null, price_type_id: 1 },
    ]);
    const { columns } = describing('full', knowledge)('list_orders');
    expect(columns).toContain('status: text; seen so far: new, shipped');
    expect(columns).toContain('note: empty so far');
    expect(columns).toMatch(/shop_id: integer; joins shops\.id/);
    const short = describing('short', knowledge)('list_orders').columns;
    expect(short).toContain('status{new|shipped|...}');
    expect(short).toContain('price_type_id{1|2|...}');
  });

  test('says of a list that this key may not see that it is not for it', () => {
    const row = describing('short', undefined, { refused: { list_stock: 'forbidden' } });
    expect(row('list_stock')).toMatchObject({ holds: 'not for this key: forbidden', columns: '' });
    expect(row('list_orders').holds).toBe('List orders');
  });

  test('says the columns of lists with the same rows once', () => {
    const knowledge = createColumnKnowledge();
    const customer = { id: 1, name: 'a', email: 'b', first_name: 'c', last_name: 'd' };
    knowledge.remember('search_customers', [customer]);
    knowledge.remember('get_customer', [{ ...customer, phone: '1' }]);
    expect(describing('short', knowledge)('get_customer').columns).toBe(
      'as search_customers, and phone',
    );
    expect(describing('full', knowledge)('get_customer').columns).toContain('email: ');
  });

  test('says of reports where each measure stands and how it is split', () => {
    const knowledge = createColumnKnowledge();
    knowledge.rememberFacts('get_daily_close', [
      { path: '', measure: 'turnover', split: 'total' },
      { path: 'payments', measure: 'amount_wt', split: 'payment_method' },
    ]);
    const { columns } = describing('short', knowledge)('get_daily_close');
    expect(columns).toContain("'': turnover");
    expect(columns).toContain('payments by payment_method: amount_wt');
  });

  test.each(toolsets)('with %s alone names tables of that toolset alone', (toolset) => {
    const among = new Catalogue({ toolsets: [toolset] }).list();
    const names = [...namedTables(among)].flatMap(([name, table]) =>
      table.kind === 'tool' ? [{ name, toolset: table.tool.toolset }] : [],
    );
    expect(names.filter((it) => it.toolset !== toolset)).toEqual([]);
  });

  test('stays whole and within bounds whatever names and values a platform sends', () => {
    const cell = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
    const row = fc.dictionary(fc.string({ minLength: 1, maxLength: 300 }), cell, { maxKeys: 30 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        const knowledge = createColumnKnowledge();
        knowledge.remember('list_orders', rows);
        for (const detail of ['short', 'full'] as const) {
          const told = describing(detail, knowledge)('list_orders');
          expect(told.name).toBe('list_orders');
          expect(String(told.columns).replaceAll('\n', '')).not.toMatch(/\p{C}/u);
        }
      }),
    );
  });
});
