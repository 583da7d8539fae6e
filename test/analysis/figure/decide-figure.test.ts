import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideFigure, type ResultColumn } from '../../../src/analysis/figure/decide-figure.ts';
import { readFigure } from '../../../src/analysis/figure/figure.ts';
import { figureSummary, headingOf } from '../../../src/analysis/figure/figure-text.ts';
import { figureMessages, figureRefusals } from '../../../src/analysis/figure/messages.ts';
import { toNumber } from '../../../src/core/json.ts';
import { ask, byDay, byShop, drawn, figureOf, notes, refused } from './requests.ts';

const perMonth = { shop: 'VARCHAR', month: 'VARCHAR', turnover: 'DOUBLE' };
const perShop = { day: 'DATE', shop: 'VARCHAR', turnover: 'DOUBLE' };

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
  ])('of %s %s is a %s', (type, value, axisType, label) => {
    const { axis, kind } = drawn({ when: type, turnover: 'BIGINT' }, [[value, 1]]);
    expect(axis).toEqual({ name: 'when', type: axisType, labels: [label] });
    expect(kind).toBe(axisType === 'name' ? 'bars' : 'line');
  });

  test('runs with time, with the days between, unless the statement ranks them', () => {
    const against = ['2026-11-04', '2026-11-03', '2026-11-01'].map((day, n) => [day, n]);
    const course = drawn(byDay, against, { isOrdered: true });
    expect(course).toMatchObject({
      kind: 'line',
      axis: { labels: ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04'], withRows: 3 },
      series: [{ values: [2, null, 1, 0] }],
    });
    const ranked = ['2026-11-04', '2026-11-01', '2026-11-03'].map((day, n) => [day, n]);
    const { kind, axis } = drawn(byDay, ranked, { isOrdered: true });
    expect([kind, ...axis.labels]).toEqual(['bars', '2026-11-04', '2026-11-01', '2026-11-03']);
    const asLine = drawn(byDay, ranked, { isOrdered: true, kind: 'line' });
    expect(asLine.axis.labels).toEqual(course.axis.labels);
  });

  test.each([
    ['the days that were asked for', '2026-10-31', 4],
    ['days before them', '2026-11-02', 3],
    ['no days beyond the longest axis', '2020-01-01', 2],
  ])('runs over %s', (_, from, count) => {
    const period = { from, to: '2026-11-03' };
    const asked = { notes: { ...notes, period } };
    const { axis } = drawn(byDay, rowsOf('2026-11-01 1; 2026-11-02 2'), asked);
    expect(axis.labels).toHaveLength(count);
  });

  test.each([
    ['Mondays', undefined, ['2026-12-28', '2027-01-04', '2027-01-18'], 'week', '2027-W02'],
    ['firsts', undefined, ['2025-11-01', '2025-12-01', '2026-02-01'], 'month', '2026-01'],
    ['weeks of the statement', 'week', ['2026-12-28', '2027-01-18'], 'week', '2027-W02'],
    ['months of the statement', 'month', ['2025-11-01', '2026-02-01'], 'month', '2026-01'],
    ['Mondays taken as days', 'day', ['2026-11-02', '2026-11-09'], 'day', '2026-11-03'],
    ['a day a week', undefined, ['2026-11-03', '2026-11-10', '2026-11-17'], 'day', undefined],
    ['quarters of the statement', 'quarter', ['2026-04-01', '2026-07-01'], 'day', undefined],
    ['Mondays far apart', undefined, ['2026-11-02', '2026-11-16'], 'day', '2026-11-03'],
  ] as const)('of %s (%s) is of their unit, without holes', (_, grain, days, type, hole) => {
    const day = { name: 'day', type: 'DATE', grain };
    const columns = [day, { name: 'turnover', type: 'DOUBLE' }];
    const rows = days.map((day) => ({ day, turnover: 1 }));
    const { axis } = figureOf({ columns, rows, notes });
    expect(axis.type).toBe(type);
    expect(axis.withRows).toBe(hole === undefined ? undefined : days.length);
    if (hole !== undefined) expect(axis.labels).toContain(hole);
    expect([...axis.labels].sort()).toEqual(axis.labels);
  });

  test('of names has the largest first, unless they are ordered', () => {
    const rows = rowsOf('A 5; B -7; C 12.5; D -; E 0');
    expect(drawn(byShop, rows).axis.labels.join('')).toBe('CADEB');
    expect(drawn(byShop, rows, { isOrdered: true }).axis.labels.join('')).toBe('ABCDE');
  });

  test('of numbers that name nothing keeps their order, and gives way to names beside them', () => {
    const hours = [10, 9, 17].map((hour) => [hour, hour % 7]);
    const { axis } = drawn({ hour: 'BIGINT', orders: 'BIGINT' }, hours);
    expect(axis.labels).toEqual(['9', '10', '17']);
    const columns = { id: 'BIGINT', name: 'VARCHAR', turnover: 'DOUBLE' };
    const named = drawn(columns, rowsOf('1 A 1; 2 B 2'));
    expect(named.axis).toEqual({ name: 'name', type: 'name', labels: ['B', 'A'] });
    expect(named.omitted).toEqual(['id']);
  });

  test('of ids has their names, with their numbers where two have one name', () => {
    const labels = { shop_id: { 1: 'Bar', 2: 'Webshop', 3: 'Bar' } };
    const namesOf = (...ids: number[]) => {
      const rows = ids.map((id) => [id, 10 - id]);
      return drawn({ shop_id: 'BIGINT', turnover: 'DOUBLE' }, rows, { labels }).axis;
    };
    expect(namesOf(1, 2, 4)).toMatchObject({ name: 'shop', labels: ['Bar', 'Webshop', '4'] });
    expect(namesOf(1, 2, 3).labels).toEqual(['Bar (1)', 'Webshop (2)', 'Bar (3)']);
  });

  test('leaves a row without a day out, and says so; a nameless one is drawn', () => {
    const figure = drawn(byDay, rowsOf('2026-11-02 1; - 9'));
    expect(figure.axis.labels).toEqual(['2026-11-02']);
    expect(figure.notes.warnings).toEqual([figureMessages.not_drawn({ rows: 1, axis: 'day' })]);
    expect(drawn(byShop, rowsOf('A 1; - 9')).axis.labels).toEqual(['–', 'A']);
  });
});

/** Rows of `A 1 -; B 2 3`: numbers, texts, and nothing. */
function rowsOf(text: string): unknown[][] {
  const read = (cell: string) =>
    cell === '-' ? null : Number.isNaN(Number(cell)) ? cell : Number(cell);
  return text.split('; ').map((row) => row.split(' ').map(read));
}

const twoNumbers = { shop: 'VARCHAR', now: 'DECIMAL(18,2)', before: 'HUGEINT', none: 'DOUBLE' };
const twoOfEach = { day: 'DATE', shop: 'VARCHAR', now: 'DOUBLE', before: 'DOUBLE' };
const twoDays = ['2026-11-02', '2026-11-03'];

describe('the series', () => {
  test.each<[string, Record<string, string>, rows: string, series: string]>([
    ['all columns of numbers', twoNumbers, 'A 2 - -; B 1.1 3 -', 'now 2 1.1; before - 3'],
    ['parted by a second column', perShop, '0 B 2; 0 A 1; 1 B 3', 'A 1 -; B 2 3'],
    [
      'parted by months in time order, with a place for those of no month',
      perMonth,
      'A 2026-11 1; A - 3; A 2026-10 2',
      '2026-10 2; 2026-11 1; – 3',
    ],
    [
      'named by group and column where there are several of both',
      twoOfEach,
      '0 A 1 2; 0 B 3 4',
      'A·now 1; A·before 2; B·now 3; B·before 4',
    ],
    ['not parted by what only describes', perShop, '0 ma 1; 1 di 2', 'turnover 1 2'],
    ['named by what is the same in every row', perShop, '0 Web 1; 1 Web 2', 'Web 1 2'],
  ])('are %s', (_, columns, rows, expected) => {
    const dated = rows.replaceAll(/(?<=^|; )[01](?= )/g, (index) => twoDays[Number(index)] ?? '');
    const { series } = drawn(columns, rowsOf(dated), { isOrdered: true });
    const written = series.map(({ name, values }) =>
      [name.replaceAll(' ', ''), ...values.map((value) => value ?? '-')].join(' '),
    );
    expect(written.join('; ')).toBe(expected);
  });
});

/** The unit that columns are drawn in, with the summary, or a warning; or why they are not. */
function inUnits(
  unit: string | undefined,
  columns: readonly (readonly [name: string, own: ResultColumn['unit'], value: number])[],
) {
  const values = Object.fromEntries(columns.map(([name, , value]) => [name, value]));
  const own = columns.map(([name, unit]) => ({ name, type: 'DOUBLE', unit }));
  const shop = { name: 'shop', type: 'VARCHAR' };
  const rows = [{ shop: 'A', ...values }];
  const decision = decideFigure({ columns: [shop, ...own], rows, unit, notes });
  if ('refusal' in decision) return decision.refusal;
  const { figure } = decision;
  return `${figure.unit}: ${headingOf(figure)}: ${figureSummary(figure, 'en')}`;
}

describe('the unit', () => {
  const shares = figureRefusals.sharesOrPercentages({ column: 'x' });

  test.each([
    ['€', undefined, 0.5, 'euro: x by shop: €0.50 (A)'],
    ['EUR', undefined, 1, 'euro: x by shop: €1.00 (A)'],
    ['euro', 'count', 3, 'count: x by shop: 3 (A)'],
    ['euro', 'percent', 0.5, 'percent: x by shop: 0.5% (A)'],
    ['%', 'percent', 0.5, 'percent: x by shop: 0.5% (A)'],
    ['percent', 'count', 3, 'count: x by shop: 3 (A)'],
    ['percent', undefined, 0.5, shares],
    [' count ', undefined, 3, 'count: x by shop: 3 (A)'],
    ['stuks', 'count', 3, 'stuks: x by shop: 3 stuks (A)'],
    ['constructor', undefined, 3, 'constructor: x by shop: 3 constructor (A)'],
    ['', undefined, 3, 'undefined: x by shop: 3 (A)'],
    [undefined, 'percent', 12, 'percent: x by shop: 12% (A)'],
  ] as const)('asked as %j of a column that is %s writes %d as %j', (asked, own, value, said) => {
    expect(inUnits(asked, [['x', own, value]])).toEqual(said);
  });

  const twoUnits = (unit?: string) =>
    figureRefusals.twoUnits({
      first: { name: 'orders', unit: 'count' },
      other: { name: 'n', unit },
    });

  test.each([
    ['€', undefined, 2, twoUnits('euro')],
    [undefined, undefined, 2.5, twoUnits()],
    [undefined, 'percent', 2, twoUnits('percent')],
    [undefined, 'count', 2, expect.stringMatching(/^count: orders, n by shop/)],
  ] as const)('asked as %s of counts beside what is %s and %d: %j', (asked, own, value, said) => {
    expect(
      inUnits(asked, [
        ['orders', 'count', 3],
        ['n', own, value],
      ]),
    ).toEqual(said);
  });
});

describe('a refusal', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => [`n${index}`, index]);
  const inSeries = (count: number) => many(count).map(([n]) => ['2026-11-02', n, 1]);
  const perMethod = { day: 'DATE', shop: 'VARCHAR', method: 'VARCHAR', n: 'BIGINT' };
  const twice = rowsOf('2026-11-02 A x 1; 2026-11-02 B y 2; 2026-11-02 A y 1');

  test.each<[string, Parameters<typeof refused>, string]>([
    ['no rows', [byDay, []], figureRefusals.noRows()],
    [
      'no numbers',
      [{ day: 'DATE', shop: 'VARCHAR' }, [['2026-11-02', 'A']]],
      figureRefusals.noNumbers({
        columns: [
          { name: 'day', type: 'DATE' },
          { name: 'shop', type: 'VARCHAR' },
        ],
      }),
    ],
    ['nothing but an axis', [{ turnover: 'BIGINT' }, [[1]]], 'The columns are turnover (BIGINT).'],
    ['numbers that are all missing', [byShop, [['A', null]]], 'no column holds numbers'],
    [
      'a label twice',
      [byShop, [...many(2), ['n1', 2]]],
      figureRefusals.labelTwice({ axis: 'shop', label: 'n1' }),
    ],
    [
      'a label twice in one series',
      [perMethod, twice],
      figureRefusals.labelTwice({
        axis: 'day',
        label: '2026-11-02',
        split: 'shop',
        column: 'method',
      }),
    ],
    [
      'a label twice, by a column that is not shown',
      [byShop, [...many(2), ['n1', 2]], { unshown: 'measure' }],
      'they differ in measure',
    ],
    [
      '401 names',
      [byShop, many(401)],
      figureRefusals.tooManyLabels({ axis: 'shop', labels: 401, max: 400 }),
    ],
    [
      '13 series',
      [perShop, inSeries(13)],
      figureRefusals.tooManySeries({ max: 12, measures: 1, split: { name: 'shop', values: 13 } }),
    ],
  ])('of %s says why', (_, request, reason) => {
    expect(refused(...request)).toContain(reason);
  });

  test('is not made for a figure of 400 labels', () => {
    expect(drawn(byShop, many(400)).axis.labels).toHaveLength(400);
  });
});

describe('a figure', () => {
  const numbers = ['12.50', '-0.01', '99999999999999999999.99'];
  const cell = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.constantFrom(null, undefined, '2026-11-02', '2026-W45', ...numbers),
    fc.string(),
    fc.object(),
  );
  const types = ['VARCHAR', 'BIGINT', 'DECIMAL(18,2)', 'DATE', 'STRUCT(a INTEGER)', 'INTEGER[]'];

  test('of any result is well formed, survives JSON, and has only numbers that were given', () => {
    const anyTable = fc.record({
      types: fc.array(fc.constantFrom(...types), { minLength: 1, maxLength: 4 }),
      rows: fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(anyTable, fc.boolean(), ({ types, rows }, isOrdered) => {
        const columns = Object.fromEntries(types.map((one, index) => [`c${index}`, one]));
        const decision = ask(columns, rows, { isOrdered });
        if ('refusal' in decision) {
          expect(decision.refusal).not.toBe('');
          return;
        }
        const { figure } = decision;
        expect(readFigure(JSON.parse(JSON.stringify(figure)))).toEqual(figure);
        expect(figureSummary(figure, isOrdered ? 'nl' : 'en')).not.toBe('');
        const given = new Set(rows.flat().map(toNumber));
        for (const { values } of figure.series)
          for (const value of values) if (value !== null) expect(given).toContain(value);
      }),
    );
  });

  test.each([{}, null, 'figure', [], { v: 2 }, { v: 1, kind: 'pie' }])(
    'is not read from %j',
    (value) => {
      expect(readFigure(value)).toBeUndefined();
    },
  );
});

describe('columns called low and high', () => {
  const ends = { low: 'DOUBLE', high: 'DOUBLE' };

  test('are the band around the first series, and no measures', () => {
    const figure = drawn({ ...byDay, ...ends }, rowsOf('2026-11-01 5 3 7; 2026-11-03 9 4 8'));
    expect(figure.measures).toEqual(['turnover']);
    expect(figure.series).toEqual([{ name: 'turnover', values: [5, null, 9] }]);
    expect(figure.band).toEqual({ low: [3, null, 4], high: [7, null, 8] });
  });

  test('are of the first group where a column splits', () => {
    const rows = rowsOf('2026-11-01 B 5 3 7; 2026-11-01 A 2 1 4');
    const { band } = drawn({ ...perShop, ...ends }, rows);
    expect(band).toEqual({ low: [1], high: [4] });
  });

  test.each([
    ['one of them alone', { turnover: 'DOUBLE', low: 'DOUBLE' }, 2],
    ['nothing to go around', ends, 2],
    ['texts', { turnover: 'DOUBLE', low: 'VARCHAR', high: 'VARCHAR' }, 1],
  ])('are no band with %s', (_, columns, series) => {
    const texts = 'low' in columns && columns.low === 'VARCHAR';
    const row = Object.keys(columns).map((name, nth) => (texts && name !== 'turnover' ? 'x' : nth));
    const figure = drawn({ day: 'DATE', ...columns }, [['2026-11-01', ...row]]);
    expect([figure.band, figure.measures.length]).toEqual([undefined, series]);
  });
});
