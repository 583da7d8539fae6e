import { describe, expect, test } from 'vitest';
import { columnTypes } from '../../../../src/analysis/tables/columns/column-types.ts';

describe('the types of columns without values', () => {
  test.each([
    ['integer', 'BIGINT'],
    ['decimal', 'DECIMAL(18,2)'],
    ['text', 'VARCHAR'],
    ['boolean', 'BOOLEAN'],
    ['timestamp', 'TIMESTAMPTZ'],
    ['day', 'DATE'],
    ['mixed', 'VARCHAR'],
    ['empty', 'VARCHAR'],
    ['nested', 'JSON'],
  ] as const)('are for %s %s', (type, word) => {
    expect(columnTypes([{ name: 'it', type }])).toEqual({ it: word });
  });

  test('are objects where names have dots, however deep', () => {
    expect(
      columnTypes([
        { name: 'id', type: 'integer' },
        { name: 'address.city', type: 'text' },
        { name: 'address.geo.lat', type: 'decimal' },
        { name: 'address.since', type: 'day' },
      ]),
    ).toEqual({
      id: 'BIGINT',
      address: { city: 'VARCHAR', geo: { lat: 'DECIMAL(18,2)' }, since: 'DATE' },
    });
  });

  test('are those of the object where a column is now an object and now none', () => {
    const [before, after] = [
      { name: 'locked_location', type: 'empty' },
      { name: 'locked_location.id', type: 'integer' },
    ] as const;
    const object = { locked_location: { id: 'BIGINT' } };
    expect(columnTypes([before, after])).toEqual(object);
    expect(columnTypes([after, before])).toEqual(object);
  });
});
