/** The calls of tools that answer what a statement needs, and what they cost. */
import type { Budget } from '../../client/client.ts';
import { InputError } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import { type JsonObject, numberIn } from '../../core/json.ts';
import { countNoun } from '../../core/text.ts';
import { largestPage } from '../../endpoints/define.ts';
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
    return Array.from({ length: Math.ceil(value.length / batchSize) }, (_, at) => {
      const ids = value.slice(at * batchSize, (at + 1) * batchSize).join(',');
      return { ...ask, input: { ...input, [name]: ids } };
    });
  }
  return (isWhole ? [value] : value).map((own) => {
    const isOneOf = Array.isArray(value) || call.correlatedArguments.includes(name);
    const carried =
      isOneOf && typeof own !== 'object' ? { ...ask.carried, [name]: own } : ask.carried;
    return { ...ask, input: { ...input, [name]: own }, carried };
  });
}

/** What is reported together: calls of a table that differ from row to row; each other call of the statement alone. */
export function tableOf({ call: { table, key, args, correlatedArguments } }: Ask): string {
  const differs = correlatedArguments.some((name) => name in args && !Array.isArray(args[name]));
  return differs ? table : key;
}

/** Without calls of a list argument that turned out to ask for the same: `3` and the name of shop 3 are one. */
export function distinctAsks(asks: readonly Ask[]): Ask[] {
  const known = new Set<string>();
  return asks.filter(({ call, answer }) => {
    if (answer === undefined) return true;
    const { resolved = {}, period } = answer.context;
    const { period: _, from: __, to: ___, ...given } = answer.toolCall.arguments;
    for (const [name, { id }] of Object.entries(resolved)) given[name] = String(id);
    const asked = JSON.stringify([call.key, given, period?.from, period?.to]);
    return !known.has(asked) && known.add(asked);
  });
}

/** How many rows of a list are asked for at once. */
export function pageOf({ tool, maxRows }: Ask): number {
  return Math.min(largestPage(tool), maxRows);
}

/** The requests that a call takes, as far as is known: of a list all its pages, once the first was read. */
function costOf(ask: Ask, nowMs: number): number {
  const { tool, input, answer, maxRows } = ask;
  if (tool.calls) return tool.calls(input, nowMs);
  // The platform's pages may be smaller than what was asked for.
  const page = answer?.rows?.length || pageOf(ask);
  return Math.ceil(Math.min(numberIn(answer?.payload.total), maxRows) / page) || 1;
}

/** Refuses calls that would take, after those `spent`, more requests than the statement may make. */
export function refuseCost(
  asks: readonly Ask[],
  spent: number,
  {
    maxCalls,
    nowMs,
    budget,
    kept,
  }: { maxCalls: number; nowMs: number; budget: Budget | undefined; kept: number | undefined },
): void {
  const costOfAll = (own: readonly Ask[]) => own.reduce((sum, ask) => sum + costOf(ask, nowMs), 0);
  const missing = costOfAll(asks);
  const needed = spent + missing;
  if (needed <= maxCalls) return;
  const byTool = [...groupBy(asks, ({ tool }) => tool.tool)];
  const said = byTool.map(([tool, own]) => `${tool} ${costOfAll(own).toLocaleString('en-US')}`);
  throw new InputError(
    [
      `query: this statement takes up to ${countNoun(needed, 'platform call')}, and max_calls is ${maxCalls.toLocaleString('en-US')}: ${said.join(', ')}.`,
      `${sayTime(missing, budget)} Nothing of it was read beyond what tells the number, and that is kept.`,
      ...(kept === undefined
        ? []
        : [
            `Of the orders whose lines it asks for, those of ${kept.toLocaleString('en-US')} are kept and cost nothing; "commerce-mcp fill" reads the others ahead.`,
          ]),
      `Narrow it (a shorter period, one shop, fewer ids in the subquery), or give max_calls: ${needed}.`,
    ].join('\n'),
    'max_calls',
  );
}

/** How long so many requests take at the present budget, as a sentence. */
function sayTime(calls: number, budget: Budget | undefined): string {
  if (budget === undefined) return 'How long that takes is not known yet: no budget was reported.';
  const { limit, remaining, resetsInSeconds, windowSeconds, waiting } = budget;
  const beyond = calls + waiting - remaining;
  if (beyond <= 0) return 'The present rate budget has room for that.';
  const windows = Math.ceil(beyond / Math.max(1, limit));
  const seconds = resetsInSeconds + (windows - 1) * windowSeconds;
  const time = seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return `At the present rate budget (${remaining} of ${limit} left) that takes about ${time}.`;
}
