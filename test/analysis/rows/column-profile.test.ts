import { describe, expect, test } from 'vitest';
import { type ColumnProfile, profileColumns } from '../../../src/analysis/rows/column-profile.ts';

/** The profile of a column named `v`, or as said, that holds these cells. */
function profileOf(cells: unknown[], name = 'v'): Omit<ColumnProfile, 'name'> {
  const [{ name: _, ...rest } = expect.unreachable()] = profileColumns(new Map([[name, cells]]));
  return rest;
}

describe('profileColumns', () => {
  const days = ['2026-11-20', '2026-11-19', '2026-11-20'];
  const instants = ['2026-11-19T10:00:00+01:00', '2026-11-19T09:30:00Z', '2026-11-19'];
  const large = '9007199254740993.01';
  const ofTexts = { sum: 19.25, min: '-0.25', max: '12.50' };
  const ofLarge = { sum: '9007199254740993.02', min: '0.01', max: large };
  const [flags, few] = [
    { sum: 2, min: 0, max: 1 },
    { 0: 1, 1: 2 },
  ];
  const values = { '2026-11-20': 2, '2026-11-19': 1 };
  const ofDays = { min: '2026-11-19', max: '2026-11-20', values };
  const ofInstants = { distinct: 3, min: '2026-11-19', max: '2026-11-19T09:30:00Z' };

  test.each<[string, unknown[], Omit<ColumnProfile, 'name' | 'type'>, string]>([
    ['adds amounts exactly', [0.1, 0.2, 5], { sum: 5.3, min: 0.1, max: 5 }, 'decimal'],
    ['adds amounts that came as texts', ['12.50', '7', '-0.25'], ofTexts, 'decimal'],
    ['says what no number holds', [large, '0.01'], ofLarge, 'decimal'],
    ['adds quantities', [1, 2, 40], { sum: 43, min: 1, max: 40 }, 'integer'],
    ['counts the few values of quantities too', [0, 1, 1], { ...flags, values: few }, 'integer'],
    ['counts true and false', [true, false, true], { values: { true: 2, false: 1 } }, 'boolean'],
    ['counts few texts, most first', ['a', 'b', 'b'], { values: { b: 2, a: 1 } }, 'text'],
    ['says how many texts differ where none repeats', ['a', 'b'], { distinct: 2 }, 'text'],
    ['takes digits for codes', ['87', '87', '31'], { values: { 87: 2, 31: 1 } }, 'text'],
    ['takes several looks for text', ['W12', '12', '2026-11-20'], { distinct: 3 }, 'text'],
    ['finds the first and last day', days, ofDays, 'day'],
    ['finds the first and last instant', instants, ofInstants, 'timestamp'],
    ['counts the empty', [null, '', 2.5], { sum: 2.5, min: 2.5, max: 2.5, empty: 2 }, 'decimal'],
    ['says so when all are empty', [null, '', []], {}, 'empty'],
    ['takes lists as they are', [['a'], ['a'], ['b']], { distinct: 2 }, 'nested'],
    ['says so when kinds are mixed', [1, 'x', 'x'], { values: { x: 2, 1: 1 } }, 'mixed'],
    ['takes numbers and codes for numbers', [1, '31'], { sum: 32, min: 1, max: '31' }, 'integer'],
  ])('%s', (_title, cells, profile, type) => {
    expect(profileOf(cells)).toEqual({ type, ...profile });
  });

  test('gives no sum of identifiers', () => {
    expect(profileOf([3, 7, 3], 'shop_id')).toEqual({ type: 'integer', values: { 3: 2, 7: 1 } });
    expect(profileOf([1001, 'W2'], 'order_number')).toEqual({ type: 'text', distinct: 2 });
    expect(profileOf([1.5, 2.5], 'weird_id')).toEqual({ type: 'decimal', distinct: 2 });
  });

  test('lists twelve values and counts thirteen', () => {
    const repeated = (count: number) => Array.from({ length: 40 }, (_, i) => `v${i % count}`);
    expect(Object.keys(profileOf(repeated(12)).values ?? {})).toHaveLength(12);
    expect(profileOf(repeated(13))).toEqual({ type: 'text', distinct: 13 });
  });

  test('stays small however many columns and long values there are', () => {
    const long = Array.from({ length: 30 }, (_, row) => `${'x'.repeat(30)}${row % 10}`);
    const names = Array.from({ length: 500 }, (_, column) => `column_${column}`);
    const columns = [...profileColumns(new Map(names.map((name) => [name, long])))];
    expect(columns).toHaveLength(80);
    expect(JSON.stringify(columns).length).toBeLessThan(8000);
    expect(profileOf(['y'.repeat(41), 'y'.repeat(41)])).toEqual({ type: 'text', distinct: 1 });
  });
});
