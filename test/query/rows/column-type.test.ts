import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isStruct, type SqlType, sqlTypeOf } from '../../../src/query/rows/column-type.ts';
import { emptyShape, observe } from '../../../src/query/rows/shape.ts';

function typeOf(values: readonly unknown[]): unknown {
  const shape = emptyShape();
  for (const value of values) observe(shape, value);
  const type = sqlTypeOf(shape);
  return type === undefined ? undefined : plain(type);
}

function plain(type: SqlType): unknown {
  if (isStruct(type)) {
    return Object.fromEntries(type.fields.map(({ name, type }) => [name, plain(type)]));
  }
  return typeof type === 'string' ? type : [plain(type[0])];
}

describe('the type of a column', () => {
  test.each<[string, unknown[], unknown]>([
    ['whole numbers', [1, null, -5], 'BIGINT'],
    ['flags', [0, 1, 1], 'BIGINT'],
    ['a number beyond 32 bits', [4_000_000_000], 'BIGINT'],
    ['amounts', [1, 12.5, 0.05], 'DECIMAL(18,2)'],
    ['amounts as text', ['12.50', '0.00', '-3.10'], 'DECIMAL(18,2)'],
    ['amounts as text, some whole', ['12.50', '0', null], 'DECIMAL(18,2)'],
    ['amounts as text and as numbers', ['12.50', 3, 1.125], 'DECIMAL(18,3)'],
    ['large amounts', [123_456_789_012.25, 1.123456], 'DECIMAL(38,6)'],
    ['dust', [0.30000000000000004], 'DOUBLE'],
    ['exponents', [1e-7, 2], 'DOUBLE'],
    ['whole-number text', ['12', '7'], 'VARCHAR'],
    ['zip codes', ['01234', '2011'], 'VARCHAR'],
    ['telephone numbers', ['+31612345678'], 'VARCHAR'],
    ['codes with a point', ['007.5', '1.5'], 'VARCHAR'],
    ['an amount and a word', ['12.50', 'none'], 'VARCHAR'],
    ['an empty text among amounts', ['12.50', ''], 'VARCHAR'],
    ['days', ['2026-11-02', null], 'DATE'],
    ['a day that does not exist', ['2026-02-30'], 'VARCHAR'],
    ['a leap day', ['2028-02-29'], 'DATE'],
    ['the leap day of another year', ['2026-02-29'], 'VARCHAR'],
    ['instants', ['2026-11-02T10:15:00+01:00', '2026-11-02T09:15:00Z'], 'TIMESTAMPTZ'],
    ['instants with a fraction', ['2026-11-02T10:15:00.1234567Z'], 'TIMESTAMPTZ'],
    ["Amsterdam's clock", ['2026-11-02 10:15:00', '2026-11-02T10:15'], 'TIMESTAMPTZ'],
    ['an hour that does not exist', ['2026-11-02T25:15:00Z'], 'VARCHAR'],
    ['days and instants', ['2026-11-02', '2026-11-02T10:15:00Z'], 'VARCHAR'],
    ['truths', [true, false, null], 'BOOLEAN'],
    ['truths and numbers', [true, 1], 'VARCHAR'],
    ['numbers and text', [1, 'x'], 'VARCHAR'],
    ['nothing', [null, null], undefined],
    ['objects', [{ city: 'A' }, { zip: 1 }, null], { city: 'VARCHAR', zip: 'BIGINT' }],
    ['objects without keys', [{}], 'JSON'],
    ['objects in objects', [{ a: { b: 1.5 } }], { a: { b: 'DECIMAL(18,1)' } }],
    ['objects of which a field is always null', [{ a: null }], { a: 'VARCHAR' }],
    ['objects and texts', [{ a: 1 }, 'x'], 'JSON'],
    ['lists', [[1, 2], [], null], ['BIGINT']],
    ['empty lists', [[]], ['VARCHAR']],
    [
      'lists of objects',
      [[{ id: 1 }], [{ id: 2, x: '1.50' }]],
      [{ id: 'BIGINT', x: 'DECIMAL(18,2)' }],
    ],
    ['lists and texts', [[1], 'x'], 'JSON'],
    [
      'keys that differ in case',
      [{ Id: 1, id: 2, ID: 3 }],
      { Id: 'BIGINT', id_1: 'BIGINT', ID_2: 'BIGINT' },
    ],
    ['an empty key', [{ '': 1 }], { _: 'BIGINT' }],
    [
      'a thousand keys',
      [Object.fromEntries(Array.from({ length: 1000 }, (_, key) => [key, 1]))],
      'JSON',
    ],
  ])('of %s', (_, values, expected) => {
    expect(typeOf(values)).toEqual(expected);
  });

  test('counts the digits of every number as they are written', () => {
    const number = fc.oneof(
      fc.integer({ min: -2_000_000_000_000, max: 2_000_000_000_000 }).map((cents) => cents / 100),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }),
    );
    fc.assert(
      fc.property(number, (value) => {
        fc.pre(!Number.isInteger(value) && !String(value).includes('e'));
        const shape = emptyShape();
        observe(shape, value);
        const [integer = '', fraction = ''] = String(Math.abs(value)).split('.');
        expect([shape.integerDigits, shape.scale]).toEqual([integer.length, fraction.length]);
        expect(shape.digits).toBe(integer.length + fraction.length);
      }),
    );
  });

  test('is JSON below twelve levels', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 40; level++) deep = { deep };
    expect(JSON.stringify(typeOf([deep]))).toContain('"deep":"JSON"');
  });
});
