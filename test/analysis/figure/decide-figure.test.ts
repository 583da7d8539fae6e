import { describe, expect, test } from 'vitest';
import { figureText } from '../../../src/analysis/figure/text/figure-text.ts';
import { byDay, byShop, drawn, figureOf, notes } from './requests.ts';

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
      '2026-11-03',
      '2026-11-04',
    ]);
  });

  test('of days has those without a row, empty, and counts the others', () => {
    const rows = [
      ['2026-11-02', 1],
      ['2026-11-05', 2],
    ];
    const { axis, series } = drawn(byDay, rows);
    expect(axis).toEqual({
      name: 'day',
      type: 'day',
      labels: ['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05'],
      withRows: 2,
    });
    expect(series[0]?.values).toEqual([1, null, null, 2]);
  });

  test.each([
    ['the days that were asked for', '2026-10-31', '2026-11-03', 4],
    ['days beyond them', '2026-11-02', '2026-11-02', 2],
    ['no days beyond the longest axis', '2020-01-01', '2026-11-30', 2],
  ])('runs over %s', (_, from, to, count) => {
    const rows = [
      ['2026-11-01', 1],
      ['2026-11-02', 2],
    ];
    const { axis } = drawn(byDay, rows, { notes: { ...notes, period: { from, to } } });
    expect(axis.labels).toHaveLength(count);
  });

  test.each([
    ['Mondays', undefined, ['2026-12-28', '2027-01-04', '2027-01-18'], 'week', '2027-W02'],
    ['firsts', undefined, ['2025-11-01', '2025-12-01', '2026-02-01'], 'month', '2026-01'],
    ['weeks of the statement', 'week', ['2026-12-28', '2027-01-18'], 'week', '2027-W02'],
    ['months of the statement', 'month', ['2025-11-01', '2026-02-01'], 'month', '2026-01'],
    [
      'Mondays that the statement takes as days',
      'day',
      ['2026-11-02', '2026-11-09'],
      'day',
      '2026-11-03',
    ],
    [
      'one day of each week',
      undefined,
      ['2026-11-03', '2026-11-10', '2026-11-17'],
      'day',
      undefined,
    ],
    ['quarters of the statement', 'quarter', ['2026-04-01', '2026-07-01'], 'day', undefined],
    ['Mondays far apart', undefined, ['2026-11-02', '2026-11-16'], 'day', '2026-11-03'],
  ] as const)('of %s (%s) is of their unit, without holes', (_, grain, days, type, hole) => {
    const columns = [
      { name: 'day', type: 'DATE', grain },
      { name: 'turnover', type: 'DOUBLE' },
    ];
    const rows = days.map((day) => ({ day, turnover: 1 }));
    const { axis } = figureOf({ columns, rows, notes });
    expect(axis.type).toBe(type);
    expect(axis.withRows).toBe(hole === undefined ? undefined : days.length);
    if (hole !== undefined) expect(axis.labels).toContain(hole);
    expect([...axis.labels].sort()).toEqual(axis.labels);
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
