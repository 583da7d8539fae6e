import type { Answer } from '../analysis/answer.ts';
import type { ToolDefinition } from '../analysis/define-tool.ts';
import { csvChunks } from '../analysis/rows/csv.ts';
import { selectFields } from '../analysis/rows/rows.ts';
import { answerRows } from '../analysis/tables/answer-rows.ts';
import { numberIn } from '../core/json.ts';
import { neutralise } from '../core/text.ts';

/** An answer for a file, and what its reader has to know that a file of rows cannot say. */
export interface CsvAnswer {
  pieces: Iterable<string>;
  notes: string;
}

/**
 * All rows of an answer as CSV: a list's own, a report's facts, or one record.
 *
 * @throws {InputError} for a field that none of the rows has.
 */
export function csvOfAnswer(tool: ToolDefinition, answer: Answer): CsvAnswer {
  const { asked, context, showAtMost, columns } = answer;
  const { fields } = asked.arguments;
  const rows = answerRows(tool, answer).slice(0, showAtMost);
  const chosen =
    Array.isArray(fields) && fields.length > 0 ? selectFields(rows, fields.map(String)) : rows;
  const notes = [
    ...(context.source === 'sandbox' ? ['source: sandbox, invented figures'] : []),
    ...(answer.rest === undefined ? [] : [sayMissing(tool, answer, rows.length)]),
    ...(context.warnings ?? []).map((warning) => `Warning: ${neutralise(warning)}`),
  ];
  return { pieces: csvChunks(chosen, columns), notes: notes.join('\n') };
}

function sayMissing({ input }: ToolDefinition, { payload, noun = 'rows' }: Answer, count: number) {
  const total = numberIn(payload.total);
  const of = total > count ? ` of ${total.toLocaleString('en-US')}` : '';
  const advice =
    'all' in input.shape
      ? ' all=true reads all of them.'
      : 'sql' in input.shape
        ? ' That is the most that a statement gives: group it, or part it by day.'
        : '';
  return `Not complete: these are ${count.toLocaleString('en-US')}${of} ${noun}.${advice}`;
}
