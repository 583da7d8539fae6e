import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideFigure, type FigureRequest } from '../../../src/analysis/figure/decide-figure.ts';
import { type FigureNotes, readFigure } from '../../../src/analysis/figure/figure.ts';
import { figureText } from '../../../src/analysis/figure/figure-text.ts';
import { numberIn } from '../../../src/core/json.ts';

const notes: FigureNotes = { source: 'live', complete: true, warnings: [] };

/** A request written as a table: the columns with their types, then rows of values. */
function ask(
  columns: Record<string, string>,
  rows: readonly (readonly unknown[])[],
  rest: Partial<FigureRequest> = {},
) {
  const names = Object.keys(columns);
  return decideFigure({
    columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
    rows: rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]]))),
    notes,
    ...rest,
  });
}

function drawn(...request: Parameters<typeof ask>) {
  const decision = ask(...request);
  return 'figure' in decision ? decision.figure : expect.unreachable(decision.refusal);
}

function refused(...request: Parameters<typeof ask>) {
  const decision = ask(...request);
  return 'refusal' in decision ? decision.refusal : expect.unreachable('it was drawn');
}

const byDay = { day: 'DATE', turnover: 'DECIMAL(18,2)' };
const byShop = { shop: 'VARCHAR', turnover: 'DECIMAL(18,2)' };

describe('the axis', () => {
  test.each([
    ['DATE', '2026-11-02', 'day', '2026-11-02'],
    ['VARCHAR', '2026-W45', 'week', '2026-W45'],
    ['VARCHAR', '2026-11', 'month', '2026-11'],
    // Half past eleven in the evening, UTC, is the next day in Amsterdam.
    ['TIMESTAMP WITH TIME ZONE', '2026-11-02T23:30:00Z', 'day', '2026-11-03'],
    ['VARCHAR', 'Webshop', 'name', 'Webshop'],
    ['VARCHAR', '2026-W54', 'name', '2026-W54'],
    ['VARCHAR', '2026-13', 'name', '2026-13'],
    ['DATE', '2026-02-30', 'name', '2026-02-30'],
    ['BIGINT', 2026, 'name', '2026'],
    ['BOOLEAN', true, 'name', 'true'],
  ])('of %s %s is a %s', (type, value, axisType, label) => {
    const { axis, kind } = drawn({ when: type, turnover: 'BIGINT' }, [[value, 1]]);
    expect(axis).toEqual({ name: 'when', type: axisType, labels: [label] });
    expect(kind).toBe(axisType === 'name' ? 'bars' : 'line');
  });

  test('is one of names when one value is no day', () => {
    const { axis } = drawn(byShop, [
      ['2026-11-02', 1],
      ['total', 2],
    ]);
    expect(axis.type).toBe('name');
  });

  test('runs with time, also when the statement runs against it', () => {
    const rows = [
      ['2026-11-04', 1],
      ['2026-11-03', 2],
      ['2026-11-02', 3],
    ];
    const { axis, kind, series } = drawn(byDay, rows, { isOrdered: true });
    expect(kind).toBe('line');
    expect(axis.labels).toEqual(['2026-11-02', '2026-11-03', '2026-11-04']);
    expect(series[0]?.values).toEqual([3, 2, 1]);
  });

  test('keeps a ranking of days as the bars that the statement ordered', () => {
    const rows = [
      ['2026-11-04', 9],
      ['2026-11-01', 5],
      ['2026-11-02', 3],
    ];
    const { axis, kind } = drawn(byDay, rows, { isOrdered: true });
    expect(kind).toBe('bars');
    expect(axis.labels).toEqual(['2026-11-04', '2026-11-01', '2026-11-02']);
    expect(drawn(byDay, rows, { isOrdered: true, kind: 'line' }).axis.labels).toEqual([
      '2026-11-01',
      '2026-11-02',
      '2026-11-04',
    ]);
  });

  test.each([
    [false, ['C', 'A', 'B', 'D']],
    [true, ['A', 'B', 'C', 'D']],
  ])(
    'of names has the largest first, unless the statement orders them (%s)',
    (isOrdered, labels) => {
      const rows = [
        ['A', 5],
        ['B', -7],
        ['C', '12.50'],
        ['D', null],
      ];
      expect(drawn(byShop, rows, { isOrdered }).axis.labels).toEqual(labels);
    },
  );

  test('of numbers that name nothing keeps their order', () => {
    const { axis } = drawn({ hour: 'BIGINT', orders: 'BIGINT' }, [
      [10, 5],
      [9, 7],
      [17, 1],
    ]);
    expect(axis.labels).toEqual(['9', '10', '17']);
  });

  test('of ids has their names, and the number beside a name that two of them have', () => {
    const labels = { shop_id: { 1: 'Bar', 2: 'Webshop', 3: 'Bar' } };
    const { axis } = drawn(
      { shop_id: 'BIGINT', turnover: 'DOUBLE' },
      [
        [1, 4],
        [2, 3],
        [3, 2],
        [4, 1],
      ],
      { labels },
    );
    expect(axis).toEqual({
      name: 'shop',
      type: 'name',
      labels: ['Bar (1)', 'Webshop', 'Bar (3)', '4'],
    });
  });

  test('leaves a row without a day out, and says so', () => {
    const figure = drawn(byDay, [
      ['2026-11-02', 1],
      [null, 9],
    ]);
    expect(figure.axis.labels).toEqual(['2026-11-02']);
    expect(figure.notes.warnings).toEqual(['1 row has no day and no place in the figure.']);
    expect(
      drawn(byShop, [
        ['A', 1],
        [null, 9],
      ]).axis.labels,
    ).toEqual(['–', 'A']);
  });
});

describe('the series', () => {
  test('are all columns of numbers, with gaps where there is none', () => {
    const columns = { shop: 'VARCHAR', now: 'DECIMAL(18,2)', before: 'HUGEINT' };
    const { series, measures } = drawn(columns, [
      ['A', 2, null],
      ['B', '1.10', 3],
    ]);
    expect(measures).toEqual(['now', 'before']);
    expect(series).toEqual([
      { name: 'now', values: [2, 1.1] },
      { name: 'before', values: [null, 3] },
    ]);
  });

  test('are parted by a second text column', () => {
    const columns = { day: 'DATE', shop: 'VARCHAR', turnover: 'DOUBLE' };
    const rows = [
      ['2026-11-02', 'A', 1],
      ['2026-11-02', 'B', 2],
      ['2026-11-03', 'B', 3],
    ];
    const { series, split } = drawn(columns, rows);
    expect(split).toEqual({ name: 'shop', type: 'name' });
    expect(series).toEqual([
      { name: 'A', values: [1, null] },
      { name: 'B', values: [2, 3] },
    ]);
  });

  test('are parted by ids with names and by months, in time order', () => {
    const columns = { shop: 'VARCHAR', month: 'VARCHAR', turnover: 'DOUBLE' };
    const { series } = drawn(columns, [
      ['A', '2026-11', 1],
      ['A', '2026-10', 2],
    ]);
    expect(series.map(({ name }) => name)).toEqual(['2026-10', '2026-11']);
  });

  test('keep a place for rows of no month', () => {
    const columns = { shop: 'VARCHAR', month: 'VARCHAR', turnover: 'DOUBLE' };
    const rows = [
      ['A', '2026-11', 1],
      ['A', null, 2],
    ];
    const figure = drawn(columns, rows);
    expect(figure.series.map(({ name }) => name)).toEqual(['2026-11', '–']);
    expect(figureText(figure, 'en')).toContain('Nov 2026: 1 (A); –: 2 (A).');
  });

  test('of several columns of numbers say which is which', () => {
    const columns = { day: 'DATE', shop: 'VARCHAR', now: 'DOUBLE', before: 'DOUBLE' };
    const rows = [
      ['2026-11-02', 'A', 1, 2],
      ['2026-11-02', 'B', 3, 4],
    ];
    expect(drawn(columns, rows).series.map(({ name }) => name)).toEqual([
      'A · now',
      'A · before',
      'B · now',
      'B · before',
    ]);
  });

  test('are not parted by what only describes the rows', () => {
    const columns = { day: 'DATE', weekday: 'VARCHAR', turnover: 'DOUBLE' };
    const figure = drawn(columns, [
      ['2026-11-02', 'ma', 1],
      ['2026-11-03', 'di', 2],
    ]);
    expect(figure.series.map(({ name }) => name)).toEqual(['turnover']);
    expect(figure.omitted).toEqual(['weekday']);
  });

  test('take their name from a column that says the same in every row', () => {
    const columns = { day: 'DATE', shop: 'VARCHAR', turnover: 'DOUBLE' };
    const figure = drawn(columns, [
      ['2026-11-02', 'Webshop', 1],
      ['2026-11-03', 'Webshop', 2],
    ]);
    expect(figure.series.map(({ name }) => name)).toEqual(['Webshop']);
  });

  test('names beside bare ids stand for them', () => {
    const columns = { id: 'BIGINT', name: 'VARCHAR', turnover: 'DOUBLE' };
    const figure = drawn(columns, [
      [1, 'A', 1],
      [2, 'B', 2],
    ]);
    expect(figure.axis).toEqual({ name: 'name', type: 'name', labels: ['B', 'A'] });
    expect(figure.omitted).toEqual(['id']);
  });
});

describe('the unit', () => {
  test.each([
    ['€', 'euro'],
    ['EUR', 'euro'],
    ['%', 'percent'],
    [' count ', 'count'],
    ['kilo', 'kilo'],
    ['constructor', 'constructor'],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %s', (unit, known) => {
    expect(drawn({ shop: 'VARCHAR', turnover_wt: 'DOUBLE' }, [['A', 1]], { unit }).unit).toBe(
      known,
    );
  });
});

describe('a refusal', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => [`n${index}`, index]);

  test.each<[string, string, () => string]>([
    ['no rows', 'no rows', () => refused(byDay, [])],
    [
      'no numbers',
      'no column holds numbers',
      () => refused({ day: 'DATE', shop: 'VARCHAR' }, [['2026-11-02', 'A']]),
    ],
    [
      'nothing but an axis',
      'no column holds numbers',
      () => refused({ turnover: 'BIGINT' }, [[1]]),
    ],
    ['numbers that are all missing', 'empty in every row', () => refused(byShop, [['A', null]])],
    [
      'a label twice',
      'GROUP BY',
      () =>
        refused(byShop, [
          ['A', 1],
          ['A', 2],
        ]),
    ],
    [
      'a label twice in one series',
      'with the same "shop"'.replaceAll('"', ''),
      () =>
        refused({ day: 'DATE', shop: 'VARCHAR', method: 'VARCHAR', n: 'BIGINT' }, [
          ['2026-11-02', 'A', 'x', 1],
          ['2026-11-02', 'A', 'y', 2],
          ['2026-11-02', 'B', 'y', 2],
        ]),
    ],
    ['401 names', '401 different values', () => refused(byShop, many(401))],
    ['5,000 names', '5000 different values', () => refused(byShop, many(5000))],
    [
      '13 series',
      '13 values of shop',
      () =>
        refused(
          { day: 'DATE', shop: 'VARCHAR', n: 'BIGINT' },
          many(13).map(([name]) => ['2026-11-02', name, 1]),
        ),
    ],
    [
      'sizes that one scale cannot show',
      'orders (up to 12) cannot be seen beside turnover (up to 9100.5)',
      () => refused({ shop: 'VARCHAR', turnover: 'DOUBLE', orders: 'BIGINT' }, [['A', 9100.5, 12]]),
    ],
  ])('of %s says why, and what to change', (_, reason, refusal) => {
    expect(refusal()).toContain(reason);
    expect(refusal()).toMatch(/\. [A-Z]|: no |empty/);
  });

  test('gives way to a unit that all columns are of', () => {
    const columns = { shop: 'VARCHAR', turnover: 'DOUBLE', discount: 'DOUBLE' };
    expect(drawn(columns, [['A', 9100.5, 12]], { unit: 'euro' }).series).toHaveLength(2);
  });

  test('is not due to 400 labels', () => {
    expect(drawn(byShop, many(400)).axis.labels).toHaveLength(400);
  });
});

describe('a figure', () => {
  const cell = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.constant(null),
    fc.constant(undefined),
    fc.string(),
    fc.constantFrom('2026-11-02', '2026-W45', '12.50', '-0.01', '99999999999999999999.99'),
    fc.object(),
  );
  const type = fc.constantFrom(
    'VARCHAR',
    'BIGINT',
    'DECIMAL(18,2)',
    'DATE',
    'STRUCT(a INTEGER)',
    'INTEGER[]',
    '"NULL"',
  );

  test('of any result is well formed, survives JSON, and has only numbers that were given', () => {
    const anyTable = fc.record({
      types: fc.array(type, { minLength: 1, maxLength: 4 }),
      rows: fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(anyTable, fc.boolean(), ({ types, rows }, isOrdered) => {
        const columns = Object.fromEntries(types.map((one, index) => [`c${index}`, one]));
        const decision = ask(columns, rows, { isOrdered });
        if ('refusal' in decision) {
          expect(decision.refusal.length).toBeGreaterThan(20);
          return;
        }
        const { figure } = decision;
        expect(readFigure(JSON.parse(JSON.stringify(figure)))).toEqual(figure);
        expect(figureText(figure, isOrdered ? 'nl' : 'en')).toContain(figure.axis.name);
        const given = new Set(rows.flat().map(numberIn));
        for (const { values } of figure.series)
          for (const value of values) if (value !== null) expect(given).toContain(Number(value));
      }),
    );
  });

  test.each([{}, null, 'figure', [], { v: 2 }, { v: 1, kind: 'pie' }])('is not %j', (value) => {
    expect(readFigure(value)).toBeUndefined();
  });

  test('with a series that is too short is none', () => {
    const figure = drawn(byShop, [
      ['A', 1],
      ['B', 2],
    ]);
    const [series] = figure.series;
    expect(readFigure({ ...figure, series: [{ ...series, values: [1] }] })).toBeUndefined();
    expect(readFigure(figure)).toBe(figure);
  });
});
