import { describe, expect, test } from 'vitest';
import { type FieldTypes, mergeColumns, withoutFields } from '../../src/core/column-tree.ts';

describe('mergeColumns', () => {
  test('takes the type of the first source that knows it, and the order of the last', () => {
    const documented = { order_number: 'text', tags: 'open' } as const;
    const looked = { id: 'integer', order_number: 'integer', tags: ['text'] } as const;
    const merged = mergeColumns(documented, looked);
    expect(merged).toEqual({ id: 'integer', order_number: 'text', tags: ['text'] });
    expect(Object.keys(merged)).toEqual(['id', 'order_number', 'tags']);
  });

  test('puts objects together field by field', () => {
    const address = mergeColumns(
      { address: { city: 'text', no: 'open' } },
      { address: { no: 'text' } },
    );
    expect(address).toEqual({ address: { city: 'text', no: 'text' } });
  });

  test('knows no column by a name of JavaScript itself', () => {
    const own: FieldTypes = JSON.parse('{"constructor": "text"}');
    expect(mergeColumns({}, own)).toEqual(own);
  });
});

test('withoutFields leaves out by dotted names, within objects and lists', () => {
  const columns: FieldTypes = {
    name: 'text',
    address: { city: 'text', country: 'text' },
    lines: [{ name: 'text', price: 'decimal' }],
  };
  const isOut = (path: string) => ['name', 'address.city', 'lines.name'].includes(path);
  expect(withoutFields(columns, isOut)).toEqual({
    address: { country: 'text' },
    lines: [{ price: 'decimal' }],
  });
});
