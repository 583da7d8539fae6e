import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { viewRows } from '../../../../src/cli/terminal/view/rows.ts';

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

describe('viewRows', () => {
  test('shows names for ids, local times and aligned figures, and says once what is shared', () => {
    expect(viewRows(orders, labels, 120)).toEqual([
      'id         order_number    shop_id          relation_data_id  customer_name                  total_wt  date_created',
      '433600052  W20261115-0052  Webshop (1)      20663             Anna van den Berg-Hoogendoorn     79.95  2026-11-15 23:59',
      '433600051  W20261115-0051  Café Perron (2)  20560                                             1041.20  2026-11-15 23:06',
      'Same in every row: is_paid true',
      'No room for: backoffice_url',
    ]);
  });

  test('leaves out links first, then bare ids, then texts, and names them', () => {
    expect(viewRows(orders, labels, 60)).toEqual([
      'id         shop_id      total_wt  date_created',
      '433600052  Webshop         79.95  2026-11-15 23:59',
      '433600051  Café Perron   1041.20  2026-11-15 23:06',
      'Same in every row: is_paid true',
      'No room for: order_number, relation_data_id, customer_name,',
      'backoffice_url',
    ]);
  });

  test('aligns amounts on the right with two decimals, also those that came as texts', () => {
    const rows = [
      { name: 'a', total_wt: '1041.2', pieces: 5, percent: 12.5 },
      { name: 'b', total_wt: '-3', pieces: 12, percent: 3 },
    ];
    expect(viewRows(rows, {}, 80)).toEqual([
      'name  total_wt  pieces  percent',
      'a      1041.20       5     12.5',
      'b        -3.00      12        3',
    ]);
  });

  test('takes off the path with which all measures begin', () => {
    const rows = [
      { measure: 'revenue.margin.value', current: 1 },
      { measure: 'revenue.margin.percentage', current: 2 },
    ];
    expect(viewRows(rows, {}, 40)).toEqual([
      'measure     current',
      'value             1',
      'percentage        2',
      'Begins in every row: measure',
      'revenue.margin.',
    ]);
  });

  test('shows a single row whole, though all its values are the same in every row', () => {
    expect(viewRows([{ id: 1, name: 'Boeken' }], {}, 80)).toEqual(['id  name', '1   Boeken']);
  });

  test('counts rows within rows and lists plain values', () => {
    const rows = [
      { id: 1, shops: [{ id: 1 }, { id: 2 }], tags: ['a', 'b'] },
      { id: 2, shops: [{ id: 1 }], tags: [] },
    ];
    expect(viewRows(rows, {}, 80)).toEqual(['id  shops   tags', '1   2 rows  a, b', '2   1 row']);
  });

  test('lets no character act on the terminal', () => {
    const rows = [{ 'na\u001bme': 'a\u001b[2Jb\nc' }, { 'na\u001bme': 'd' }];
    expect(viewRows(rows, {}, 80)).toEqual(['na\\u{1b}me', 'a\\u{1b}[2Jb\\nc', 'd']);
  });

  test('keeps the offset of a time that is not Amsterdam’s', () => {
    const rows = [{ at: '2026-11-15T23:06:40Z' }];
    expect(viewRows(rows, {}, 80)).toEqual(['at', '2026-11-15T23:06:40Z']);
  });

  test('has nothing to show of no rows', () => {
    expect(viewRows([], {}, 80)).toEqual([]);
  });

  test('fits the width, whatever the rows hold, as long as one column does', () => {
    const value = fc.oneof(fc.integer(), fc.string({ maxLength: 30 }), fc.constant(null));
    const row = fc.record({ id: fc.nat(99_999), a: value, b: value, c: value, d: value });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1 }),
        fc.integer({ min: 40, max: 160 }),
        (rows, width) => {
          const [head = '', ...lines] = viewRows(rows, {}, width);
          for (const line of [head, ...lines.slice(0, rows.length)])
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});
