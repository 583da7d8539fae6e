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
});
