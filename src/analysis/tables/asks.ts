/** The calls of tools that answer what a statement needs. */
import type { JsonObject } from '../../core/json.ts';
import type { ArgumentValue, Scalar, TableCall } from '../../query/provider.ts';
import type { Answer } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import type { StatementTable } from './tables.ts';

/** One call of a tool, and what came of it. */
export interface Ask {
  tool: ToolDefinition;
  /** Arguments as a caller would give them. */
  input: JsonObject;
  /** The statement's call that it answers, or helps to answer. */
  call: TableCall;
  /** Columns that its rows carry besides their own: which value of an argument they belong to. */
  carried: Readonly<Record<string, Scalar>>;
  /** So many rows are enough. */
  maxRows: number;
  /** Requests that were made for it. */
  made: number;
  /** Of a list its first page, until the others are read. None for a value that the platform does not know. */
  answer?: Answer;
  rows: readonly Row[];
  /** Since when its rows, which are order lines, are kept: it is not made. */
  keptSinceMs?: number;
}

/** Calls of one tool that are reported together. */
export type Asks = readonly [Ask, ...Ask[]];

/** Most ids that one request of a batched argument takes. */
const batchSize = 100;

/** The calls that answer those of a statement: one, or one for each value of an argument that is a list. */
export function asksFor(
  calls: readonly TableCall[],
  tables: ReadonlyMap<string, StatementTable>,
  mostRows: number,
): Ask[] {
  return calls.flatMap((call) => {
    const tool = tables.get(call.table)?.tool;
    if (tool === undefined) return [];
    const maxRows = Math.max(1, Math.min(call.atMost ?? mostRows, mostRows));
    let asks: Ask[] = [{ tool, input: {}, call, carried: {}, maxRows, made: 0, rows: [] }];
    for (const [name, value] of Object.entries(call.args))
      asks = asks.flatMap((ask) => withValues(ask, name, value));
    return asks;
  });
}

/** A call for each value of an argument; a list that the tool itself takes is one value, ids in batches share a call. */
function withValues(ask: Ask, name: string, value: ArgumentValue): Ask[] {
  const { tool, call, input } = ask;
  const isWhole = !Array.isArray(value) || tool.input.shape[name]?.safeParse(value).success;
  if (!isWhole && name === tool.batchArgument) {
    const batches: string[] = [];
    for (let start = 0; start < value.length; start += batchSize)
      batches.push(value.slice(start, start + batchSize).join(','));
    return batches.map((ids) => ({ ...ask, input: { ...input, [name]: ids } }));
  }
  return (isWhole ? [value] : value).map((own) => {
    const isCarried = call.carried.includes(name) && typeof own !== 'object';
    const carried = isCarried ? { ...ask.carried, [name]: own } : ask.carried;
    return { ...ask, input: { ...input, [name]: own }, carried };
  });
}

/** What is reported together: calls of a table that differ from row to row; each other call of the statement alone. */
export function tableOf({ call: { table, key, args, carried } }: Ask): string {
  const differs = carried.some((name) => name in args && !Array.isArray(args[name]));
  return differs ? table : key;
}

/** Without calls of a list argument that turned out to ask for the same: `3` and the name of shop 3 are one. */
export function distinctAsks(asks: readonly Ask[]): Ask[] {
  const known = new Set<string>();
  return asks.filter(({ call, answer }) => {
    if (answer === undefined) return true;
    const { resolved = {}, period } = answer.context;
    const { period: _, from: __, to: ___, ...given } = answer.asked.arguments;
    for (const [name, { id }] of Object.entries(resolved)) given[name] = String(id);
    const asked = JSON.stringify([call.key, given, period?.from, period?.to]);
    return !known.has(asked) && known.add(asked);
  });
}
