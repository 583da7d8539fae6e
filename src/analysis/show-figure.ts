import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { figureKinds } from './figure/figure.ts';

/** A query with a shape, drawn (DESIGN, section 3b). */
export const showFigure = defineTool({
  tool: 'show_figure',
  title: 'Show a figure',
  description: `Draws what one SELECT finds: a course over time, shops side by side; else use query.
First column: the axis; days, weeks, months draw lines, names draw bars, largest first without ORDER BY. A second text column makes series; every column of numbers is drawn. One row a label (GROUP BY), one unit.
SELECT bucket, revenue.total_turnover_wt FROM turnover_trend(period := 'last_30_days')`,
  asksPlatform: true,
  needsEngine: true,
  view: 'figure',
  input: z.strictObject({
    sql: z.string().max(50_000).optional().describe('As in query'),
    result_id: z.string().max(200).optional().describe('Or context.result.id'),
    title: z.string().max(200).optional().describe("In the reader's language"),
    kind: z
      .enum(['auto', ...figureKinds])
      .optional()
      .describe('auto: by the first column'),
    unit: z.string().max(30).optional().describe('euro, percent, count or a word'),
    max_calls: z.int().min(1).max(100_000).optional().describe('As in query'),
  }),
  output: z.looseObject({}),
  answer: async (...asked) => (await import('./computing.ts')).drawFigure(...asked),
});
