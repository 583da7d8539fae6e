import { amsterdamIso } from '../core/calendar.ts';
import { InputError } from '../core/errors.ts';
import type { Period } from '../core/periods.ts';
import type { Answer, Call, TableUse } from './answer.ts';
import { decideFigure } from './figure/decide-figure.ts';
import type { FigureInput } from './figure/figure-input.ts';
import { labelPayload } from './reference/labels.ts';
import type { Services } from './services.ts';

/** The figure that the rows have the shape of. */
export async function answerFigure(
  services: Services,
  input: FigureInput,
  call: Call,
): Promise<Answer> {
  const { title, kind, unit, max_calls } = input;
  const found = await services.statements.run(statementOf(input), max_calls, call);
  const { columns, rows, isOrdered, tables } = found;
  const named = await labelPayload(services, rows, call.signal);
  const warnings = [...found.warnings, ...named.warnings];
  const complete = found.complete && tables.every((table) => table.complete);
  const asOf = tables.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(call.nowMs);
  const period = periodOf(tables);
  const { source } = services;
  const decided = decideFigure({
    columns,
    rows,
    title,
    kind,
    unit,
    labels: named.labels,
    isOrdered,
    notes: { source, complete, warnings, asOf, ...(period && { period: daysOf(period) }) },
  });
  return {
    payload: { count: rows.length },
    rows,
    ...decided,
    context: {
      endpoint: 'show_figure',
      source,
      as_of: asOf,
      ...(period && { period }),
      tables,
      warnings,
    },
    ...(!complete && { rest: {} }),
    calls: tables.reduce((sum, { calls }) => sum + calls, 0),
    asked: { tool: 'show_figure', arguments: input },
  };
}

/** @throws {InputError} unless exactly one of the two ways to name rows was taken */
function statementOf({ sql, result_id }: Pick<FigureInput, 'sql' | 'result_id'>): string {
  if (sql !== undefined && result_id !== undefined)
    throw new InputError('sql and result_id came together. Give one of them.', 'sql');
  if (sql !== undefined) return sql;
  if (result_id !== undefined) return `SELECT * FROM result('${result_id.replaceAll("'", "''")}')`;
  throw new InputError(
    'sql or result_id is needed: a SELECT whose first column is the axis and whose numbers are drawn.',
    'sql',
  );
}

/** The days of the tables, where all that have any are of the same days. */
function periodOf(tables: readonly TableUse[]): Period | undefined {
  const periods = tables.flatMap(({ period }) => (period ? [period] : []));
  const [first] = periods;
  const isShared = periods.every(({ from, to }) => from === first?.from && to === first.to);
  return isShared ? first : undefined;
}

function daysOf({ from, to }: Period): { from: string; to: string } {
  return { from, to };
}
