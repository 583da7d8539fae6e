import { expect, test } from 'vitest';
import type { FinishedContext } from '../../src/analysis/answer.ts';
import { drawAnswer } from '../../src/analysis/draw-answer.ts';
import type { Figure } from '../../src/analysis/figure/figure.ts';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import { sharedServer } from '../server-over.ts';

const { ask } = sharedServer();

async function draw(tool: string, input: JsonObject): Promise<Figure> {
  const { rows, body } = await ask(tool, input);
  const isContext = (it: unknown): it is FinishedContext => isRecord(it);
  if (!isContext(body.context)) return expect.unreachable('an answer has a context');
  const drawn = drawAnswer(tool, { rows, context: body.context, input });
  return drawn && 'figure' in drawn ? drawn.figure : expect.unreachable(drawn?.refusal.code);
}

test.each<[tool: string, input: JsonObject, figure: object]>([
  [
    'turnover_trend',
    { period: 'last_week', expected: true },
    {
      kind: 'line',
      unit: 'euro',
      title: 'total turnover incl. VAT by day',
      axis: { name: 'day', type: 'day' },
      measures: ['total_turnover_wt', 'expected'],
      adds: ['total_turnover_wt'],
      band: { low: expect.any(Array) },
      notes: { bandPeriod: { from: '2026-09-14', to: '2026-11-08' } },
    },
  ],
  [
    'turnover_trend',
    { period: 'last_2_weeks', by: 'shop' },
    { kind: 'line', split: { name: 'shop' }, measures: ['turnover_wt'], band: undefined },
  ],
  [
    'turnover_trend',
    {
      period: 'last_2_months',
      bucket: 'month',
      against: 'month_earlier',
      measures: ['order_count'],
    },
    { unit: 'count', axis: { type: 'month' }, measures: ['order_count', 'reference'] },
  ],
  [
    'compare_turnover',
    { period: 'last_week', by: 'shop' },
    {
      kind: 'bars',
      axis: { name: 'shop' },
      measures: ['2026-11-09 to 2026-11-15', '2026-11-02 to 2026-11-08'],
    },
  ],
  [
    'compare_turnover',
    { period: 'last_week', by: 'shop', against: 'usual' },
    { measures: ['2026-11-09 to 2026-11-15', 'usual'], band: { high: expect.any(Array) } },
  ],
  [
    'compare_turnover',
    { period: 'last_week', against: 'none' },
    { axis: { labels: ['total turnover incl. VAT'] }, measures: ['2026-11-09 to 2026-11-15'] },
  ],
  [
    'get_product_sales',
    { period: 'last_week' },
    {
      kind: 'bars',
      title: 'turnover incl. VAT by product',
      measures: ['turnover_wt'],
      unit: 'euro',
    },
  ],
  [
    'get_product_sales',
    { period: 'last_week', sort: '-quantity', top: 5 },
    { title: 'quantity by product', unit: 'count', measures: ['quantity'] },
  ],
])('%s %j is drawn as it is', async (tool, input, figure) => {
  expect(await draw(tool, input)).toMatchObject(figure);
});

test('of products the first twenty are drawn, the largest first, by their names', async () => {
  const { axis, series, notes } = await draw('get_product_sales', { period: 'last_week' });
  expect(axis.labels).toHaveLength(20);
  expect(axis.labels.join()).toMatch(/[a-z]/);
  expect(notes.isCut).toBe(true);
  const { values = [] } = series[0] ?? {};
  expect(values).toEqual(values.toSorted((a, b) => Number(b) - Number(a)));
});

test('of any other tool nothing is drawn', () => {
  const context = { endpoint: '', source: 'live', as_of: '' } as const;
  expect(drawAnswer('list_orders', { rows: [], context, input: {} })).toBeUndefined();
});
