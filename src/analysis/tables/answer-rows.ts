import { isRecord, type JsonObject } from '../../core/json.ts';
import { givesRows } from '../../endpoints/define.ts';
import type { Scalar } from '../../query/provider.ts';
import type { Answer } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import { factRows } from './fact-rows.ts';

/** The rows of an answer: a list's own, a report's facts, or the one record. */
export function answerRows(tool: ToolDefinition, { payload, rows }: Answer): readonly Row[] {
  return rows ?? (isReport(tool) ? factRows(payload) : [record(payload)]);
}

/** The rows of an answer as a table has them. */
export function tableRowsOf(
  tool: ToolDefinition,
  answer: Answer,
  carried: Readonly<Record<string, Scalar>>,
): readonly Row[] {
  const own = answerRows(tool, answer);
  const hasDots = Object.keys(own[0] ?? {}).some((column) => column.includes('.'));
  const nested = hasDots ? own.map(nest) : own;
  if (Object.keys(carried).length === 0) return nested;
  // A report's facts have columns for ids that stand above none of them.
  return nested.map((row) => ({
    ...carried,
    ...row,
    ...Object.fromEntries(
      Object.entries(carried).map(([name, value]) => [name, row[name] ?? value]),
    ),
  }));
}

/** Columns whose names have dots as the objects that SQL reaches by these names. */
function nest(row: Row): Row {
  const nested = bare();
  for (const [column, value] of Object.entries(row)) {
    const [first = '', ...rest] = column.split('.');
    const last = rest.pop();
    let place: JsonObject = nested;
    for (const step of last === undefined ? [] : [first, ...rest]) {
      const inner = place[step];
      const next = isRecord(inner) ? inner : bare();
      place[step] = next;
      place = next;
    }
    place[last ?? first] = value;
  }
  return nested;
}

/** An object that holds whatever name a platform gives, `__proto__` too, as a name and nothing else. */
function bare(): JsonObject {
  return Object.create(null);
}

/** Whether a tool's answer is a report, which is read as facts. */
export function isReport(tool: Pick<ToolDefinition, 'toolset' | 'output'>): boolean {
  return tool.toolset === 'reports' && !givesRows(tool);
}

function record(payload: JsonObject): Row {
  return isRecord(payload.data) ? payload.data : payload;
}
