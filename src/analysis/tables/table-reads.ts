/** What a statement's calls ask of tools, and what that costs. */
import type { BudgetStatus } from '../../client/client.ts';
import { InputError } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import type { MessageOf } from '../../core/message.ts';
import { largestPage } from '../../endpoints/define.ts';
import type { ArgumentValue, Scalar, TableCall } from '../../query/provider.ts';
import type { Answer } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import type { StatementTable } from './tables.ts';

declare module '../../core/message.ts' {
  interface Messages {
    /** `kept`: the orders whose lines cost nothing, where others are missing. */
    statement_costs_more: {
      calls: number;
      maxCalls: number;
      tools: readonly { tool: string; calls: number }[];
      time: MessageOf<'budget_unknown' | 'budget_has_room' | 'budget_takes'>;
      kept?: number | undefined;
    };
    budget_unknown: object;
    budget_has_room: object;
    budget_takes: { remaining: number; limit: number; seconds: number };
  }
}

/** One call of a tool that a statement needs, and what came of it so far. */
export interface TableRead {
  tool: ToolDefinition;
  /** Arguments as a caller would write them. */
  input: JsonObject;
  /** The statement's call that it answers, or helps to answer. */
  call: TableCall;
  /** Columns that its rows carry besides their own: which value of an argument they belong to. */
  correlated: Readonly<Record<string, Scalar>>;
  /** So many rows are enough. */
  maxRows: number;
  rows: readonly Row[];
  requestCount: number;
  /** Of a list its first page, until the others are read. None for a value that the platform does not know. */
  answer?: Answer;
  /** Since when its rows, which are order lines, are kept: nothing is asked for them. */
  keptSinceMs?: number;
}

/** Most ids that one request of a batched argument takes. */
const batchSize = 100;

/** The calls that answer those of a statement: one, or one for each value of an argument that is a list. */
export function readsFor(
  calls: readonly TableCall[],
  tables: ReadonlyMap<string, StatementTable>,
  mostRows: number,
): TableRead[] {
  return calls.flatMap((call) => {
    const tool = tables.get(call.table)?.tool;
    if (tool === undefined) return [];
    const maxRows = Math.max(1, Math.min(call.atMost ?? mostRows, mostRows));
    return Object.entries(call.args).reduce<TableRead[]>(
      (reads, [name, value]) => reads.flatMap((read) => withValues(read, name, value)),
      [{ tool, input: {}, call, correlated: {}, maxRows, rows: [], requestCount: 0 }],
    );
  });
}

/** A call for each value of an argument; a list that the tool itself takes is one value, ids in batches share a call. */
function withValues(read: TableRead, name: string, value: ArgumentValue): TableRead[] {
  const { tool, call, input } = read;
  const isWhole = !Array.isArray(value) || tool.input.shape[name]?.safeParse(value).success;
  if (!isWhole && name === tool.batchArgument) {
    return Array.from({ length: Math.ceil(value.length / batchSize) }, (_, at) => {
      const ids = value.slice(at * batchSize, (at + 1) * batchSize).join(',');
      return { ...read, input: { ...input, [name]: ids } };
    });
  }
  const isOneOf = Array.isArray(value) || call.correlatedArguments.includes(name);
  return (isWhole ? [value] : value).map((one) => {
    const added = isOneOf && typeof one !== 'object' && { [name]: one };
    const correlated = { ...read.correlated, ...added };
    return { ...read, input: { ...input, [name]: one }, correlated };
  });
}

/** Without calls of a list argument that turned out to ask for the same: `3` and the name of shop 3 are one. */
export function distinctReads(reads: readonly TableRead[]): TableRead[] {
  const known = new Set<string>();
  return reads.filter(({ call, answer }) => {
    if (answer === undefined) return true;
    const { resolved = {}, period } = answer.context;
    const { period: _, from: __, to: ___, ...args } = answer.toolCall.arguments;
    for (const [name, { id }] of Object.entries(resolved)) args[name] = String(id);
    const key = JSON.stringify([call.key, args, period?.from, period?.to]);
    return !known.has(key) && known.add(key);
  });
}

/** How many rows of a list are asked for at once. */
export function pageOf({ tool, maxRows }: TableRead): number {
  return Math.min(largestPage(tool), maxRows);
}

/** The requests that calls take, as far as is known: of a list all its pages, once the first was read. */
function costOf(reads: readonly TableRead[], nowMs: number): number {
  const costs = reads.map((read) => {
    const { tool, input, answer, maxRows } = read;
    if (tool.calls) return tool.calls(input, nowMs);
    // The platform's pages may be smaller than what was asked for.
    const list = answer?.kind === 'rows' ? answer : undefined;
    const page = list?.rows.length || pageOf(read);
    return Math.ceil(Math.min(toNumber(list?.payload.total), maxRows) / page) || 1;
  });
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** What a statement may cost, and what it did so far. */
export interface CostBounds {
  maxCalls: number;
  spent: number;
  nowMs: number;
  budget: BudgetStatus | undefined;
  /** The orders whose lines are kept, where lines of others are asked for. */
  kept: number | undefined;
}

/** @throws {InputError} for calls that would take more requests than the statement may make */
export function refuseCost(
  reads: readonly TableRead[],
  { maxCalls, spent, nowMs, budget, kept }: CostBounds,
): void {
  const missing = costOf(reads, nowMs);
  if (spent + missing <= maxCalls) return;
  const byTool = [...groupBy(reads, ({ tool }) => tool.tool)];
  const tools = byTool.map(([tool, some]) => ({ tool, calls: costOf(some, nowMs) }));
  const time = timeFor(missing, budget);
  const cost = { calls: spent + missing, maxCalls, tools, time, kept };
  throw new InputError({ code: 'statement_costs_more', ...cost }, 'max_calls');
}

function timeFor(
  calls: number,
  budget: BudgetStatus | undefined,
): MessageOf<'budget_unknown' | 'budget_has_room' | 'budget_takes'> {
  if (budget === undefined) return { code: 'budget_unknown' };
  const { limit, remaining, resetsInSeconds, windowSeconds, waiting } = budget;
  const beyond = calls + waiting - remaining;
  if (beyond <= 0) return { code: 'budget_has_room' };
  const windows = Math.ceil(beyond / Math.max(1, limit));
  const seconds = resetsInSeconds + (windows - 1) * windowSeconds;
  return { code: 'budget_takes', remaining, limit, seconds };
}
