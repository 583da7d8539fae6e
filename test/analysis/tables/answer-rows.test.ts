import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Answer } from '../../../src/analysis/answer.ts';
import { isReport, tableRowsOf } from '../../../src/analysis/tables/answer-rows.ts';
import { endpoints } from '../../../src/endpoints/index.ts';

const tool = {
  tool: 'list_things',
  title: 'List things',
  description: '',
  toolset: 'orders' as const,
  input: z.strictObject({}),
  output: z.looseObject({ data: z.array(z.unknown()) }),
  asksPlatform: true,
  answer: () => Promise.reject(new Error('nothing is asked here')),
};

function answerOf(given: Pick<Answer, 'payload' | 'rows'>): Answer {
  const context = { endpoint: 'GET /api/thing', source: 'sandbox', as_of: '' } as const;
  return { ...given, context, asked: { tool: tool.tool, arguments: {} } };
}

const plain = {};

describe('the rows of an answer', () => {
  test.each([
    ['a list', { payload: {}, rows: [{ id: 1 }, { id: 2 }] }, [{ id: 1 }, { id: 2 }]],
    ['a record', { payload: { id: 1 } }, [{ id: 1 }]],
    ['a wrapped record', { payload: { data: { id: 1 } } }, [{ id: 1 }]],
  ])('are those of %s', (_, given, rows) => {
    expect(tableRowsOf(tool, answerOf(given), plain)).toEqual(rows);
  });

  test('are the facts of a report', () => {
    const report = { ...tool, toolset: 'reports' as const, output: z.looseObject({}) };
    const [fact] = tableRowsOf(report, answerOf({ payload: { turnover: 3 } }), plain);
    expect(fact).toMatchObject({ path: '', measure: 'turnover', value: 3, split: 'total' });
  });

  test('carry the value that they were asked for, where they have none of their own', () => {
    const given = answerOf({ payload: {}, rows: [{ id: 1 }, { id: 2, order_id: 9 }] });
    expect(tableRowsOf(tool, given, { order_id: 7 })).toEqual([
      { id: 1, order_id: 7 },
      { id: 2, order_id: 9 },
    ]);
  });

  test('hold dotted columns as objects', () => {
    const given = answerOf({ payload: {}, rows: [{ bucket: 1, 'a.b.c': 2, 'a.d': 3 }] });
    expect(tableRowsOf(tool, given, plain)).toEqual([{ bucket: 1, a: { b: { c: 2 }, d: 3 } }]);
  });

  test('leave every other object as it was, whatever names come', () => {
    const name = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'a');
    const column = fc.array(name, { minLength: 2, maxLength: 4 }).map((names) => names.join('.'));
    fc.assert(
      fc.property(fc.array(column, { minLength: 1 }), (columns) => {
        const row = Object.fromEntries(columns.map((it) => [it, 'polluted']));
        tableRowsOf(tool, answerOf({ payload: {}, rows: [row] }), plain);
        const fresh: Record<string, unknown> = {};
        expect(Object.keys(Object.prototype)).toEqual([]);
        expect(fresh.a).toBeUndefined();
        expect(String(fresh)).toBe('[object Object]');
      }),
    );
  });
});

describe('a report', () => {
  test('is what belongs to the reports and gives no rows', () => {
    const reports = endpoints.filter(isReport).map(({ tool: name }) => name);
    expect(reports).toEqual(
      expect.arrayContaining(['get_financial_report', 'get_payment_report', 'get_daily_close']),
    );
    expect(reports).not.toContain('get_product_sales');
    expect(reports).not.toContain('list_discount_orders');
  });
});
