import type { Answer } from '../analysis/answer.ts';
import type { ToolDefinition } from '../analysis/define-tool.ts';
import { type Labels, labelPayload } from '../analysis/reference/reference.ts';
import { csvChunks } from '../analysis/rows/csv.ts';
import { cellReader, columnNames, type Row, selectFields } from '../analysis/rows/rows.ts';
import type { Services } from '../analysis/services.ts';
import { answerRows } from '../analysis/tables/answer-rows.ts';
import { numberIn } from '../core/json.ts';
import { neutralise } from '../core/text.ts';

/**
 * All rows of an answer as CSV: a list's own, a report's facts, or one record. The notes are what its reader
 * has to know that rows cannot say.
 *
 * @throws {InputError} for a field that none of the rows has.
 */
export async function csvOfAnswer(
  tool: ToolDefinition,
  answer: Answer,
  services: Services,
  { hasNames, isForExcel }: { hasNames: boolean; isForExcel: boolean },
): Promise<{ pieces: Iterable<string>; notes: string }> {
  const { asked, context, showAtMost, columns } = answer;
  const { fields } = asked.arguments;
  const rows = answerRows(tool, answer).slice(0, showAtMost);
  const chosen =
    Array.isArray(fields) && fields.length > 0 ? selectFields(rows, fields.map(String)) : rows;
  const named = hasNames ? await labelPayload(services, chosen) : { labels: {}, warnings: [] };
  const warnings = [...(context.warnings ?? []), ...named.warnings];
  const notes = [
    ...(context.source === 'sandbox' ? ['source: sandbox, invented figures'] : []),
    ...(answer.rest === undefined ? [] : [sayMissing(tool, answer, rows.length)]),
    ...warnings.map((warning) => `Warning: ${neutralise(warning)}`),
  ];
  const written = hasNames ? withNames(chosen, named.labels) : chosen;
  return { pieces: csvChunks(written, { columns, isForExcel }), notes: notes.join('\n') };
}

/** The rows as a flat table with `shop_name` behind `shop_id`. */
function withNames(rows: readonly Row[], labels: Labels): Row[] {
  const columns = columnNames(rows).map((column) => ({
    column,
    read: cellReader(column),
    names: labels[column.slice(column.lastIndexOf('.') + 1)],
  }));
  return rows.map((row) =>
    Object.fromEntries(
      columns.flatMap(({ column, read, names }): [string, unknown][] => {
        const cell = read(row);
        if (names === undefined) return [[column, cell]];
        const title = column.replace(/(_id)?$/, '_name');
        return [
          [column, cell],
          [
            title,
            [cell]
              .flat()
              .map((id) => names[String(id)])
              .join(', '),
          ],
        ];
      }),
    ),
  );
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
