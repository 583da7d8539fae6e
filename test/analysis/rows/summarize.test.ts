import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SummaryRequest, summarizeRows } from '../../../src/analysis/rows/summarize.ts';
import { InputError } from '../../../src/core/errors.ts';

const now = Date.parse('2026-11-20T14:05:00+01:00');

const orders = [
  {
    id: 1,
    shop_id: 3,
    status: 'new',
    is_paid: false,
    total_wt: 10.1,
    at: '2026-11-14T09:10:00+01:00',
    customer: { id: 7 },
  },
  {
    id: 2,
    shop_id: 3,
    status: 'new',
    is_paid: false,
    total_wt: 0.2,
    at: '2026-11-14T08:50:00Z',
    customer: { id: 7 },
  },
  {
    id: 3,
    shop_id: 7,
    status: 'complete',
    is_paid: true,
    total_wt: 20,
    at: '2026-11-14T23:30:00Z',
    customer: { id: 8 },
  },
  {
    id: 4,
    shop_id: 9,
    status: 'shipped',
    is_paid: false,
    total_wt: '5.70',
    at: '2026-11-16T10:00:00+01:00',
    customer: { id: 9 },
  },
  { id: 5, shop_id: 9, status: 'shipped', is_paid: true, total_wt: -6, at: null, customer: null },
];

const summarize = (request: SummaryRequest, rows: typeof orders = orders) =>
  summarizeRows(rows, request, now);

describe('summarizeRows', () => {
  test('counts all rows when asked for nothing', () => {
    expect(summarize({})).toEqual({
      data: [{ count: 5 }],
      total: { count: 5 },
      matched: 5,
      groups: 1,
      otherGroups: 0,
      warnings: [],
    });
  });

  test('gives exact figures a group, greatest first, with each share of the total', () => {
    const { data, total } = summarize({
      groupBy: ['shop_id'],
      metrics: [
        'sum(total_wt)',
        'count',
        'avg(total_wt)',
        'min(total_wt)',
        'max(at)',
        'distinct(customer.id)',
      ],
    });
    expect(data).toEqual([
      {
        shop_id: 7,
        'sum(total_wt)': 20,
        count: 1,
        'avg(total_wt)': 20,
        'min(total_wt)': 20,
        'max(at)': '2026-11-14T23:30:00Z',
        'distinct(customer.id)': 1,
        'percent_of_total(sum(total_wt))': 66.67,
        'percent_of_total(count)': 20,
      },
      {
        shop_id: 3,
        'sum(total_wt)': 10.3,
        count: 2,
        'avg(total_wt)': 5.15,
        'min(total_wt)': 0.2,
        'max(at)': '2026-11-14T08:50:00Z',
        'distinct(customer.id)': 1,
        'percent_of_total(sum(total_wt))': 34.33,
        'percent_of_total(count)': 40,
      },
      {
        shop_id: 9,
        'sum(total_wt)': -0.3,
        count: 2,
        'avg(total_wt)': -0.15,
        'min(total_wt)': -6,
        'max(at)': '2026-11-16T10:00:00+01:00',
        'distinct(customer.id)': 1,
        'percent_of_total(sum(total_wt))': -1,
        'percent_of_total(count)': 40,
      },
    ]);
    expect(total).toEqual({
      'sum(total_wt)': 30,
      count: 5,
      'avg(total_wt)': 6,
      'min(total_wt)': -6,
      'max(at)': '2026-11-16T10:00:00+01:00',
      'distinct(customer.id)': 3,
    });
  });

  test('answers the share of unpaid orders by status', () => {
    const { data, matched } = summarize({
      groupBy: ['status'],
      where: [{ column: 'is_paid', op: 'eq', value: 'false' }],
    });
    expect(matched).toBe(3);
    expect(data).toEqual([
      { status: 'new', count: 2, 'percent_of_total(count)': 66.67 },
      { status: 'shipped', count: 1, 'percent_of_total(count)': 33.33 },
    ]);
  });

  test.each<[string, unknown[]]>([
    ['hour(at)', ['00', '09', '10', null]],
    ['weekday(at)', ['Monday', 'Saturday', 'Sunday', null]],
    ['day(at)', ['2026-11-14', '2026-11-15', '2026-11-16', null]],
    ['week(at)', ['2026-W46', '2026-W47', null]],
    ['month(at)', ['2026-11', null]],
    ['Day( at )', ['2026-11-14', '2026-11-15', '2026-11-16', null]],
  ])(
    'groups by %s in Amsterdam time and in order, rows without a time last',
    (grouping, labels) => {
      const { data } = summarize({ groupBy: [grouping] });
      expect(data.map((row) => Object.values(row)[0])).toEqual(labels);
      expect(Object.keys(data[0] ?? {})[0]).toBe(grouping.replaceAll(' ', '').toLowerCase());
    },
  );

  test('begins the week on Monday', () => {
    const days = ['2026-11-20', '2026-11-17', '2026-11-22', '2026-11-16'].map((day) => ({ day }));
    const { data } = summarizeRows(days, { groupBy: ['weekday(day)'] }, now);
    expect(data.map((row) => row['weekday(day)'])).toEqual([
      'Monday',
      'Tuesday',
      'Friday',
      'Sunday',
    ]);
  });

  test('takes averages over the rows that have a value', () => {
    const rows = [{ a: 1 }, { a: null }, { a: 2 }, { a: '' }];
    expect(summarizeRows(rows, { metrics: ['avg(a)'] }, now).total).toEqual({ 'avg(a)': 1.5 });
  });

  test('groups by several columns', () => {
    const { data } = summarize({ groupBy: ['shop_id', 'is_paid'], sort: 'shop_id,-is_paid' });
    expect(data.map(({ shop_id, is_paid, count }) => [shop_id, is_paid, count])).toEqual([
      [3, false, 2],
      [7, true, 1],
      [9, true, 1],
      [9, false, 1],
    ]);
  });

  test('makes one row of the rest, its figures made from its rows', () => {
    const summary = summarize({
      groupBy: ['shop_id'],
      metrics: ['sum(total_wt)', 'avg(total_wt)', 'distinct(status)', 'max(total_wt)'],
      top: 1,
    });
    expect(summary).toMatchObject({ groups: 3, otherGroups: 2 });
    expect(summary.data).toHaveLength(2);
    expect(summary.data[1]).toEqual({
      shop_id: 'other',
      'sum(total_wt)': 10,
      'avg(total_wt)': 2.5,
      'distinct(status)': 2,
      'max(total_wt)': 10.1,
      'percent_of_total(sum(total_wt))': 33.33,
    });
  });

  test('shows the greatest groups when only some are asked for, along time too', () => {
    const { data } = summarize({ groupBy: ['day(at)'], top: 1 });
    expect(data).toEqual([
      { 'day(at)': '2026-11-14', count: 2, 'percent_of_total(count)': 40 },
      { 'day(at)': 'other', count: 3, 'percent_of_total(count)': 60 },
    ]);
  });

  test.each([
    ['-sum(total_wt)', [7, 3, 9]],
    ['sum(total_wt)', [9, 3, 7]],
    ['shop_id', [3, 7, 9]],
  ])('sorts by %s', (sort, shops) => {
    const { data } = summarize({ groupBy: ['shop_id'], metrics: ['sum(total_wt)'], sort });
    expect(data.map(({ shop_id }) => shop_id)).toEqual(shops);
  });

  test('tells no value from zero', () => {
    const rows = [
      { a: null, g: 'x' },
      { a: 0, g: 'y' },
    ];
    const { data } = summarizeRows(
      rows,
      { groupBy: ['g'], metrics: ['sum(a)', 'avg(a)', 'min(a)', 'distinct(a)'], sort: 'g' },
      now,
    );
    expect(data).toEqual([
      {
        g: 'x',
        'sum(a)': null,
        'avg(a)': null,
        'min(a)': null,
        'distinct(a)': 0,
        'percent_of_total(sum(a))': null,
      },
      {
        g: 'y',
        'sum(a)': 0,
        'avg(a)': 0,
        'min(a)': 0,
        'distinct(a)': 1,
        'percent_of_total(sum(a))': null,
      },
    ]);
  });

  test('rounds averages to four decimals, halves away from zero', () => {
    const average = (values: number[]) =>
      summarizeRows(
        values.map((a) => ({ a })),
        { metrics: ['avg(a)'] },
        now,
      ).total['avg(a)'];
    expect(average([1, 1, 0])).toBe(0.6667);
    expect(average([0.0001, 0])).toBe(0.0001);
    expect(average([-0.0001, 0])).toBe(-0.0001);
  });

  test('warns of values that a figure leaves out', () => {
    const rows = [
      { a: 1, id: 1, t: '2026-11-20' },
      { a: 'n/a', id: 2, t: 'soon' },
      { a: null, id: 3 },
    ];
    const warnings = (request: SummaryRequest) => summarizeRows(rows, request, now).warnings;
    expect(warnings({ metrics: ['sum(a)'] })).toEqual([
      'sum(a) leaves out values that are not numbers, in rows: 1.',
    ]);
    expect(warnings({ metrics: ['avg(a)'] })).toEqual([
      'avg(a) leaves out values that are not numbers, in rows: 1.',
      'avg(a) is over the 1 of 3 rows that have a value.',
    ]);
    expect(warnings({ metrics: ['sum(id)'] })).toEqual([
      'sum(id) adds up identifiers, which means nothing; distinct(id) counts them.',
    ]);
    expect(warnings({ groupBy: ['day(t)'] })).toEqual([
      'day(t) is null where t is no time, in rows: 1.',
    ]);
  });

  test.each<[string, SummaryRequest, string]>([
    [
      'an unknown column to group by',
      { groupBy: ['shopid'] },
      'group_by: there is no column "shopid"; did you mean shop_id? The columns are id, shop_id, status,',
    ],
    [
      'an unknown column in a metric',
      { metrics: ['sum(total)'] },
      'metrics: there is no column "total"; did you mean total_wt?',
    ],
    [
      'an unknown function',
      { groupBy: ['year(at)'] },
      'group_by: "year" cannot be taken of a column. Group by a column, or by hour(column), weekday(column), day(column), week(column), month(column).',
    ],
    [
      'an unknown metric',
      { metrics: ['median(total_wt)'] },
      'metrics: "median(total_wt)" is no metric. The metrics are count, sum(column), avg(column), min(column), max(column) and distinct(column).',
    ],
    [
      'a column for a metric',
      { metrics: ['total_wt'] },
      'metrics: "total_wt" is no metric. Did you mean sum(total_wt)?',
    ],
    ['a count of a column', { metrics: ['count(total_wt)'] }, 'is no metric'],
    ['nothing in the brackets', { metrics: ['sum()'] }, 'is no metric'],
    [
      'the sum of texts',
      { metrics: ['sum(status)'] },
      'metrics: sum(status) needs numbers, and status holds none. Count its values with distinct(status), or group by it.',
    ],
    [
      'the hour of no time',
      { groupBy: ['hour(status)'] },
      'group_by: hour(status) needs a time of day, and status holds none.',
    ],
    [
      'a sort by neither group nor metric',
      { groupBy: ['shop_id'], metrics: ['sum(total_wt)'], sort: '-total_wt' },
      'sort: there is no column "total_wt"; did you mean sum(total_wt)? The columns are shop_id, sum(total_wt).',
    ],
    [
      'a condition on an unknown column',
      { where: [{ column: 'is_payed', op: 'empty' }] },
      'where: there is no column "is_payed"; did you mean is_paid?',
    ],
  ])('refuses %s with what there is', (_what, request, message) => {
    expect(() => summarize(request)).toThrow(InputError);
    expect(() => summarize(request)).toThrow(message);
  });

  test('refuses the hour of days without a time', () => {
    expect(() => summarizeRows([{ d: '2026-11-20' }], { groupBy: ['hour(d)'] }, now)).toThrow(
      'hour(d) needs a time of day, and d holds none.',
    );
  });

  test('reads a column by its own name first, and refuses a name with two meanings', () => {
    const rows = [{ 'day(at)': 'x', count: 2 }];
    expect(summarizeRows(rows, { groupBy: ['day(at)'] }, now).data[0]).toMatchObject({
      'day(at)': 'x',
    });
    expect(() => summarizeRows(rows, { groupBy: ['count'] }, now)).toThrow(
      'metrics: count is a group column too',
    );
    expect(summarizeRows(rows, { groupBy: ['count'], metrics: ['max(count)'] }, now).data).toEqual([
      { count: 2, 'max(count)': 2 },
    ]);
  });

  test('has no groups where no row matches, and a total of nothing', () => {
    const none = { where: [{ column: 'total_wt', op: 'gt', value: '100' } as const] };
    expect(summarize({ ...none, groupBy: ['shop_id'] })).toMatchObject({
      data: [],
      total: { count: 0 },
    });
    expect(summarize({ ...none, metrics: ['sum(total_wt)'] }).data).toEqual([
      { 'sum(total_wt)': null },
    ]);
  });

  test('agrees with whole cents, groups, rest and total alike', () => {
    const row = fc.record({
      g: fc.constantFrom('a', 'b', 'c', null),
      cents: fc.integer({ min: -1_000_000, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), fc.integer({ min: 1, max: 5 }), (made, top) => {
        const rows = made.map(({ g, cents }) => ({ g, amount: cents / 100 }));
        const request = { groupBy: ['g'], metrics: ['sum(amount)', 'count'], top };
        const { data, total, groups, otherGroups } = summarizeRows(rows, request, now);
        const centsOf = (value: unknown) => Math.round(Number(value) * 100);
        const expected = made.reduce((sum, { cents }) => sum + cents, 0);
        expect(centsOf(total['sum(amount)'])).toBe(expected);
        const added = (column: string) =>
          data.reduce((sum, found) => sum + centsOf(found[column]), 0);
        expect(added('sum(amount)')).toBe(expected);
        expect(added('count')).toBe(made.length * 100);
        expect(groups).toBe(new Set(made.map(({ g }) => g)).size);
        expect(otherGroups).toBe(Math.max(0, groups - top));
        for (const found of data.slice(0, Math.min(top, groups))) {
          const own = made.filter(({ g }) => g === found.g);
          expect(found.count).toBe(own.length);
          expect(centsOf(found['sum(amount)'])).toBe(
            own.reduce((sum, { cents }) => sum + cents, 0),
          );
        }
      }),
    );
  });
});
