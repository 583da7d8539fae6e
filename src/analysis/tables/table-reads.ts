/** The calls of tools that a statement needs, their costs, and the report of what they read. */
import type { BudgetStatus } from '../../client/client.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import { distinctWarnings, type Warning } from '../../core/message.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { largestPage } from '../../endpoints/define.ts';
import { queryMessages } from '../../query/messages.ts';
import type { ArgumentValue, Scalar, StatementShape, TableCall } from '../../query/provider.ts';
import { maxUnread } from '../../query/table-text.ts';
import type { Answer, TableUse } from '../answer.ts';
import type { TableTool } from '../define-tool.ts';
import { unreadFigures } from '../reference/facts.ts';
import type { Row } from '../rows/rows.ts';
import { type StatementCosts, tableMessages } from './messages.ts';

/** One call of a tool that a statement needs, and its answer so far. */
export interface TableRead {
  tool: TableTool;
  input: JsonObject;
  /** The statement's call that it answers, perhaps together with others. */
  call: TableCall;
  /** Arguments that differ from row to row; their values are added to the rows as columns. */
  correlated: Readonly<Record<string, Scalar>>;
  /** The number of rows that the statement needs. */
  maxRows: number;
  rows: readonly Row[];
  requestCount: number;
  /** For a list the first page until all are read; undefined for a value that the platform does not know. */
  answer?: Answer;
  /** Set for kept order lines, which cost no request: the oldest moment of reading. */
  keptSinceMs?: number;
}

/** Ids in one request of a batched argument. */
const batchSize = 100;

/** The calls of tools for calls of a statement; an argument that is a list may need several. */
export function readsFor(
  calls: readonly TableCall[],
  tables: ReadonlyMap<string, { tool?: TableTool }>,
  rowBound: number,
): TableRead[] {
  return calls.flatMap((call) => {
    const tool = tables.get(call.table)?.tool;
    if (tool === undefined) return [];
    const maxRows = Math.max(1, Math.min(call.neededRows ?? rowBound, rowBound));
    return Object.entries(call.args).reduce<TableRead[]>(
      (reads, [name, value]) => reads.flatMap((read) => withValues(read, name, value)),
      [{ tool, input: {}, call, correlated: {}, maxRows, rows: [], requestCount: 0 }],
    );
  });
}

/** A call for each value of an argument. A list that the tool itself takes is one value, and ids share calls in batches. */
function withValues(read: TableRead, name: string, value: ArgumentValue): TableRead[] {
  const { tool, call, input } = read;
  const isSingle = !Array.isArray(value) || tool.input.shape[name]?.safeParse(value).success;
  if (!isSingle && name === tool.endpoint?.batchArgument) {
    return Array.from({ length: Math.ceil(value.length / batchSize) }, (_, at) => {
      const ids = value.slice(at * batchSize, (at + 1) * batchSize).join(',');
      return { ...read, input: { ...input, [name]: ids } };
    });
  }
  const isOneOf = Array.isArray(value) || call.correlatedArguments.includes(name);
  return (isSingle ? [value] : value).map((item) => {
    const column = isOneOf && typeof item !== 'object' && { [name]: item };
    const correlated = { ...read.correlated, ...column };
    return { ...read, input: { ...input, [name]: item }, correlated };
  });
}

/** Drops calls that turned out to ask the same, such as for `3` and for the name of shop 3. */
export function distinctReads(reads: readonly TableRead[]): TableRead[] {
  const keys = new Set<string>();
  return reads.filter(({ call, answer }) => {
    if (answer === undefined) return true;
    const { resolved = {}, period } = answer.context;
    const { period: _, from: __, to: ___, ...args } = answer.toolCall.arguments;
    for (const [name, { id }] of Object.entries(resolved)) args[name] = String(id);
    const key = JSON.stringify([call.key, args, period?.from, period?.to]);
    return !keys.has(key) && keys.add(key);
  });
}

/** The page size to ask for. */
export function pageOf({ tool, maxRows }: TableRead): number {
  return Math.min(largestPage(tool), maxRows);
}

/** Whether the platform has no further rows. */
export function isComplete({ answer }: Pick<TableRead, 'answer'>): boolean {
  return answer?.kind !== 'rows' || answer.rest === undefined;
}

/** Counts the requests of calls. Before its first page is read, a list counts as one. */
export function costOf(reads: readonly TableRead[], nowMs: number): number {
  const costs = reads.map((read) => {
    const { tool, input, answer, maxRows } = read;
    if (tool.kind === 'analysis' && tool.calls) return tool.calls(input, nowMs);
    // The platform may give smaller pages than requested.
    const list = answer?.kind === 'rows' ? answer : undefined;
    const page = list?.rows.length || pageOf(read);
    return Math.ceil(Math.min(toNumber(list?.payload.total), maxRows) / page) || 1;
  });
  return costs.reduce((sum, cost) => sum + cost, 0);
}

export function timeFor(calls: number, budget: BudgetStatus | undefined): StatementCosts['time'] {
  if (budget === undefined) return undefined;
  const { limit, remaining, resetsInSeconds, windowSeconds, waiting } = budget;
  const excess = calls + waiting - remaining;
  const windows = Math.ceil(excess / Math.max(1, limit));
  const seconds = excess > 0 ? resetsInSeconds + (windows - 1) * windowSeconds : 0;
  return { remaining, limit, seconds };
}

/** A table that a statement read. */
export interface TableReport {
  /** Undefined for a table of the business's own. */
  use?: TableUse;
  warnings: readonly Warning[];
  /** Why it was not read to its end. */
  cutBy?: 'bound' | 'limit' | undefined;
}

/** Calls that are reported together. */
export type ReportedReads = readonly [TableRead, ...TableRead[]];

/** Calls whose arguments differ from row to row are reported together, all others alone. */
export function reportKey({ call: { table, key, args, correlatedArguments } }: TableRead): string {
  const differs = correlatedArguments.some((name) => name in args && !Array.isArray(args[name]));
  return differs ? table : key;
}

export function reportOf(reads: ReportedReads, shape: StatementShape, nowMs: number) {
  const use = tableUseOf(reads, nowMs);
  const isBound = reads[0].call.neededRows === undefined;
  const cutBy = use.complete ? undefined : isBound ? 'bound' : 'limit';
  return { use, warnings: warningsOf(reads, shape), cutBy } satisfies TableReport;
}

function tableUseOf(reads: ReportedReads, nowMs: number): TableUse {
  const [{ tool, call }] = reads;
  const contexts = reads.flatMap(({ answer }) => answer?.context ?? []);
  const [only] = contexts.length === 1 ? contexts : [];
  const calls = reads.reduce((sum, { requestCount }) => sum + requestCount, 0);
  const kept = reads.filter(({ keptSinceMs }) => keptSinceMs !== undefined);
  const since = amsterdamIso(kept[0]?.keptSinceMs ?? nowMs);
  return {
    table: call.table,
    tool: tool.tool,
    arguments: summariseArguments(reads),
    period: spanOf(contexts.flatMap(({ period }) => period ?? [])),
    reference_period: spanOf(contexts.flatMap((context) => context.reference_period ?? [])),
    rows: countRows(reads),
    calls,
    as_of: contexts.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(nowMs),
    cached: (calls === 0 && contexts.length > 0) || undefined,
    complete: reads.every(isComplete),
    left_open: only?.left_open,
    empty_days: only?.empty_days,
    kept:
      kept.length > 0
        ? { orders: kept.length, of: reads.length, rows: countRows(kept), since }
        : undefined,
  };
}

function countRows(reads: readonly TableRead[]): number {
  return reads.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Arguments with their values, or the number of many values. */
function summariseArguments(reads: ReportedReads): JsonObject {
  const names = new Set(reads.flatMap(({ input }) => Object.keys(input)));
  const entries = [...names].map((name) => {
    const values = [...new Set(reads.map(({ input }) => input[name]))];
    if (values.length === 1) return [name, values[0]];
    return [name, values.length > 12 ? `${values.length} values` : values];
  });
  return Object.fromEntries(entries);
}

function spanOf(periods: readonly Period[]): Period | undefined {
  const [first] = periods;
  if (first === undefined || periods.every(({ given }) => given === first.given)) return first;
  const days = periods.flatMap(({ from, to }) => [from, to]).sort();
  const from = days[0] ?? first.from;
  const to = days.at(-1) ?? first.to;
  return { ...first, from, to, given: `${from}..${to}` };
}

/** Warnings about payments only where a statement may show them, and about shared days unless it groups by period. */
function warningsOf(reads: ReportedReads, shape: StatementShape): Warning[] {
  const [{ tool, call }] = reads;
  const showsPayments = mayShowPayments(shape);
  const warnings = reads.flatMap(({ answer, maxRows, call: { neededRows = Infinity } }) => {
    const isRelevant = ({ code }: Warning) => {
      // A statement with a LIMIT needs no further rows.
      if (code === 'row_limit') return neededRows > maxRows;
      return showsPayments || code !== 'balance_differs';
    };
    return (answer?.context.warnings ?? []).filter(isRelevant);
  });
  const unknown = reads.filter(({ answer, keptSinceMs }) => !answer && !keptSinceMs).length;
  if (unknown > 0)
    warnings.push(tableMessages.unknown_id({ tool: tool.tool, unknown, values: reads.length }));
  warnings.push(...unreadWarnings(call.table, reads));
  const overlap = shape.groupedBy.has('period') ? [] : overlapOf(call.table, reads);
  return distinctWarnings([...warnings, ...overlap]);
}

/** True for a statement that names payments, or that reads all facts of reports. */
function mayShowPayments({ tables, mentioned, comparedWith }: StatementShape): boolean {
  if (!mentioned.has('path') && !mentioned.has('measure')) return true;
  const facts = ['path', 'measure', 'split'].flatMap((column) => comparedWith.get(column) ?? []);
  return [...tables, ...mentioned, ...facts].some((name) =>
    /payment|direct_paid|balance/i.test(name),
  );
}

/** Warns of figures of reports that are no numbers. */
function unreadWarnings(table: string, reads: ReportedReads): Warning[] {
  const reports = reads.flatMap(({ answer }) =>
    answer?.kind === 'record' && answer.isReport ? [answer] : [],
  );
  const facts = reads.flatMap(({ rows }) => rows);
  const measures = new Set(
    facts.map(({ path, measure }) => (path ? `${path}.${measure}` : `${measure}`)),
  );
  const unread = reports.flatMap(({ payload, context }) => {
    const days = context.period ? sayDays(context.period) : '';
    return unreadFigures(payload, measures).map(({ measure, value }) => {
      return { name: measure, days, value: JSON.stringify(value) };
    });
  });
  const figures = unread.slice(0, maxUnread);
  const count = unread.length;
  return count > 0 ? [queryMessages.figures_unread({ table, count, figures })] : [];
}

function overlapOf(table: string, reads: ReportedReads): Warning[] {
  const periods = reads
    .filter(({ call }) => Array.isArray(call.args.period))
    .flatMap(({ answer }) => answer?.context.period ?? [])
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const shared = periods.flatMap((later, at): Warning[] => {
    const earlier = periods[at - 1];
    if (!earlier || later.from > earlier.to || sayDays(later) === sayDays(earlier)) return [];
    const { given, from } = later;
    return [tableMessages.periods_overlap({ table, earlier: earlier.given, later: given, from })];
  });
  return shared.slice(0, 1);
}
