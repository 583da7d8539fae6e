/** The calls of tools that answer what a statement needs. */
import { z } from 'zod';
import { type JsonObject, numberIn } from '../../core/json.ts';
import { isPaged, largestPage } from '../../endpoints/define.ts';
import type { ArgumentValue, Scalar, TableCall } from '../../query/provider.ts';
import type { Answer, TableUse } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';

/** One call of a tool that a table needs, and what came of it. */
export interface Ask {
  tool: ToolDefinition;
  /** Arguments as a caller would give them. */
  input: JsonObject;
  /** Columns that its rows carry besides their own: which value of an argument they belong to. */
  carried: Readonly<Record<string, Scalar>>;
  /** Which of the statement's calls it is part of. */
  call: TableCall;
  /** Requests that it takes, as far as is known, and those that were made for it. */
  needed: number;
  made: number;
  /** Of a list, its first page until the others were read. None for a value that the platform does not know. */
  answer?: Answer;
}

/** Calls of one tool that are read and reported as one table. */
export interface TablePlan {
  /** As the statement names it. */
  table: string;
  tool: ToolDefinition;
  asks: readonly Ask[];
  /** So many rows are enough. */
  atMost?: number | undefined;
  /** Order lines that need not be read: rows by the key of their call. */
  kept?: { use: NonNullable<TableUse['kept']>; rows: ReadonlyMap<string, readonly Row[]> };
}

/** Most ids that one request of a batched argument takes. */
const batchSize = 100;

/**
 * Plans for the calls of one round. Calls of a table that differ from row to row of the statement are
 * one plan; each other call is one of its own.
 */
export function plansOf(
  calls: readonly TableCall[],
  toolOf: (table: string) => ToolDefinition | undefined,
): TablePlan[] {
  const plans = new Map<string, TablePlan & { asks: Ask[] }>();
  for (const call of calls) {
    const { table, carried, atMost } = call;
    const tool = toolOf(table);
    if (tool === undefined) continue;
    const key = carried.length > 0 ? `${table} ${Object.keys(call.args)}` : call.key;
    const plan = plans.get(key) ?? { table, tool, asks: [], atMost };
    for (const ask of asksOf(tool, call)) plan.asks.push(ask);
    plans.set(key, plan);
  }
  return [...plans.values()];
}

/**
 * The calls that answer one: itself, or one for each value of an argument that is a list. Ids of a
 * batched argument share a call.
 */
function asksOf(tool: ToolDefinition, call: TableCall): Ask[] {
  let asks: Ask[] = [{ tool, call, input: {}, carried: {}, needed: 0, made: 0 }];
  for (const [name, value] of Object.entries(call.args)) {
    const isWhole = !Array.isArray(value) || isList(tool.input.shape[name]);
    const isBatch = !isWhole && name === tool.batchArgument;
    const choices = isWhole ? [value] : isBatch ? batches(value) : [value].flat();
    const isCarried = !isBatch && (!isWhole || call.carried.includes(name));
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

/** Whether an argument takes a list by nature, such as the kinds of `find_reference`. */
function isList(schema: unknown): boolean {
  return schema instanceof z.ZodOptional ? isList(schema.unwrap()) : schema instanceof z.ZodArray;
}

function batches(values: ArgumentValue): string[] {
  const ids = [values].flat();
  return Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, index) =>
    ids.slice(index * batchSize, (index + 1) * batchSize).join(','),
  );
}

/** The requests of a call: of a list the pages that are known, the first one at least. */
export function requestsOf({ tool, input, answer }: Ask, maxRows: number): JsonObject[] {
  if (!isPaged(tool)) return [input];
  const size = Math.min(largestPage(tool), maxRows);
  // The platform may give smaller pages than asked for.
  const step = answer?.rows?.length || size;
  const end = answer ? Math.min(numberIn(answer.payload.total), maxRows) : step;
  return Array.from({ length: Math.max(1, Math.ceil(end / step) || 1) }, (_, page) => {
    const start = page * step;
    return { ...input, start, limit: Math.min(size, maxRows - start) };
  });
}

/** The calls of a list argument that turned out to ask for different things: `3` and the name of shop 3 are one. */
export function distinctAsks(asks: readonly Ask[]): Ask[] {
  const known = new Map<TableCall, Set<string>>();
  return asks.filter(({ call, answer }) => {
    if (answer === undefined) return true;
    const ofCall = known.get(call) ?? new Set();
    known.set(call, ofCall);
    const { resolved = {}, period } = answer.context;
    const { period: _, from: __, to: ___, ...given } = answer.asked.arguments;
    for (const [name, { id }] of Object.entries(resolved)) given[name] = String(id);
    const asked = JSON.stringify([given, period?.from, period?.to]);
    return !ofCall.has(asked) && ofCall.add(asked);
  });
}

/** That rows of two calls of one list argument are the same, for their periods share days. */
export function sayOverlaps({ table, asks }: TablePlan): string[] {
  const lists = asks.filter(({ call }) => Array.isArray(call.args.period));
  for (const of of new Set(lists.map(({ call }) => call))) {
    const periods = lists.flatMap(({ call, answer }) =>
      call === of ? (answer?.context.period ?? []) : [],
    );
    periods.sort((a, b) => (a.from < b.from ? -1 : 1));
    for (const [index, later] of periods.entries()) {
      const earlier = periods[index - 1];
      const isSame = earlier?.from === later.from && earlier.to === later.to;
      if (earlier === undefined || isSame || later.from > earlier.to) continue;
      return [
        `${table}: the periods ${earlier.given} and ${later.given} share days (from ${later.from} on): rows of these are there twice. Give periods that do not overlap, or GROUP BY period.`,
      ];
    }
  }
  return [];
}
