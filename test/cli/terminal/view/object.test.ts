import { describe, expect, test } from 'vitest';
import { viewObject } from '../../../../src/cli/terminal/view/object.ts';

describe('viewObject', () => {
  test('gives each value a line, members an indentation and lists of rows a table', () => {
    const close = {
      date: '2026-11-19',
      location_id: null,
      payments: [
        { provider_method_type_id: 501, amount_wt: 226.3 },
        { provider_method_type_id: 504, amount_wt: 1245.32 },
      ],
      revenue: { margin: { value: 2, percentage: 50.5 }, total: 4 },
      order_count: 65,
    };
    const labels = { provider_method_type_id: { '501': 'Contant', '504': 'Pin' } };
    expect(viewObject(close, labels, 80)).toEqual([
      'date         2026-11-19',
      'location_id  none',
      'order_count  65',
      '',
      'payments',
      '  provider_method_type_id  amount_wt',
      '  Contant (501)               226.30',
      '  Pin (504)                  1245.32',
      '',
      'revenue',
      '  total  4',
      '',
      '  margin',
      '    value       2',
      '    percentage  50.50',
    ]);
  });

  test('breaks long values beside their names', () => {
    expect(viewObject({ note: 'a remark that takes more than its line' }, {}, 28)).toEqual([
      'note  a remark that takes',
      '      more than its line',
    ]);
  });

  test('ends where an answer nests without end', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`);
    expect(viewObject(deep, {}, 80).at(-1)).toContain('{"a":{"a":');
  });

  test('lets no character act on the terminal', () => {
    expect(viewObject({ 'k\u0007': 'v\u001b[31m' }, {}, 80)).toEqual(['k\\u{7}  v\\u{1b}[31m']);
  });
});
