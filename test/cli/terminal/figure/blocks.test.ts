import { describe, expect, test } from 'vitest';
import { bar, scaleOf, sparkline } from '../../../../src/cli/terminal/figure/blocks.ts';

const barsOf = (values: (number | null)[], cells: number, filling = '█') => {
  const scale = scaleOf(values, cells);
  return values.map((value) => bar(value, scale, filling));
};

describe('bar', () => {
  test('is as long as its number, to an eighth of a cell', () => {
    expect(barsOf([8, 4, 1, 0.5], 8)).toEqual(['████████', '████', '█', '▌']);
  });

  test('is seen where there is little, and not where there is nothing', () => {
    expect(barsOf([1000, 0.01, 0, null], 4)).toEqual(['████', '▏', '', '']);
  });

  test('goes to the left below nothing, and every bar starts at one place', () => {
    expect(barsOf([6, -2], 8)).toEqual(['  ██████', '██']);
    expect(barsOf([-4, -2], 4)).toEqual(['████', '  ██']);
  });

  test('has whole cells of other signs', () => {
    expect(barsOf([8, 4.4], 8, '▒')).toEqual(['▒▒▒▒▒▒▒▒', '▒▒▒▒']);
  });
});

describe('sparkline', () => {
  test('goes from the lowest to the highest number', () => {
    expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8)).toBe('▁▂▃▄▅▆▇█');
  });

  test('leaves a gap where there is no number, and takes the room there is', () => {
    expect(sparkline([0, null, 7], 7)).toBe('▁▁  ██');
  });

  test('stands for neighbours by their mean where there is no room for each', () => {
    expect(sparkline([0, 0, 7, 7], 2)).toBe('▁█');
    expect(sparkline([0, 7, 0, 7], 2)).toBe('▅▅');
  });

  test('is level where all numbers are alike', () => {
    expect(sparkline(['3.10', 3.1], 2)).toBe('▅▅');
  });
});
