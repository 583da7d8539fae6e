import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { viewAnswer } from '../../../src/cli/terminal/answer.ts';
import type { JsonObject } from '../../../src/core/json.ts';

const labels = { shop_id: { '1': 'Webshop', '2': 'Café Perron' } };

const orders = [
  {
    id: 433600052,
    order_number: 'W20261115-0052',
    shop_id: 1,
    relation_data_id: 20663,
    customer_name: 'Anna van den Berg-Hoogendoorn',
    is_paid: true,
    total_wt: 79.95,
    date_created: '2026-11-15T23:59:30+01:00',
    backoffice_url: 'https://backoffice.example.com/order/433600052',
  },
  {
    id: 433600051,
    order_number: 'W20261115-0051',
    shop_id: 2,
    relation_data_id: 20560,
    customer_name: null,
    is_paid: true,
    total_wt: 1041.2,
    date_created: '2026-11-15T23:06:40+01:00',
    backoffice_url: 'https://backoffice.example.com/order/433600051',
  },
];

/** What a terminal shows of an answer, without its headline. */
function view(structured: JsonObject, width = 80, flags: string[] = []): string[] {
  const [headline, ...lines] = viewAnswer({ structured, headline: 'list_x: 2 x', width, flags });
  expect(headline).toBe('list_x: 2 x');
  return lines[0] === '' ? lines.slice(1) : lines;
}

const table = (data: JsonObject[], width = 80) => view({ data, context: { labels } }, width);

describe('rows in a terminal', () => {
  test('have names for ids, local times and aligned figures, and say once what is shared', () => {
    expect(table(orders, 120)).toEqual([
      'id         order_number    shop_id      relation_data_id  customer_name                  total_wt  date_created',
      '433600052  W20261115-0052  Webshop      20663             Anna van den Berg-Hoogendoorn     79.95  2026-11-15 23:59',
      '433600051  W20261115-0051  Café Perron  20560                                             1041.20  2026-11-15 23:06',
      'Same in every row: is_paid true',
      'No room for (fields=... chooses columns): backoffice_url',
    ]);
  });

  test('leave out links first, then bare ids, then texts, and name them', () => {
    expect(table(orders, 60)).toEqual([
      'id         shop_id      total_wt  date_created',
      '433600052  Webshop         79.95  2026-11-15 23:59',
      '433600051  Café Perron   1041.20  2026-11-15 23:06',
      'Same in every row: is_paid true',
      'No room for (fields=... chooses columns): order_number,',
      'relation_data_id, customer_name, backoffice_url',
    ]);
  });

  test.each<[string, JsonObject[], string[]]>([
    [
      'amounts with two decimals, also those that came as texts, and nothing else',
      [
        { name: 'a', total_wt: '1041.2', pieces: 5, percent: 12.5 },
        { name: 'b', total_wt: '-3', pieces: 12, percent: 3 },
      ],
      [
        'name  total_wt  pieces  percent',
        'a      1041.20       5     12.5',
        'b        -3.00      12        3',
      ],
    ],
    [
      'counts among amounts as counts',
      [
        { measure: 'turnover', current: 2.5 },
        { measure: 'order_count', current: 2 },
      ],
      ['measure      current', 'turnover        2.50', 'order_count        2'],
    ],
    [
      'the path that all measures share once',
      [
        { measure: 'revenue.margin.value', current: 1 },
        { measure: 'revenue.margin.percentage', current: 2 },
      ],
      [
        'measure     current',
        'value             1',
        'percentage        2',
        'Begins in every row: measure revenue.margin.',
      ],
    ],
    ['a single row whole', [{ id: 1, name: 'Boeken' }], ['id  name', '1   Boeken']],
    [
      'rows within rows counted, and plain values listed',
      [
        { id: 1, shops: [{ id: 1 }, { id: 2 }], tags: ['a', 'b'] },
        { id: 2, shops: [{ id: 1 }], tags: [] },
      ],
      ['id  shops   tags', '1   2 rows  a, b', '2   1 row'],
    ],
    [
      'no character that acts on the terminal',
      [{ 'na\u001bme': 'a\u001b[2Jb\nc' }, { 'na\u001bme': 'd' }],
      ['na\\u{1b}me', 'a\\u{1b}[2Jb\\nc', 'd'],
    ],
    [
      'the offset of a time that is not Amsterdam’s',
      [{ at: '2026-11-15T23:06:40Z' }],
      ['at', '2026-11-15T23:06:40Z'],
    ],
    ['nothing of no rows', [], []],
  ])('show %s', (_, rows, lines) => {
    expect(table(rows)).toEqual(lines);
  });

  test('keep the id where two things have one name', () => {
    const context = { labels: { shop_id: { '1': 'Markt', '2': 'Markt' } } };
    const lines = view({
      data: [
        { shop_id: 1, n: 1 },
        { shop_id: 2, n: 2 },
      ],
      context,
    });
    expect(lines.slice(1)).toEqual(['Markt (1)  1', 'Markt (2)  2']);
  });

  test('fit the width, whatever they hold, as long as one column does', () => {
    const value = fc.oneof(fc.integer(), fc.string({ maxLength: 30 }), fc.constant(null));
    const row = fc.record({ id: fc.nat(99_999), a: value, b: value, c: value, d: value });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 40, max: 160 }),
        (rows, width) => {
          for (const line of table(rows, width).slice(0, rows.length + 1))
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});

const rows = Array.from({ length: 120 }, (_, index) => ({ id: index + 1, total_wt: index }));

describe('an answer in a terminal', () => {
  test('shows as many rows as can be overseen, and how to get all', () => {
    const lines = view({ data: rows, context: { complete: true } });
    expect(lines.slice(0, 2)).toEqual(['id  total_wt', '1          0']);
    expect(lines).toHaveLength(1 + 50 + 2);
    expect(lines.at(-1)).toBe('Shown: 50 of 120 rows. Every row that was read: add --csv');
  });

  test.each<[arguments_: JsonObject, command: string]>([
    [{ period: 'last_week', start: 2 }, 'period=last_week start=2 --sandbox'],
    [{ cursor: "a'b", fields: ['id'] }, `'cursor=a'\\''b' 'fields=["id"]' --sandbox`],
  ])('gives the command for what comes next, quoted for a shell: %j', (given, command) => {
    const context = { complete: false, next: { tool: 'list_orders', arguments: given } };
    const lines = view({ data: rows.slice(0, 2), total: 9, context }, 80, ['--sandbox']);
    expect(lines.at(-1)).toBe(
      `Shown: 2 of 9 rows. The next: commerce-mcp call list_orders ${command}`,
    );
  });

  test('names no tool that only reads on in a process that lives on', () => {
    const next = { tool: 'read_rows', arguments: { result_id: 'r_1', start: 2 } };
    const lines = view({ data: rows.slice(0, 2), context: { complete: false, next } });
    expect(lines.at(-1)).toBe('Shown: 2 of 2 rows. Every row that was read: add --csv');
  });

  test('is drawn beneath its rows where all of them are there', () => {
    const draw = (drawn: readonly unknown[]) => [`${drawn.length} bars`];
    const show = (structured: JsonObject) =>
      viewAnswer({ structured, headline: '', width: 80, flags: [], draw });
    expect(show({ data: rows.slice(0, 2), context: {} }).slice(-2)).toEqual(['', '2 bars']);
    expect(show({ data: rows.slice(0, 2), context: { complete: false } })).not.toContain('2 bars');
    expect(show({ data: rows, context: {} })).not.toContain('120 bars');
  });

  test('says what holds over all rows, and warns last in words for a person', () => {
    const columns = [
      { name: 'id', type: 'id', distinct: 9 },
      { name: 'total_wt', type: 'amount', sum: 12.5 },
    ];
    const warnings = ['It differs by 2.\u0007 Pass the figures on as given and say so.'];
    const lines = view({ data: [], context: { result: { rows: 9, columns }, warnings } });
    expect(lines).toEqual([
      'Over all 9 rows:',
      '  total_wt: sum 12.50',
      'Warning: It differs by 2.\\u{7}',
    ]);
  });

  test('shows an object by its values, amounts with and without VAT alike, lists as tables', () => {
    const structured = {
      turnover: 10,
      turnover_wt: 12.5,
      orders: 3,
      shop_id: 1,
      empty: null,
      rates: [{ tax_rate_id: 1, vat: 2.5 }],
      context: { labels },
    };
    expect(view(structured)).toEqual([
      'turnover     10.00',
      'turnover_wt  12.50',
      'orders           3',
      'shop_id      Webshop',
      'empty        none',
      '',
      'rates',
      '  tax_rate_id   vat',
      '  1            2.50',
    ]);
  });

  test('shows what is nested too deep as JSON', () => {
    let nested: JsonObject = { end: 1 };
    for (let depth = 0; depth < 2000; depth += 1) nested = { nested };
    expect(view({ ...nested, context: {} }).at(-1)).toContain('{"nested":{"nested"');
  });
});
