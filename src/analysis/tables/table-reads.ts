/** The calls of tools that a statement needs: which they are, what they cost, and what an answer says of them. */
import type { BudgetStatus } from '../../client/client.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { fieldOf } from '../../core/column-name.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import { distinctWarnings, type Warning } from '../../core/message.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { largestPage } from '../../endpoints/define.ts';
import { queryMessages } from '../../query/messages.ts';
import type { ArgumentValue, Scalar, StatementShape, TableCall } from '../../query/provider.ts';
import { maxUnread } from '../../query/table-text.ts';
import type { Answer, TableUse } from '../answer.ts';
import type { TableTool } from '../define-tool.ts';
import { someFigure, unreadFigures } from '../reference/facts.ts';
import type { Row } from '../rows/rows.ts';
import { type StatementCosts, tableMessages } from './messages.ts';
import type { StatementTable } from './tables.ts';

/** One call of a tool that a statement needs, and what came of it so far. */
export interface TableRead {
  tool: TableTool;
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
  if (!isWhole && name === tool.endpoint?.batchArgument) {
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

/** Whether no rows exist that it lacks. */
export function isWhole({ answer }: Pick<TableRead, 'answer'>): boolean {
  return answer?.kind !== 'rows' || answer.rest === undefined;
}

/** The requests that calls take, as far as is known: of a list all its pages, once the first was read. */
export function costOf(reads: readonly TableRead[], nowMs: number): number {
  const costs = reads.map((read) => {
    const { tool, input, answer, maxRows } = read;
    if (tool.kind === 'analysis' && tool.calls) return tool.calls(input, nowMs);
    // The platform's pages may be smaller than what was asked for.
    const list = answer?.kind === 'rows' ? answer : undefined;
    const page = list?.rows.length || pageOf(read);
    return Math.ceil(Math.min(toNumber(list?.payload.total), maxRows) / page) || 1;
  });
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** How long so many requests take at the present budget. */
export function timeFor(calls: number, budget: BudgetStatus | undefined): StatementCosts['time'] {
  if (budget === undefined) return undefined;
  const { limit, remaining, resetsInSeconds, windowSeconds, waiting } = budget;
  const beyond = calls + waiting - remaining;
  const windows = Math.ceil(beyond / Math.max(1, limit));
  const seconds = beyond > 0 ? resetsInSeconds + (windows - 1) * windowSeconds : 0;
  return { remaining, limit, seconds };
}

/** A table that a statement read. */
export interface TableReport {
  use: TableUse;
  warnings: readonly Warning[];
  /** Why it was not read to its end: by a bound, or because a LIMIT shows no more. */
  cutBy?: 'bound' | 'limit' | undefined;
}

/** Calls that are reported together. */
export type ReportedReads = readonly [TableRead, ...TableRead[]];

/** Without those of one value of a list that was read whole after it, whose requests count with it. */
export function withoutSamples(reads: readonly TableRead[]): TableRead[] {
  const isPart = ({ call: { isSample, args, correlatedArguments } }: TableRead) =>
    isSample === true && correlatedArguments.some((name) => Array.isArray(args[name]));
  const whole = reads.filter((read) => !isPart(read));
  for (const { call, requestCount } of reads.filter(isPart)) {
    const read = whole.find((it) => it.call.table === call.table);
    if (read) read.requestCount += requestCount;
  }
  return whole;
}

/** What is reported together: calls of a table that differ from row to row; each other call of the statement alone. */
export function reportKey({ call: { table, key, args, correlatedArguments } }: TableRead): string {
  const differs = correlatedArguments.some((name) => name in args && !Array.isArray(args[name]));
  return differs ? table : key;
}

export function reportOf(reads: ReportedReads, shape: StatementShape, nowMs: number): TableReport {
  const use = tableUseOf(reads, nowMs);
  const isBound = reads[0].call.atMost === undefined;
  const cutBy = use.complete ? undefined : isBound ? 'bound' : 'limit';
  return { use, warnings: warningsOf(reads, shape), cutBy };
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
    arguments: inShort(reads),
    period: spanOf(contexts.flatMap((it) => it.period ?? [])),
    reference_period: spanOf(contexts.flatMap((it) => it.reference_period ?? [])),
    rows: countRows(reads),
    calls,
    as_of: contexts.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(nowMs),
    cached: (calls === 0 && contexts.length > 0) || undefined,
    complete: reads.every(isWhole),
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

/** Arguments as a reader can take them in: of many values, how many there are. */
function inShort(reads: ReportedReads): JsonObject {
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
  const days = periods.flatMap((it) => [it.from, it.to]).sort();
  const from = days[0] ?? first.from;
  const to = days.at(-1) ?? first.to;
  return { ...first, from, to, given: `${from}..${to}` };
}

/** What to know of a table's rows: of payments where they may be shown, of shared days where periods are not kept apart. */
function warningsOf(reads: ReportedReads, shape: StatementShape): Warning[] {
  const [{ tool, call }] = reads;
  const showsPayments = mayShowPayments(shape);
  const found = reads.flatMap(({ answer, maxRows, call: { atMost = Infinity } }) => {
    const isConcern = ({ code }: Warning) => {
      // Where a LIMIT needs no more rows, that there are more is no warning.
      if (code === 'row_limit') return atMost > maxRows;
      return showsPayments || code !== 'balance_differs';
    };
    return (answer?.context.warnings ?? []).filter(isConcern);
  });
  const unknown = reads.filter(({ answer, keptSinceMs }) => !answer && !keptSinceMs).length;
  if (unknown > 0)
    found.push(tableMessages.unknown_id({ tool: tool.tool, unknown, values: reads.length }));
  found.push(...unreadWarnings(call.table, reads, shape));
  const overlap = shape.groupedBy.has('period') ? [] : overlapOf(call.table, reads);
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

/** Where reports have no number though they should, of the measures that a statement may show. */
function unreadWarnings(
  table: string,
  reads: ReportedReads,
  { comparedWith }: StatementShape,
): Warning[] {
  const reports = reads.flatMap(({ answer }) =>
    answer?.kind === 'record' && answer.isReport ? [answer] : [],
  );
  const measures = new Set<string>();
  for (const { payload } of reports)
    someFigure(payload, (measure) => {
      measures.add(measure);
      return false;
    });
  const chosen = comparedWith.get('measure') ?? [];
  // A pattern may mean any of them.
  const isAny = chosen.length === 0 || chosen.some((it) => /[^\w]/.test(it));
  const unread = reports.flatMap(({ payload, context }) => {
    const days = context.period ? sayDays(context.period) : '';
    return unreadFigures(payload, measures).flatMap(({ measure, value }) => {
      const isShown = isAny || chosen.includes(fieldOf(measure));
      return isShown ? [{ name: measure, days, value: JSON.stringify(value) }] : [];
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
