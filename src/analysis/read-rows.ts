import { z } from 'zod';
import { listOf } from '../endpoints/define.ts';
import { columns, words } from '../endpoints/parameters.ts';
import { defineStatement } from './define-tool.ts';

export const readRows = defineStatement({
  kind: 'kept',
  tool: 'read_rows',
  title: 'Read kept rows',
  description: [
    'The next rows of an earlier answer that was cut.',
    { needs: 'query', text: 'To filter, sort or add up, use query over result(id).' },
  ],
  input: z.strictObject({
    result_id: words.describe('context.result.id of an earlier answer'),
    start: z.int().min(0).optional().describe('Rows to skip').meta({ default: 0 }),
    limit: z.int().min(1).max(1000).optional().describe('Most rows').meta({ default: 100 }),
    fields: columns().fields.describe('Default: those of that answer'),
  }),
  output: listOf({}),
  async answer({ results }, input) {
    const { result_id, start = 0, limit = 100 } = input;
    const result = await results.get(result_id);
    const { id, context, rest, misnamed = [], arguments: origin } = result;
    const fields = input.fields ?? origin.fields;
    const args = { ...input, ...(fields !== undefined && { fields }) };
    const rows = result.rows.slice(start, start + limit);
    const end = start + rows.length;
    const next = { tool: 'read_rows', arguments: { ...args, start: end } };
    return {
      kind: 'rows',
      rows,
      noun: `rows of ${id}`,
      context,
      // After the last kept row, the platform may have further rows.
      rest: end < result.rows.length ? { next } : rest,
      statementColumns: { names: [], mentioned: new Set(), misnamed },
      payload: { count: rows.length, total: result.rows.length, start, limit },
      sliceOf: { resultId: id, isWhole: rest === undefined },
      toolCall: { tool: 'read_rows', arguments: args },
    };
  },
});
