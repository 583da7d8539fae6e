import { z } from 'zod';
import { fields, words } from '../endpoints/parameters.ts';
import { listOf } from '../endpoints/shapes.ts';
import { defineTool } from './define-tool.ts';

/** A slice of an earlier answer: what did not fit in it. */
export const readRows = defineTool({
  tool: 'read_rows',
  title: 'Read kept rows',
  description: [
    'The next rows of an earlier answer that was cut.',
    { needs: 'query', text: 'To filter, sort or add up, use query over result(id).' },
  ],
  asksPlatform: false,
  input: z.strictObject({
    result_id: words.describe('context.result.id of an earlier answer'),
    start: z.int().min(0).optional().describe('Rows to skip').meta({ default: 0 }),
    limit: z.int().min(1).max(1000).optional().describe('Most rows').meta({ default: 100 }),
    fields: fields.describe('Columns to return; default those of that answer'),
  }),
  output: listOf({}),
  async answer(services, input) {
    const { result_id, start = 0, limit = 100 } = input;
    const kept = await services.results.get(result_id);
    const chosen = input.fields ?? kept.arguments.fields;
    const asked = { ...input, ...(chosen !== undefined && { fields: chosen }) };
    const rows = kept.rows.slice(start, start + limit);
    const reached = start + rows.length;
    const total = kept.rows.length;
    // At the end of a page that was itself cut, the platform still has the rest.
    const next = { tool: 'read_rows', arguments: { ...asked, start: reached } };
    const rest = reached < total ? { next } : kept.rest;
    return {
      payload: { count: rows.length, total, start, limit },
      rows,
      noun: `rows of ${kept.id}`,
      context: kept.context,
      ...(rest && { rest }),
      sliceOf: { resultId: kept.id, start, length: total, isWhole: kept.rest === undefined },
      asked: { tool: 'read_rows', arguments: asked },
    };
  },
});
