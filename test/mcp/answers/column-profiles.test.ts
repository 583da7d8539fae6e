import { describe, expect, test } from 'vitest';
import { profileColumns } from '../../../src/analysis/rows/column-profile.ts';
import { describeColumns, tellingColumns } from '../../../src/mcp/answers/column-profiles.ts';

const { columns } = profileColumns([
  {
    id: 1,
    total_wt: 5,
    is_paid: true,
    is_internal: false,
    backoffice_url: 'a',
    row_hash: 'x',
    address: { city: 'U', zipcode: 'Z' },
  },
  {
    id: 2,
    total_wt: 2.5,
    is_paid: false,
    is_internal: false,
    backoffice_url: 'b',
    row_hash: 'y',
    address: { city: 'U', zipcode: 'Y' },
  },
]);

function told(...fields: string[]): string[] {
  return tellingColumns(columns, fields).map(({ name }) => name);
}

describe('tellingColumns', () => {
  test('leaves out addresses of pages, hashes and flags that are the same in every row', () => {
    expect(told()).toEqual(['id', 'total_wt', 'is_paid', 'address.city', 'address.zipcode']);
  });

  test.each([
    [['total_wt'], ['total_wt']],
    [
      ['is_internal', 'backoffice_url'],
      ['is_internal', 'backoffice_url'],
    ],
    [['address'], ['address.city', 'address.zipcode']],
    [['address.city'], ['address.city']],
  ])('keeps to the columns that were named: %j', (fields, names) => {
    expect(told(...fields)).toEqual(names);
  });
});

describe('describeColumns', () => {
  test('writes amounts alike', () => {
    expect(describeColumns(tellingColumns(columns, ['total_wt']))).toEqual([
      'total_wt: sum 7.50, min 2.50, max 5.00',
    ]);
  });
});
