import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { runs } from '../property-runs.ts';
import { fakeProvider, runSql } from './fake-tables.ts';

async function ask(sql: string, rows: readonly JsonObject[]) {
  const { columns, rows: out } = await runSql(sql, { provider: fakeProvider({ t: rows }) });
  return { columns: columns.map(({ name, type }) => ({ name, type })), rows: out };
}

/** What goes in comes out, in the type it was given. */
describe('rows', () => {
  test.each<[string, unknown[], string, unknown[]?]>([
    ['whole numbers', [1, -7, null, 9_007_199_254_740_991], 'BIGINT'],
    ['amounts', [12.5, 0.05, -3, 1e6], 'DECIMAL(18,4)'],
    ['amounts as text', ['12.50', '0.05', '-3.00'], 'DECIMAL(18,4)', [12.5, 0.05, -3]],
    ['amounts of sixteen digits', [99_999_999_999_999.98, 0.5], 'DECIMAL(38,4)'],
    ['dust', [0.30000000000000004, 1], 'DOUBLE', [0.3, 1]],
    ['days', ['2026-11-02', null], 'DATE'],
    [
      'instants',
      ['2026-11-02T10:15:00+01:00', '2026-07-01T00:00:00Z', '2026-07-01T00:00:00.123456+0530'],
      'TIMESTAMP WITH TIME ZONE',
      [
        '2026-11-02T10:15:00+01:00',
        '2026-07-01T02:00:00+02:00',
        '2026-06-30T20:30:00.123456+02:00',
      ],
    ],
    [
      "Amsterdam's clock",
      ['2026-11-02 10:15:00', '2026-07-02T10:15', '2026-07-02T10:15:00.25'],
      'TIMESTAMP WITH TIME ZONE',
      ['2026-11-02T10:15:00+01:00', '2026-07-02T10:15:00+02:00', '2026-07-02T10:15:00.25+02:00'],
    ],
    ['truths', [true, false, null], 'BOOLEAN'],
    ['amounts with blank texts', ['12.50', '', ' ', 3], 'DECIMAL(18,4)', [12.5, null, null, 3]],
    ['days with blank texts', ['2026-11-02', ''], 'DATE', ['2026-11-02', null]],
    ['whole numbers with a blank text', [1, ''], 'BIGINT', [1, null]],
    ['nothing but blank texts', ['', null], 'VARCHAR'],
    [
      'whole numbers beyond 2^53',
      [1, '9007199254740993', '-9007199254740993'],
      'BIGINT',
      [1, '9007199254740993', '-9007199254740993'],
    ],
    ['whole numbers of thirty digits', [1, '1'.repeat(30)], 'HUGEINT', [1, '1'.repeat(30)]],
    ['texts', ['x', '', 'it\'s "so"', 'é\n\u0000 🙂', '007', '12'], 'VARCHAR'],
    ['numbers and texts', [1.5, 'x', true], 'VARCHAR', ['1.5', 'x', 'true']],
    ['numbers and objects', [1.5, { a: [1, 'x'] }, 'x'], 'JSON'],
    ['lists', [[1, null], [], null], 'BIGINT[]'],
    ['nothing, which goes with everything', [null, null], 'INTEGER'],
  ])('of %s', async (_, values, type, expected = values) => {
    const { columns, rows } = await ask(
      'SELECT v FROM t',
      values.map((v) => ({ v })),
    );
    expect(columns).toEqual([{ name: 'v', type }]);
    expect(rows.map(({ v }) => v)).toEqual(expected);
  });

  test.each<[string, unknown[], unknown[]?]>([
    ['order_number', ['2026-11-02', '2026-11-03']],
    ['sku', ['12.50', '13.00']],
    ['sku', ['12.50', 1.5], ['12.50', '1.5']],
    ['ean', ['8710000000017', null]],
    ['customer.phone', ['2026-11-02T10:15:00Z']],
  ])('of codes are text whatever they look like: %s', async (name, values, codes = values) => {
    const field = name.split('.').at(-1) ?? '';
    const rows = values.map((value) =>
      name === field ? { [field]: value } : { customer: { [field]: value } },
    );
    const { columns, rows: read } = await ask(`SELECT ${name} AS code FROM t`, rows);
    expect(columns).toEqual([{ name: 'code', type: 'VARCHAR' }]);
    expect(read.map(({ code }) => code)).toEqual(codes);
  });

  test.each([
    '0999-11-02',
    '2026-02-30',
    '2026-11-02t10:15:00z',
    '2026-11-02T10:15:00 Z',
    '2026-11-02 10:15+01:00',
  ])('of %s are text, which the engine does not read', async (v) => {
    const { columns, rows } = await ask('SELECT v FROM t', [{ v }]);
    expect({ columns, rows }).toEqual({ columns: [{ name: 'v', type: 'VARCHAR' }], rows: [{ v }] });
  });

  test.each<[type: string, unknown, string, unknown?]>([
    ['VARCHAR', 'n', 'numbers', 'n'],
    ['DECIMAL(18,5)', 0.125, 'numbers'],
    ['DATE', '2026-11-02', 'nothing'],
    ['STRUCT("a" BIGINT, "b" VARCHAR)', { a: 1, b: 'x' }, 'objects'],
  ])('are %s by one value that comes late, %o after %s', async (type, last, before) => {
    const first = { numbers: 7, nothing: null, objects: { a: 1 } }[before];
    const many = Array.from({ length: 40_000 }, (_, nr) => ({ nr, v: nr < 39_999 ? first : last }));
    const { columns, rows } = await ask('SELECT v FROM t ORDER BY nr DESC LIMIT 1', many);
    expect(columns).toEqual([{ name: 'v', type }]);
    expect(rows).toEqual([{ v: last }]);
  });

  test('of objects are reached with dots, however deep', async () => {
    const rows = [{ a: { b: { c: 1.5 } } }, { a: { b: null } }, { a: null }, {}];
    const answer = await ask('SELECT a.b.c, sum(a.b.c) OVER () AS total FROM t', rows);
    expect(answer.rows.map(({ c, total }) => [c, total])).toEqual([
      [1.5, 1.5],
      [null, 1.5],
      [null, 1.5],
      [null, 1.5],
    ]);
  });

  test('may have keys with quotes in them, and go without those that differ by case alone', async () => {
    const rows = [{ Id: 1, id: 2, 'a "b" \'c\'': 3 }];
    const answer = await runSql('SELECT * FROM t', { provider: fakeProvider({ t: rows }) });
    expect(answer.rows).toEqual([{ Id: 1, 'a "b" \'c\'': 3 }]);
    expect(answer.hints).toMatchObject([{ code: 'columns_left_out', columns: ['id'] }]);
  });

  test('go without a column that has a NUL in its name', async () => {
    const name = 'a\u0000b';
    const all = await ask('SELECT * FROM t', [{ id: 1, [name]: 2 }]);
    expect(all.rows).toEqual([{ id: 1 }]);
    expect((await ask('SELECT id FROM t', [{ id: 1, [name]: 2 }])).rows).toEqual([{ id: 1 }]);
    const fields = await ask('SELECT part.a FROM t', [{ part: { a: 5, [name]: 2 } }]);
    expect(fields.rows).toEqual([{ a: 5 }]);
  });

  test('go without a described column that SQL cannot name', async () => {
    const columns = { '': 'text', '.x': 'text', id: 'integer' } as const;
    const kind = { kind: 'calls', arguments: [], columns } as const;
    const provider = fakeProvider({ t: [{ id: 1 }] }, { t: kind });
    expect((await runSql('FROM t', { provider })).rows).toEqual([{ id: 1 }]);
  });

  test('take a known type for a column of nulls, and for numbers that are texts elsewhere', async () => {
    const columns = { a: 'text', b: 'decimal' } as const;
    const provider = fakeProvider(
      { t: [{ a: 1, b: null }, { a: 2 }] },
      { t: { kind: 'calls', arguments: [], columns } },
    );
    const answer = await runSql('FROM t', { provider });
    expect(answer.columns.map(({ type }) => type)).toEqual(['VARCHAR', 'DECIMAL(18,4)']);
    expect(answer.rows).toHaveLength(2);
  });

  test.each(['quantity', 'line_amount', 'weight'])(
    'with a fraction among values of %s make a decimal column',
    async (name) => {
      const [whole, decimal] = [{ [name]: 2 }, { [name]: 0.5 }];
      const sql = `SELECT ${name} || ' x' AS said FROM t`;
      expect((await ask(sql, [whole])).rows).toEqual([{ said: '2 x' }]);
      expect((await ask(sql, [whole, decimal])).rows[0]).toEqual({ said: '2.0000 x' });
    },
  );

  test('have room for halves of a cent', async () => {
    const { rows } = await ask('SELECT median(v) AS v FROM t', [{ v: '21.80' }, { v: 22.15 }]);
    expect(rows).toEqual([{ v: 21.975 }]);
  });
});

describe('sums', () => {
  const cents = fc.integer({ min: -5_000_000_000, max: 5_000_000_000 });
  const amount = fc.oneof(
    cents.map((amount) => amount / 100),
    cents.map((amount) => new Decimal(amount).div(100).toFixed(2)),
    cents.map((amount) => new Decimal(amount).div(1000).toNumber()),
    fc.constant(null),
  );

  test('agree with decimal arithmetic to the last digit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(amount, { minLength: 1, maxLength: 200 }), async (values) => {
        const held = values.filter((value) => value !== null);
        // Whole amounts alone may be text, of which there is no sum.
        fc.pre(held.some((value) => !Number.isInteger(Number(value))));
        const rows = values.map((v) => ({ v }));
        const answer = await ask('SELECT CAST(sum(v) AS VARCHAR) AS total FROM t', rows);
        const total = held.reduce<Decimal>((sum, value) => sum.plus(value), new Decimal(0));
        expect(new Decimal(String(answer.rows[0]?.total)).toString()).toBe(total.toString());
      }),
      { numRuns: runs(15) },
    );
  });
});

/** Null, or a text that is null among numbers. */
function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

describe('any rows', () => {
  const row = fc.dictionary(
    fc.oneof(
      fc.constantFrom('id', 'a', 'b', '__proto__', 'constructor'),
      fc.string({ minLength: 1, maxLength: 5 }).filter((name) => !name.includes('.')),
    ),
    fc.jsonValue({ maxDepth: 3 }),
    { maxKeys: 5 },
  );

  test('come in whole: none is lost, no value disappears', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
        const names = [...new Set(rows.flatMap(Object.keys))];
        // Of those that differ by case alone, the first is there.
        fc.pre(new Set(names.map((name) => name.toLowerCase())).size === names.length);
        const { rows: out } = await ask('FROM t', rows);
        expect(out).toHaveLength(rows.length);
        const held = (all: readonly object[]) =>
          all.flatMap((one) => Object.values(one)).filter((value) => !isBlank(value)).length;
        expect(held(out)).toBe(held(rows));
      }),
      { numRuns: runs(20) },
    );
  });
});
