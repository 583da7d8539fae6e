import { z } from 'zod';
import { InputError } from '../core/errors.ts';
import { messagesOf } from '../core/message.ts';
import { fieldsOf, integer, text } from '../endpoints/define.ts';
import { words } from '../endpoints/parameters.ts';
import { fileFormats, type RowsAnswer } from './answer.ts';
import { defineStatement } from './define-tool.ts';
import { answerStatement } from './query.ts';
import type { KeptResult } from './results/store.ts';

export const exportMessages = messagesOf({
  statement_or_result: ({ hasBoth }: { hasBoth: boolean }) =>
    `takes one of sql (a SELECT) and result_id (context.result.id of an earlier answer); ${hasBoth ? 'both' : 'neither'} came.`,
});

/** All rows of a kept answer or of a statement as a file for a person. */
export const exportRows = defineStatement({
  kind: 'file',
  tool: 'export_rows',
  title: 'Export rows to a file',
  description: 'All rows of an answer as a file for the person: its answer has the path or a link.',
  input: z.strictObject({
    result_id: words.optional().describe('context.result.id of an earlier answer'),
    sql: z.string().max(50_000).optional().describe('Or as in query'),
    format: z
      .enum(fileFormats)
      .optional()
      .describe('csv: the rows alone')
      .meta({ default: 'xlsx' }),
    title: z.string().max(200).optional().describe('Names the file'),
  }),
  output: fieldsOf({ name: text, rows: integer, path: text, url: text }),
  async answer(services, { result_id, sql, format = 'xlsx', title }, call) {
    const file = { format, title };
    const hasBoth = sql !== undefined && result_id !== undefined;
    if (sql !== undefined && !hasBoth) {
      const toolCall = { tool: 'query', arguments: { sql } };
      return { ...(await answerStatement(services, { sql }, call)), toolCall, file };
    }
    if (result_id === undefined || hasBoth)
      throw new InputError(exportMessages.statement_or_result({ hasBoth }));
    const kept = await services.results.get(result_id);
    return { ...keptAnswer(kept), file: { ...file, kept } };
  },
});

/** The answer whose rows were kept. */
export function keptAnswer({ rows, context, rest, misnamed = [], ...origin }: KeptResult) {
  const answer: RowsAnswer = {
    kind: 'rows',
    rows,
    noun: 'rows',
    context,
    rest,
    payload: { count: rows.length, total: rows.length },
    statementColumns: { names: [], mentioned: new Set(), misnamed },
    toolCall: { tool: origin.tool, arguments: origin.arguments },
    calls: 0,
  };
  return answer;
}
