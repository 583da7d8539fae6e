import { z } from 'zod';
import { computing, defineTool } from './define-tool.ts';
import { figureInput } from './figure/figure-input.ts';

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
  input: figureInput,
  output: z.looseObject({}),
  answer: async (...asked) => (await computing()).answerFigure(...asked),
});
