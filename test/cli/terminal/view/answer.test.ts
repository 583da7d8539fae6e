import { describe, expect, test } from 'vitest';
import { viewAnswer } from '../../../../src/cli/terminal/view/answer.ts';

const viewed = {
  tool: 'list_orders',
  flags: [],
  isPaged: true,
  takesFields: true,
  headline: 'list_orders: 120 of 400 orders',
  width: 80,
};

const rows = Array.from({ length: 120 }, (_, index) => ({ id: index + 1, total_wt: index }));

describe('viewAnswer', () => {
  test('shows as many rows as can be overseen, and how to get the next', () => {
    const structured = { count: 120, total: 400, data: rows, context: { complete: false } };
    const lines = viewAnswer({ ...viewed, input: { period: 'today' }, structured });
    expect(lines.slice(0, 4)).toEqual([viewed.headline, '', 'id  total_wt', '1          0']);
    expect(lines).toHaveLength(3 + 50 + 2);
    expect(lines.at(-1)).toBe(
      'Shown: 50 of 400 rows. The next: commerce-mcp call list_orders period=today start=50',
    );
  });

  test('shows all rows of a limit that was asked for', () => {
    const structured = { total: 120, data: rows, context: { complete: true } };
    const lines = viewAnswer({ ...viewed, input: { limit: '120' }, structured });
    expect(lines).toHaveLength(3 + 120);
  });

  test('is drawn beneath its rows where all of them are there', () => {
    const draw = (drawn: readonly unknown[]) => [`${drawn.length} bars`];
    const some = { data: rows.slice(0, 2), context: { complete: true } };
    const lines = viewAnswer({ ...viewed, input: {}, structured: some, draw });
    expect(lines.slice(3)).toEqual(['1          0', '2          1', '', '2 bars']);
    const more = { data: rows.slice(0, 2), context: { complete: false } };
    expect(viewAnswer({ ...viewed, input: {}, structured: more, draw })).not.toContain('2 bars');
    const cut = { data: rows, context: { complete: true } };
    expect(viewAnswer({ ...viewed, input: {}, structured: cut, draw })).not.toContain('120 bars');
  });

  test('tells what holds over all rows, and warns last', () => {
    const columns = [
      { name: 'id', type: 'id', distinct: 9 },
      { name: 'total_wt', type: 'amount', sum: 12.5 },
    ];
    const context = { result: { rows: 9, columns }, warnings: ['today is not\u0007 over'] };
    const lines = viewAnswer({ ...viewed, input: {}, structured: { data: [], context } });
    expect(lines).toContain('Over all 9 rows');
    expect(lines).toContain('  total_wt: sum 12.50');
    expect(lines.join()).not.toContain('9 different');
    expect(lines.at(-1)).toBe('Warning: today is not\\u{7} over');
  });

  test('shows one object by its values', () => {
    const structured = { turnover_wt: 12.5, context: { source: 'live' } };
    expect(viewAnswer({ ...viewed, input: {}, structured }).slice(2)).toEqual([
      'turnover_wt  12.50',
    ]);
  });
});
