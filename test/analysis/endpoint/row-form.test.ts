import { describe, expect, test } from 'vitest';
import { readForm } from '../../../src/analysis/endpoint/row-form.ts';

describe('readForm', () => {
  test.each([
    [{}, { sort: undefined, showAtMost: undefined, isWhole: false }],
    [{ limit: 50 }, { sort: undefined, showAtMost: 50, isWhole: false }],
    [
      { all: true, limit: 50 },
      { sort: undefined, showAtMost: 50, isWhole: true },
    ],
    [{ sort: '-total_wt' }, { sort: '-total_wt', showAtMost: undefined, isWhole: true }],
    [{ top: 10 }, { sort: undefined, showAtMost: 10, isWhole: true }],
    [
      { sort: 'id', top: 3, limit: 50 },
      { sort: 'id', showAtMost: 3, isWhole: true },
    ],
    [{ limit: 0 }, { sort: undefined, showAtMost: 0, isWhole: true }],
  ])('reads %j', (given, form) => {
    expect(readForm(given)).toEqual(form);
  });

  test.each([
    [{ sort: 'total_wt', start: 288, limit: 1 }, /^start does not go with sort, which looks/],
    [{ sort: 'id', top: 3, start: 1 }, /sort and top, which look at the whole list.*read_rows/],
    [{ limit: 0, start: 10 }, /limit: 0/],
  ])('refuses %j, which would leave out rows of what is sorted or profiled', (given, text) => {
    expect(() => readForm(given)).toThrow(text);
  });

  test.each([
    [{ sort: 'id', start: 0 }],
    [{ sort: 'id', all: true, start: 100_000 }],
    [{ start: 100, limit: 100 }],
  ])('takes %j', (given) => {
    expect(() => readForm(given)).not.toThrow();
  });
});
