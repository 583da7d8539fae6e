import { z } from 'zod';
import { listOf } from '../endpoints/shapes.ts';
import { defineTool } from './define-tool.ts';
import { resultId, sort, where } from './row-arguments.ts';
import { summarizeRows } from './rows/summarize.ts';

/** Exact groups and totals over the kept rows of an earlier answer. */
export const summarizeKeptRows = defineTool({
  tool: 'summarize_rows',
  title: 'Summarize kept rows',
  description:
    'Groups, shares, averages, top N and exact totals over all kept rows of an earlier answer (call the list with all: true first); context.result names the columns. Never add up rows yourself.',
  asksPlatform: false,
  input: z.strictObject({
    result_id: resultId,
    group_by: z
      .array(z.string())
      .optional()
      .describe('Columns, or hour(col) weekday(col) day(col) week(col) month(col), Amsterdam time'),
    metrics: z
      .array(z.string())
      .optional()
      .describe('count, sum(col), avg(col), min(col), max(col), distinct(col); default count'),
    where,
    sort,
    top: z.int().min(1).max(1000).optional().describe('The rest becomes one row "other"'),
  }),
  output: listOf({}),
  async answer(services, input, { nowMs }) {
    const { result_id, group_by: groupBy, metrics, where: conditions, sort: order, top } = input;
    const kept = await services.results.get(result_id);
    const summary = summarizeRows(
      kept.rows,
      { groupBy, metrics, where: conditions, sort: order, top },
      nowMs,
    );
    const { data, total, matched, groups, warnings } = summary;
    const isPart = kept.rest !== undefined;
    return {
      payload: { count: data.length, groups, matched_rows: matched, totals: total },
      rows: data,
      noun: 'groups',
      context: {
        ...kept.context,
        warnings: [
          ...(isPart
            ? [
                `These are totals over the ${kept.rows.length} rows that were kept; the platform has more. Read the list with all: true for all of it.`,
              ]
            : []),
          ...(kept.context.warnings ?? []),
          ...warnings,
        ],
      },
      asked: { tool: 'summarize_rows', arguments: input },
    };
  },
});
