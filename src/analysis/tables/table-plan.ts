/** The calls of tools that answer what a statement needs. */
import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import type { ArgumentValue, Scalar, TableCall } from '../../query/provider.ts';
import type { TableUse } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';

/** One call of a tool that a table needs. */
export interface Ask {
  /** Arguments as a caller would give them. */
  input: JsonObject;
  /** Columns that its rows carry besides their own: which value of an argument they belong to. */
  carried: Readonly<Record<string, Scalar>>;
  /** Which of the statement's calls it is part of. */
  call: TableCall;
}

/** Calls of one tool that are read and reported as one table. */
export interface TablePlan {
  /** As the statement names it. */
  table: string;
  tool: ToolDefinition;
  asks: readonly Ask[];
  /** So many rows are enough. */
  atMost?: number;
  /** Of order lines: of how many orders they are kept, and need not be read. */
  kept?: NonNullable<TableUse['kept']>;
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
  const groups = new Map<string, TablePlan & { asks: Ask[] }>();
  for (const call of calls) {
    const tool = toolOf(call.table);
    if (tool === undefined) continue;
    const isOneOfMany = call.carried.length > 0;
    const key = isOneOfMany ? `${call.table} ${Object.keys(call.args)}` : call.key;
    const { atMost, table } = call;
    const group = groups.get(key) ?? { table, tool, asks: [], ...(atMost && { atMost }) };
    group.asks.push(...asksOf(tool, call));
    groups.set(key, group);
  }
  return [...groups.values()];
}

/**
 * The calls that answer one: itself, or one for each value of an argument that is a list. Ids of a
 * batched argument share a call.
 */
export function asksOf(
  tool: Pick<ToolDefinition, 'input' | 'batchArgument'>,
  call: TableCall,
): Ask[] {
  let asks: Ask[] = [{ input: {}, carried: {}, call }];
  for (const [name, value] of Object.entries(call.args)) {
    const isWhole = !Array.isArray(value) || isList(tool.input.shape[name]);
    const isBatch = !isWhole && name === tool.batchArgument;
    const choices = isWhole ? [value] : isBatch ? batches(value) : [value].flat();
    const isCarried = !isBatch && (!isWhole || call.carried.includes(name));
    asks = asks.flatMap(({ input, carried }) =>
      choices.map((choice) => ({
        input: { ...input, [name]: choice },
        carried: isCarried ? { ...carried, [name]: asScalar(choice) } : carried,
        call,
      })),
    );
  }
  return asks;
}

/** Whether an argument takes a list by nature, such as the kinds of `find_reference`. */
function isList(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional) return isList(schema.unwrap());
  return schema instanceof z.ZodArray;
}

function batches(values: ArgumentValue): string[] {
  const ids = [values].flat();
  return Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, index) =>
    ids.slice(index * batchSize, (index + 1) * batchSize).join(','),
  );
}

function asScalar(value: ArgumentValue): Scalar {
  return typeof value === 'object' ? null : value;
}

/** Arguments as a reader can take them in: of many values, how many there are. */
export function argumentsInShort({ asks }: TablePlan): JsonObject {
  const [first] = asks;
  if (asks.length === 1) return first?.input ?? {};
  const names = new Set(asks.flatMap(({ input }) => Object.keys(input)));
  return Object.fromEntries(
    [...names].map((name) => {
      const values = [...new Set(asks.map(({ input }) => input[name]))];
      if (values.length === 1) return [name, values[0]];
      return [
        name,
        values.length > 12 ? `${values.length.toLocaleString('en-US')} values` : values,
      ];
    }),
  );
}
