/** What a statement's calls ask of tools, what that costs, and what an answer says of the tables that were read. */
import type { BudgetStatus } from '../../client/client.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { countNoun, sayCount } from '../../core/text.ts';
import { distinctWarnings, type Warning } from '../../core/warning.ts';
import { largestPage } from '../../endpoints/define.ts';
import type { ArgumentValue, Scalar, StatementShape, TableCall } from '../../query/provider.ts';
import type { Answer, TableUse } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import { inexactWarnings } from '../rows/rows.ts';
import type { StatementTable } from './tables.ts';

/** One call of a tool that a statement needs. */
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
}

/** What came of it so far. */
export interface ReadResult extends TableRead {
  rows: readonly Row[];
  /** Requests that were made for it. */
  made: number;
  /** Of a list its first page, until the others are read. None for a value that the platform does not know. */
  answer?: Answer;
  /** Since when its rows, which are order lines, are kept: nothing is asked for them. */
  keptSinceMs?: number;
}

/** Results of calls that are reported together. */
export type ReadResults = readonly [ReadResult, ...ReadResult[]];

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
      [{ tool, input: {}, call, correlated: {}, maxRows }],
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

/** What is reported together: calls of a table that differ from row to row; each other call of the statement alone. */
export function reportKey({ call: { table, key, args, correlatedArguments } }: TableRead): string {
  const differs = correlatedArguments.some((name) => name in args && !Array.isArray(args[name]));
  return differs ? table : key;
}

/** Without calls of a list argument that turned out to ask for the same: `3` and the name of shop 3 are one. */
export function distinctResults(results: readonly ReadResult[]): ReadResult[] {
  const known = new Set<string>();
  return results.filter(({ call, answer }) => {
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

/** The requests that a call takes, as far as is known: of a list all its pages, once the first was read. */
function costOf(result: ReadResult, nowMs: number): number {
  const { tool, input, answer, maxRows } = result;
  if (tool.calls) return tool.calls(input, nowMs);
  // The platform's pages may be smaller than what was asked for.
  const page = answer?.rows?.length || pageOf(result);
  return Math.ceil(Math.min(toNumber(answer?.payload.total), maxRows) / page) || 1;
}

/** Refuses calls that would take, after those `spent`, more requests than the statement may make. */
export function refuseCost(
  results: readonly ReadResult[],
  spent: number,
  bounds: {
    maxCalls: number;
    nowMs: number;
    budget: BudgetStatus | undefined;
    kept: number | undefined;
  },
): void {
  const { maxCalls, nowMs, budget, kept } = bounds;
  const costOfAll = (some: readonly ReadResult[]) =>
    some.reduce((sum, result) => sum + costOf(result, nowMs), 0);
  const missing = costOfAll(results);
  const needed = spent + missing;
  if (needed <= maxCalls) return;
  const byTool = [...groupBy(results, ({ tool }) => tool.tool)];
  const costs = byTool.map(([tool, some]) => `${tool} ${sayCount(costOfAll(some))}`);
  throw new InputError(
    [
      `query: this statement takes up to ${countNoun(needed, 'platform call')}, and max_calls is ${sayCount(maxCalls)}: ${costs.join(', ')}.`,
      `${sayTime(missing, budget)} Nothing of it was read beyond what tells the number, and that is kept.`,
      ...(kept === undefined
        ? []
        : [
            `Of the orders whose lines it asks for, those of ${sayCount(kept)} are kept and cost nothing; "commerce-mcp fill" reads the others ahead.`,
          ]),
      `Narrow it (a shorter period, one shop, fewer ids in the subquery), or give max_calls: ${needed}.`,
    ].join('\n'),
    'max_calls',
  );
}

function sayTime(calls: number, budget: BudgetStatus | undefined): string {
  if (budget === undefined) return 'How long that takes is not known yet: no budget was reported.';
  const { limit, remaining, resetsInSeconds, windowSeconds, waiting } = budget;
  const beyond = calls + waiting - remaining;
  if (beyond <= 0) return 'The present rate budget has room for that.';
  const windows = Math.ceil(beyond / Math.max(1, limit));
  const seconds = resetsInSeconds + (windows - 1) * windowSeconds;
  const time = seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return `At the present rate budget (${remaining} of ${limit} left) that takes about ${time}.`;
}

/** What became of the calls of a table. */
export function tableUseOf(results: ReadResults, nowMs: number): TableUse {
  const [{ tool, call }] = results;
  const contexts = results.flatMap(({ answer }) => answer?.context ?? []);
  const period = spanOf(contexts.flatMap((it) => it.period ?? []));
  const reference = spanOf(contexts.flatMap((it) => it.reference_period ?? []));
  const calls = results.reduce((sum, { made }) => sum + made, 0);
  const leftOpen = contexts.length === 1 ? contexts[0]?.left_open : undefined;
  const empty = contexts[0]?.empty_days;
  const kept = results.filter(({ keptSinceMs }) => keptSinceMs !== undefined);
  const since = amsterdamIso(kept[0]?.keptSinceMs ?? nowMs);
  return {
    ...{ table: call.table, tool: tool.tool, arguments: inShort(results) },
    ...(period && { period }),
    ...(reference && { reference_period: reference }),
    ...{ rows: countRows(results), calls },
    as_of: contexts.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(nowMs),
    ...(calls === 0 && contexts.length > 0 && { cached: true }),
    complete: results.every(({ answer }) => answer?.rest === undefined),
    ...(leftOpen && { left_open: leftOpen }),
    ...(contexts.length === 1 && empty && { empty_days: empty }),
    ...(kept.length > 0 && {
      kept: { orders: kept.length, of: results.length, rows: countRows(kept), since },
    }),
  };
}

function countRows(results: readonly ReadResult[]): number {
  return results.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Arguments as a reader can take them in: of many values, how many there are. */
function inShort(results: ReadResults): JsonObject {
  const names = new Set(results.flatMap(({ input }) => Object.keys(input)));
  const entries = [...names].map((name) => {
    const values = [...new Set(results.map(({ input }) => input[name]))];
    if (values.length === 1) return [name, values[0]];
    return [name, values.length > 12 ? countNoun(values.length, 'value') : values];
  });
  return Object.fromEntries(entries);
}

function spanOf(periods: readonly Period[]): Period | undefined {
  const [first] = periods;
  if (first === undefined || periods.every(({ given }) => given === first.given)) return first;
  const days = periods.flatMap((it) => [it.from, it.to]).sort();
  const [from = first.from, to = first.to] = [days[0], days.at(-1)];
  return { ...first, from, to, given: `${from}..${to}` };
}

/** What to know of a table's rows: of payments where they may be shown, of shared days where periods are not kept apart. */
export function warningsOf(results: ReadResults, shape: StatementShape): Warning[] {
  const [{ tool, call }] = results;
  const showsPayments = mayShowPayments(shape);
  const found = results.flatMap(({ answer, maxRows, call: { atMost = Infinity } }) => {
    const isConcern = ({ code }: Warning) => {
      // Where a LIMIT needs no more rows, that there are more is no warning.
      if (code === 'row_limit') return atMost > maxRows;
      return showsPayments || code !== 'balance_differs';
    };
    return (answer?.context.warnings ?? []).filter(isConcern);
  });
  const unknown = results.filter(({ answer, keptSinceMs }) => !answer && !keptSinceMs).length;
  if (unknown > 0)
    found.push({
      code: 'unknown_id',
      text: `${tool.tool}: the platform does not know ${unknown} of the ${results.length} values asked for; they have no rows.`,
    });
  const all = results.flatMap(({ rows }) => rows);
  found.push(...inexactWarnings(all, tool.tool));
  const overlap = shape.groupedBy.has('period') ? [] : sayOverlap(call.table, results);
  return distinctWarnings([...found, ...overlap]);
}

/** Whether a statement may show payments: it names them, or does not choose among the facts of reports. */
function mayShowPayments({ tables, mentioned, comparedWith }: StatementShape): boolean {
  if (!mentioned.has('path') && !mentioned.has('measure')) return true;
  const facts = ['path', 'measure', 'split'].flatMap((column) => comparedWith.get(column) ?? []);
  return [...tables, ...mentioned, ...facts].some((name) =>
    /payment|direct_paid|balance/i.test(name),
  );
}

/** That rows are there twice, for periods of one list share days. */
function sayOverlap(table: string, results: ReadResults): Warning[] {
  const periods = results
    .filter(({ call }) => Array.isArray(call.args.period))
    .flatMap(({ answer }) => answer?.context.period ?? [])
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const shared = periods.flatMap((later, at): Warning[] => {
    const earlier = periods[at - 1];
    if (!earlier || later.from > earlier.to || sayDays(later) === sayDays(earlier)) return [];
    const text = `${table}: the periods ${earlier.given} and ${later.given} share days (from ${later.from} on): rows of these are there twice. Give periods that do not overlap, or GROUP BY period.`;
    return [{ code: 'periods_overlap', text }];
  });
  return shared.slice(0, 1);
}
