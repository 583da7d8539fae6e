import { describe, expect, test } from 'vitest';
import { selectFields } from '../../../src/analysis/rows/rows.ts';

const rows = [
  { id: 1, total: 5, address: { city: 'Ede', street: 'Dorpsstraat' }, 'a.b': 1, tags: ['x'] },
  { id: 2, total: null, address: null },
];

describe('selectFields', () => {
  test.each([
    [['id'], [{ id: 1 }, { id: 2 }]],
    [
      ['total', 'id'],
      [
        { total: 5, id: 1 },
        { total: null, id: 2 },
      ],
    ],
    [['address.city'], [{ address: { city: 'Ede' } }, {}]],
    [
      ['address.city', 'address.street'],
      [{ address: { city: 'Ede', street: 'Dorpsstraat' } }, {}],
    ],
    [['address'], [{ address: { city: 'Ede', street: 'Dorpsstraat' } }, { address: null }]],
    [
      ['address', 'address.city'],
      [{ address: { city: 'Ede', street: 'Dorpsstraat' } }, { address: null }],
    ],
    [
      ['a.b', 'tags'],
      [{ 'a.b': 1, tags: ['x'] }, {}],
    ],
  ])('keeps %j as it came', (fields, selected) => {
    const before = structuredClone(rows);
    expect(selectFields(rows, fields)).toEqual(selected);
    expect(rows).toEqual(before);
  });

  test('refuses a field that no row has', () => {
    expect(() => selectFields(rows, ['id', 'totl'])).toThrow(
      'fields: there is no column "totl"; did you mean total?',
    );
  });
});
