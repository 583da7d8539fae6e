import { z } from 'zod';
import { fields } from '../endpoints/parameters.ts';
import { listOf } from '../endpoints/shapes.ts';
import { defineTool } from './define-tool.ts';
import { resultId, sort, where } from './row-arguments.ts';
import { filterRows } from './rows/conditions.ts';
import { sortRows } from './rows/sort.ts';

/** A slice of an earlier answer: what did not fit in it, or a selection from it. */
export const readRows = defineTool({
  tool: 'read_rows',
  title: 'Read kept rows',
  description:
    'Rows of an earlier answer that was cut or drained, filtered and sorted: the highest, the latest, those of one customer.',
  asksPlatform: false,
  input: z.strictObject({
    result_id: resultId,
    start: z.int().min(0).optional().meta({ default: 0 }),
    limit: z.int().min(1).max(1000).optional().meta({ default: 100 }),
    fields,
    where,
    sort,
  }),
  output: listOf({}),
  async answer(services, input, { nowMs }) {
    const { result_id, start = 0, limit = 100, where: conditions = [], sort: order } = input;
    const kept = await services.results.get(result_id);
    const matching = filterRows(kept.rows, conditions, nowMs);
    const ordered = order === undefined ? matching : sortRows(matching, order);
    const rows = ordered.slice(start, start + limit);
    const reached = start + rows.length;
    const isLast = reached >= ordered.length;
    return {
      payload: { count: rows.length, total: ordered.length, start, limit },
      rows,
      noun: `rows of ${kept.id}`,
      context: kept.context,
      ...(!isLast && {
        rest: { next: { tool: 'read_rows', arguments: { ...input, start: reached } } },
      }),
      // At the end of a page that was itself cut, the platform still has the rest.
      ...(isLast && conditions.length === 0 && kept.rest && { rest: kept.rest }),
      sliceOf: { resultId: kept.id, start, length: ordered.length },
      asked: { tool: 'read_rows', arguments: input },
    };
  },
});
