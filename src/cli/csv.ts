import type { Answer } from '../analysis/answer.ts';
import type { ToolDefinition } from '../analysis/define-tool.ts';
import { type Labels, labelPayload } from '../analysis/reference/reference.ts';
import { csvChunks } from '../analysis/rows/csv.ts';
import {
  cellReader,
  type Row,
  readColumns,
  requireColumn,
  selectFields,
} from '../analysis/rows/rows.ts';
import type { Services } from '../analysis/services.ts';
import { answerRows } from '../analysis/tables/table-rows.ts';
import { numberIn } from '../core/json.ts';
import { neutralise } from '../core/text.ts';

/**
 * All rows of an answer as CSV: a list's own, a report's facts, or one record. The notes are what its reader
 * has to know that rows cannot say.
 *
 * @param switches `names` adds a column with the name beside each id; `excel` is for a Dutch Excel
 * @throws {InputError} for a field that none of the rows has.
 */
export async function csvOfAnswer(
  tool: ToolDefinition,
  answer: Answer,
  services: Services,
  switches: ReadonlySet<string>,
): Promise<{ pieces: Iterable<string>; notes: string }> {
  const { asked, context, showAtMost, columns } = answer;
  const { fields } = asked.arguments;
  const rows = answerRows(tool, answer).slice(0, showAtMost);
  const fieldNames = Array.isArray(fields) ? fields.map(String) : [];
  for (const name of fieldNames) requireColumn(rows, name, 'fields');
  const chosen = fieldNames.length > 0 ? rows.map((row) => selectFields(row, fieldNames)) : rows;
  const hasNames = switches.has('names');
  const named = hasNames ? await labelPayload(services, chosen) : { labels: {}, warnings: [] };
  const warnings = [...(context.warnings ?? []), ...named.warnings];
  const notes = [
    ...(context.source === 'sandbox' ? ['source: sandbox, invented figures'] : []),
    ...(answer.rest === undefined ? [] : [sayMissing(tool, answer, rows.length)]),
    ...warnings.map((warning) => `Warning: ${neutralise(warning)}`),
  ];
  const written = hasNames ? withNames(chosen, named.labels) : chosen;
  const pieces = csvChunks(written, { columns, isForExcel: switches.has('excel') });
  return { pieces, notes: notes.join('\n') };
}

/** The rows as a flat table with `shop_name` behind `shop_id`. */
function withNames(rows: readonly Row[], labels: Labels): Row[] {
  const columns = [...readColumns(rows).keys()].flatMap(
    (column): [string, (row: Row) => unknown][] => {
      const read = cellReader(column);
      const names = labels[column.slice(column.lastIndexOf('.') + 1)];
      if (names === undefined) return [[column, read]];
      const nameOf = (row: Row) => [read(row)].flat().map((id) => names[String(id)]);
      return [
        [column, read],
        [column.replace(/(_id)?$/, '_name'), (row) => nameOf(row).join(', ')],
      ];
    },
  );
  return rows.map((row) => Object.fromEntries(columns.map(([name, read]) => [name, read(row)])));
}

function sayMissing({ input }: ToolDefinition, { payload, noun = 'rows' }: Answer, count: number) {
  const total = numberIn(payload.total);
  const of = total > count ? ` of ${total.toLocaleString('en-US')}` : '';
  const whole = 'all' in input.shape ? ' all=true reads all of them.' : '';
  const part =
    'sql' in input.shape ? ' A statement gives no more: group it, or part it by day.' : '';
  return `Not complete: these are ${count.toLocaleString('en-US')}${of} ${noun}.${whole}${part}`;
}
