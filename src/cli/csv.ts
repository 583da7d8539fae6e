import type { Answer } from '../analysis/answer.ts';
import type { ToolDefinition } from '../analysis/define-tool.ts';
import { type Labels, labelPayload } from '../analysis/reference/reference.ts';
import { csvChunks } from '../analysis/rows/csv.ts';
import {
  type Row,
  readCell,
  readColumns,
  requireColumn,
  selectFields,
} from '../analysis/rows/rows.ts';
import type { Services } from '../analysis/services.ts';
import { answerRows } from '../analysis/tables/table-rows.ts';
import { fieldOf } from '../core/column-name.ts';
import { numberIn } from '../core/json.ts';
import { neutralise } from '../core/text.ts';

/**
 * All rows of an answer as CSV: a list's own, a report's facts, or one record. The notes are what its reader
 * has to know that rows cannot say.
 *
 * @param switches `names` adds a column with the name next to each id; `excel` is for a Dutch Excel
 * @throws {InputError} for a field that none of the rows has.
 */
export async function csvOfAnswer(
  tool: ToolDefinition,
  services: Services,
  answer: Answer,
  switches: ReadonlySet<string>,
): Promise<{ pieces: Iterable<string>; notes: string }> {
  const { asked, context, showAtMost, columns, rest } = answer;
  const { fields = [] } = asked.arguments;
  const names = [fields].flat().map(String);
  const read = answerRows(tool, answer).slice(0, showAtMost);
  for (const name of names) requireColumn(read, name, 'fields');
  const rows = names.length > 0 ? read.map((row) => selectFields(row, names)) : read;
  const hasNames = switches.has('names');
  const { labels, warnings } = hasNames
    ? await labelPayload(services, rows)
    : { labels: {}, warnings: [] };
  const notes = [
    ...(context.source === 'sandbox' ? ['source: sandbox, invented figures'] : []),
    ...(rest === undefined ? [] : [sayMissing(tool, answer, rows.length)]),
    ...[...(context.warnings ?? []), ...warnings].map(({ text }) => `Warning: ${neutralise(text)}`),
  ];
  const written = hasNames ? withNames(rows, labels) : rows;
  const pieces = csvChunks(written, { columns, isForExcel: switches.has('excel') });
  return { pieces, notes: notes.join('\n') };
}

/** The rows as a flat table with `shop_name` behind `shop_id`. */
function withNames(rows: readonly Row[], labels: Labels): Row[] {
  const columns = [...readColumns(rows).keys()].map((column) => {
    const names = labels[fieldOf(column)];
    return { column, names };
  });
  return rows.map((row) => {
    const cells = columns.flatMap(({ column, names }) => {
      const value = readCell(row, column);
      const called = [value].flat().map((id) => names?.[String(id)]);
      const named = [column.replace(/(_id)?$/, '_name'), called.join(', ')];
      return [[column, value], ...(names ? [named] : [])];
    });
    return Object.fromEntries(cells);
  });
}

function sayMissing({ input }: ToolDefinition, { payload, noun = 'rows' }: Answer, count: number) {
  const total = numberIn(payload.total);
  const of = total > count ? ` of ${total.toLocaleString('en-US')}` : '';
  const whole = 'all' in input.shape ? ' all=true reads all of them.' : '';
  return `Not complete: these are ${count.toLocaleString('en-US')}${of} ${noun}.${whole}`;
}
