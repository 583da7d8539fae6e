/** The calls of tools that answer what a statement needs. */
import { type JsonObject, numberIn } from '../../core/json.ts';
import { largestPage } from '../../endpoints/define.ts';
import type { ArgumentValue, Scalar, TableCall } from '../../query/provider.ts';
import type { Answer } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';

/** One call of a tool, and what came of it. */
export interface Ask {
  tool: ToolDefinition;
  /** Arguments as a caller would give them. */
  input: JsonObject;
  /** Columns that its rows carry besides their own: which value of an argument they belong to. */
  carried: Readonly<Record<string, Scalar>>;
  /** Which of the statement's calls it is part of. */
  call: TableCall;
  /** So many rows are enough. */
  maxRows: number;
  /** Requests that were made for it. */
  made: number;
  /** Of a list its first page, until the others are read. None for a value that the platform does not know. */
  answer?: Answer;
  /** Order lines that are kept, and since when: it is not made. */
  kept?: { rows: readonly Row[]; sinceMs: number };
}

/** Calls of one tool that are read and reported as one table. */
export interface TableRead {
  /** As the statement names it. */
  table: string;
  tool: ToolDefinition;
  asks: readonly Ask[];
}

/** Most ids that one request of a batched argument takes. */
const batchSize = 100;

/**
 * What is to be read for the calls of one round. Calls of a table that differ from row to row of the
 * statement are read as one; each other call is one of its own.
 */
export function readsOf(
  calls: readonly TableCall[],
  toolOf: (table: string) => ToolDefinition | undefined,
  maxRows: number,
): TableRead[] {
  const reads = new Map<string, TableRead & { asks: Ask[] }>();
  for (const call of calls) {
    const { table, args, carried } = call;
    const tool = toolOf(table);
    if (tool === undefined) continue;
    const differs = carried.some((name) => name in args && typeof args[name] !== 'object');
    const key = differs ? `${table} ${Object.keys(args)}` : call.key;
    const read = reads.get(key) ?? { table, tool, asks: [] };
    for (const ask of asksOf(tool, call, maxRows)) read.asks.push(ask);
    reads.set(key, read);
  }
  return [...reads.values()];
}

/** The calls that answer one: itself, or one for each value of an argument that is a list. */
function asksOf(tool: ToolDefinition, call: TableCall, most: number): Ask[] {
  const maxRows = Math.max(1, Math.min(call.atMost ?? most, most));
  let asks: Ask[] = [{ tool, call, maxRows, input: {}, carried: {}, made: 0 }];
  for (const [name, value] of Object.entries(call.args)) {
    const isBatch = name === tool.batchArgument && typeof value === 'object';
    const isCarried = call.carried.includes(name) && !isBatch;
    const choices = isBatch ? batchesOf(value) : choicesOf(tool, name, value);
    asks = asks.flatMap((ask) =>
      choices.map((choice) => ({
        ...ask,
        input: { ...ask.input, [name]: choice },
        ...(isCarried &&
          typeof choice !== 'object' && { carried: { ...ask.carried, [name]: choice } }),
      })),
    );
  }
  return asks;
}

/** The values of an argument, each for a call; a list that the tool itself takes is one value. */
function choicesOf({ input }: ToolDefinition, name: string, value: ArgumentValue) {
  const isWhole = typeof value !== 'object' || input.shape[name]?.safeParse(value).success;
  return isWhole ? [value] : [value].flat();
}

/** Ids of a batched argument share a call. */
function batchesOf(value: ArgumentValue): string[] {
  const ids = [value].flat();
  return Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, index) =>
    ids.slice(index * batchSize, (index + 1) * batchSize).join(','),
  );
}

/** The rows of one page of a list. */
export function pageOf({ tool, maxRows }: Ask): number {
  return Math.min(largestPage(tool), maxRows);
}

/** The requests that a call takes, as far as is known: of a list all its pages, once the first was read. */
export async function costOf(ask: Ask, nowMs: number): Promise<number> {
  const { tool, input, answer, maxRows, kept } = ask;
  if (kept) return 0;
  if (tool.calls) return tool.calls(input, nowMs);
  return Math.ceil(Math.min(numberIn(answer?.payload.total), maxRows) / pageOf(ask)) || 1;
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
