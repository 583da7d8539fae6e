import { describe, expect, test } from 'vitest';
import type { Row } from '../../../../src/analysis/rows/rows.ts';
import { createColumnKnowledge } from '../../../../src/analysis/tables/columns/column-knowledge.ts';
import type { DescribedColumn } from '../../../../src/endpoints/openapi.ts';

/** What is known of a column after some answers. */
function known(name: string, ...answers: Row[][]) {
  const knowledge = createColumnKnowledge();
  for (const rows of answers) knowledge.remember('t', rows);
  return knowledge.columns('t')?.find((column) => column.name === name);
}

/** Rows of one column. */
function column(...values: (string | number | null)[]): Row[] {
  return values.map((it) => ({ it }));
}

describe('what is known of columns', () => {
  test('is nothing before anything was read or described', () => {
    const knowledge = createColumnKnowledge();
    knowledge.remember('t', []);
    expect(knowledge.columns('t')).toBeUndefined();
    expect(knowledge.facts('t').size).toBe(0);
  });

  test('reaches nested columns by their dotted names', () => {
    expect(known('address.city', [{ address: { city: 'Haarlem' } }])?.type).toBe('text');
  });

  test.each([
    ['integer', column(1, 2), column(3)],
    ['decimal', column(1, 2), column(2.5)],
    ['decimal', column(2.5), column(1)],
    ['mixed', column(1), column('a')],
    ['text', column(null), column('a')],
    ['text', column('a'), column(null)],
    ['empty', column(null), column(null)],
  ])('is the type %s after two answers', (type, first, second) => {
    expect(known('it', first, second)?.type).toBe(type);
  });

  test('gathers the values seen so far', () => {
    const kinds = known('it', column('a', 'b', 'a'), column('c', 'c', 'a'));
    expect(kinds?.values?.toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('lists no values once they are many, and none again after that', () => {
    const many = Array.from({ length: 40 }, (_, index) => `v${index}`);
    expect(known('it', column(...many))?.values).toBeUndefined();
    expect(known('it', column(...many), column('a', 'a', 'b'))?.values).toBeUndefined();
    const [first, second] = [many.slice(0, 10), many.slice(10, 20)];
    expect(
      known('it', column(...first, ...first), column(...second, ...second))?.values,
    ).toBeUndefined();
  });

  test('looks at the whole of a long answer, not at its beginning', () => {
    const rows = Array.from({ length: 5000 }, (_, index) => ({ it: index < 4000 ? null : 'late' }));
    expect(known('it', rows)?.type).toBe('text');
  });

  test('is what the platform describes, where no answer says more', () => {
    const described: DescribedColumn[] = [
      { name: 'id', type: 'text' },
      { name: 'note', type: 'text' },
      { name: 'unseen', type: 'day' },
    ];
    const knowledge = createColumnKnowledge(() => new Map([['t', described]]));
    expect(knowledge.columns('t')?.map(({ name }) => name)).toEqual(['id', 'note', 'unseen']);
    knowledge.remember('t', [{ id: 1, note: null, extra: 2 }]);
    const types = Object.fromEntries(
      (knowledge.columns('t') ?? []).map(({ name, type }) => [name, type]),
    );
    expect(types).toEqual({ id: 'integer', note: 'text', extra: 'integer', unseen: 'day' });
  });

  test('of a report is its paths, their measures and splits, within a bound', () => {
    const knowledge = createColumnKnowledge();
    knowledge.rememberFacts('r', [
      { path: '', measure: 'turnover', split: 'total' },
      { path: 'shops', measure: 'turnover', split: 'shop' },
      { path: 'shops', measure: 'turnover_wt', split: 'shop' },
    ]);
    expect([...knowledge.facts('r').keys()]).toEqual(['', 'shops']);
    expect([...(knowledge.facts('r').get('shops')?.measures ?? [])]).toEqual([
      'turnover',
      'turnover_wt',
    ]);
    const flood = Array.from({ length: 500 }, (_, index) => ({
      path: `p${index}`,
      measure: 'm',
      split: 'total',
    }));
    knowledge.rememberFacts('r', flood);
    expect(knowledge.facts('r').size).toBe(60);
  });
});
