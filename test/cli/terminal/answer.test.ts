import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ToolCall } from '../../../src/analysis/answer.ts';
import { query } from '../../../src/analysis/query.ts';
import { type ResultView, viewResult } from '../../../src/cli/terminal/answer.ts';
import { personReader } from '../../../src/cli/terminal/catalogue/catalogue.ts';
import { wrap } from '../../../src/cli/terminal/text.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { listOrders } from '../../../src/endpoints/orders.ts';

const labels = { shop_id: { '1': 'Webshop', '2': 'Café Perron' } };
const tool = { tool: 'list_x', input: z.strictObject({}), noun: 'xs' };
const view = { tool, input: {}, width: 80, locale: 'en', flags: [] as string[] } as const;

const { say } = personReader();

/** What a terminal shows of rows, without the headline. */
function show(
  data: JsonObject[],
  { context = {}, ...how }: Partial<ResultView> & { context?: object } = {},
) {
  const read = { rows: data.length, of: data.length };
  const facts = { as_of: 'now', labels, read, complete: true, ...context };
  const shown = { ...view, ...how };
  const lines = viewResult({ content: [], structuredContent: { data, context: facts } }, shown);
  const { tool, noun = 'rows' } = shown.tool;
  const headline = say({
    code: 'headline',
    tool,
    context: facts as never,
    rows: { shown: data.length, total: data.length, noun },
  });
  const rest = lines.slice(wrap(headline, shown.width).length);
  return rest[0] === '' ? rest.slice(1) : rest;
}

const orders = [
  {
    id: 433600052,
    shop_id: 1,
    relation_data_id: 20663,
    customer_name: 'Anna van den Berg-Hoogendoorn',
    is_paid: true,
    total_wt: 79.95,
    date_created: '2026-11-15T23:59:30+01:00',
  },
  {
    id: 433600051,
    shop_id: 2,
    relation_data_id: 20560,
    customer_name: null,
    is_paid: true,
    total_wt: 1041.2,
    date_created: '2026-11-15T23:06:40+01:00',
  },
];

describe('rows in a terminal', () => {
  test('have names for ids, local times and aligned figures, and say once what is shared', () => {
    expect(show(orders, { width: 110 })).toEqual([
      'id         shop_id        relation_data_id  customer_name                  total_wt €  date_created',
      '433600052  1 Webshop      20663             Anna van den Berg-Hoogendoorn       79.95  2026-11-15 23:59',
      '433600051  2 Café Perron  20560                                              1,041.20  2026-11-15 23:06',
      say({ code: 'columns_alike', areEmpty: false, columns: ['is_paid true'], isWhole: true }),
    ]);
  });

  test('leave out bare ids first, then the last, and name them', () => {
    const [titles, , , ...notes] = show(orders, { width: 60 });
    expect(titles).toMatch(/^id +shop_id +customer_name +total_wt €$/);
    const columns = ['relation_data_id', 'date_created'];
    expect(notes.join(' ')).toContain(say({ code: 'no_room_for', columns }));
  });

  test('keep their own id where other columns go', () => {
    const rows = ['shop', 'location'].map((kind, at) => {
      return { kind, id: 3 + at, name: `Utrecht ${at}`, shops: `Webshop (1), Utrecht ${at} (7)` };
    });
    const [title, , , left] = show(rows, { width: 30 });
    expect(title).toBe('kind      id  name');
    expect(left).toBe('No room for (--csv has every');
  });

  test('keep the amount, and leave segments out before anything else but ids', () => {
    const wide = orders.map((row) => ({ segment: `Regulars ${row.id}`, ...row, points: row.id }));
    const ordered = wide.map(({ id, segment, ...row }) => ({ id, segment, ...row }));
    const titlesAt = (width: number) => show(ordered, { width })[0]?.split(/ {2,}/);
    expect(titlesAt(76)).toEqual(['id', 'shop_id', 'customer_name', 'total_wt €', 'date_created']);
    expect(titlesAt(40)).toEqual(['id', 'customer_name', 'total_wt €']);
    expect(titlesAt(22)).toEqual(['id', 'total_wt €']);
  });

  test('show a moment whole or not at all', () => {
    const moments = ['2026-10-25T02:30:00+01:00', '2026-10-25T01:30:00Z'].map((at, nth) => {
      return { title: `A title of some length ${nth}`, at };
    });
    for (let width = 20; width < 60; width += 1)
      expect(show(moments, { width }).join('\n')).not.toMatch(/2026-\S*…/);
  });

  test('show figures in the signs of the reader, as drawings do, but no year', () => {
    const rows = [
      { year: 2025, orders: 12345, total_wt: -1234567.5 },
      { year: 2026, orders: 7, total_wt: 0.5 },
    ];
    expect(show(rows, { locale: 'nl' })).toEqual([
      'year  orders     total_wt €',
      '2025  12.345  -1.234.567,50',
      '2026       7           0,50',
    ]);
    expect(show(rows)[1]).toBe('2025  12,345  -1,234,567.50');
  });

  test.each<[string, JsonObject[], string[]]>([
    ['a single row whole', [{ id: 1, name: 'Boeken' }], ['id  name', '1   Boeken']],
    [
      'rows within rows counted',
      [[{ id: 1 }, { id: 2 }], [{ id: 1 }]].map((shops, at) => ({ id: at + 1, shops })),
      ['id  shops', '1   2 rows', '2   1 row'],
    ],
    [
      'percents with as many decimals',
      [{ percent: 6.1 }, { percent: -100 }, { percent: 33.333 }, { percent: null }],
      [' percent', '   6.100', '-100.000', '  33.333', ''],
    ],
    ['what parts cells as it is', [{ a: 'x|y\\', b: '# z' }], ['a     b', 'x|y\\  # z']],
    [
      'no character that acts on the terminal',
      [{ 'na\u001bme': 'a\u001b[2Jb\nc' }, { 'na\u001bme': 'd' }],
      ['na\\u001bme', 'a\\u001b[2Jb\\nc', 'd'],
    ],
    [
      'a moment that came in another zone as Amsterdam’s clock shows it',
      [{ at: '2026-11-15T23:06:40Z' }],
      ['at', '2026-11-16 00:06'],
    ],
    ['nothing of no rows', [], []],
  ])('show %s', (_, rows, lines) => {
    expect(show(rows)).toEqual(lines);
  });

  test('fit the width, whatever they hold, as long as one column does', () => {
    const value = fc.oneof(fc.integer(), fc.string({ maxLength: 30 }), fc.constant(null));
    const row = fc.record({ id: fc.nat(99_999), a: value, b: value, c: value, d: value });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 40, max: 160 }),
        (rows, width) => {
          for (const line of show(rows, { width }).slice(0, rows.length + 1))
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});

const rows = Array.from({ length: 120 }, (_, index) => ({ id: index + 1, total_wt: index }));

describe('an answer in a terminal', () => {
  test('leaves out addresses, as the text for a model does, unless they are named', () => {
    const data = [1, 2].map((id) => ({ id, site: `https://example.com/${id}` }));
    const note = say({ code: 'addresses_hidden', columns: ['site'], by: 'fields' });
    expect(show(data, { tool: listOrders })).toEqual(['id', '1', '2', note]);
    expect(show(data, { tool: listOrders, input: { fields: 'id,site' } })[1]).toContain('https');
  });

  test.each<[next: ToolCall, said: string]>([
    [
      { tool: 'list_orders', arguments: { period: 'last_week', start: 2 } },
      'The next: commerce-mcp call list_orders period=last_week start=2',
    ],
    [
      { tool: 'list_orders', arguments: { cursor: "a'b", fields: ['id'] } },
      `The next: commerce-mcp call list_orders 'cursor=a'\\''b' 'fields=["id"]'`,
    ],
    [
      { tool: 'read_rows', arguments: { result_id: 'r_1', start: 2 } },
      say({ code: 'next_call', tool: 'read_rows', arguments: { result_id: 'r_1' } }),
    ],
  ])('gives the command for what comes next, quoted for a shell: %j', (next, said) => {
    const context = { complete: false, read: { rows: 2, of: 9 }, next };
    const lines = show(rows.slice(0, 2), { context, width: 200 });
    const rest = say({ code: 'rows_not_read', rows: 2, of: 9 });
    expect(lines.slice(-2)).toEqual([rest, said]);
  });

  test('is drawn beneath its rows where all of them are there', () => {
    const drawn = (data: JsonObject[], context = {}) => {
      const result = {
        content: [],
        structuredContent: { data, context: { as_of: 'now', ...context } },
      };
      return viewResult(result, { ...view, tool: query }).join('\n');
    };
    const shops = ['a', 'b'].map((name, at) => ({ name, orders: at + 1 }));
    expect(drawn(shops)).toContain('█');
    expect(drawn(shops, { complete: false })).not.toContain('█');
    expect(drawn(rows)).not.toContain('█');
  });

  test('says what holds over all rows, names no row that went, and warns in words for a person', () => {
    const id = 'r_7f3a';
    const table = { table: 'list_orders', rows: 9, calls: 1, complete: true, result: id };
    const text = 'It differs by 2.\u0007';
    const context = {
      tables: [{ ...table, arguments: {} }],
      result: {
        id,
        rows: 9,
        expires_at: '2026-11-15T23:06:40+01:00',
        columns: [
          { name: 'id', type: 'integer', distinct: 9 },
          { name: 'total_wt', type: 'amount', sum: 12.5 },
        ],
      },
      warnings: [{ code: 'balance_differs', text }],
    };
    expect(show([], { context })).toEqual([
      'Read list_orders: 9 rows, whole, 1 call.',
      '',
      'Over all 9 rows:',
      '  total_wt: sum 12.50',
      'Warning: It differs by 2.\\u0007',
    ]);
  });

  test('shows an object by its values, lists as tables', () => {
    const values = { turnover: 10, turnover_wt: 12.5, shop_id: 1, empty: null };
    const payload = { ...values, rates: [{ tax_rate_id: 1, vat: 2.5 }] };
    const structuredContent = { ...payload, context: { labels, as_of: 'now' } };
    const content: [] = [];
    expect(viewResult({ content, structuredContent }, view)).toEqual([
      'list_x: as of now',
      '',
      'turnover     10.00',
      'turnover_wt  12.50',
      'shop_id      1 Webshop',
      'empty        none',
      '',
      'rates',
      'tax_rate_id  vat €',
      '1             2.50',
    ]);
  });

  test('shows what is nested too deep as JSON', () => {
    let nested: JsonObject = { end: 1 };
    for (let depth = 0; depth < 2000; depth += 1) nested = { nested };
    const result = { content: [], structuredContent: { ...nested, context: { as_of: 'now' } } };
    expect(viewResult(result, view).at(-1)).toContain('{"nested":{"nested"');
  });
});
