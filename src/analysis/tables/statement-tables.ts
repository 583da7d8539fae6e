import { CommerceError, hasCode, InputError } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import { inParallel } from '../../core/in-parallel.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import type { Warning } from '../../core/warning.ts';
import { isPaged } from '../../endpoints/define.ts';
import { listOrderItems, listOrders } from '../../endpoints/orders.ts';
import type { StatementShape, TableCall, TableProvider } from '../../query/provider.ts';
import type { Call, TableUse } from '../answer.ts';
import { ExplainedError, explain } from '../errors/explain.ts';
import { type ListedOrder, listedOrders } from '../lines/order-lines.ts';
import { readArguments } from '../read-arguments.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import {
  distinctResults,
  pageOf,
  type ReadResult,
  type ReadResults,
  readsFor,
  refuseCost,
  reportKey,
  type TableRead,
  tableUseOf,
  warningsOf,
} from './table-reads.ts';
import { tableRowsOf } from './table-rows.ts';
import type { StatementTable } from './tables.ts';

declare module '../../core/message.ts' {
  interface Messages {
    /** A call of a statement failed; `table` and `argument` where it had no arguments and needs some. */
    table_failed: { reason: Message; table?: string; argument?: string | undefined };
  }
}

/** Calls under way at once: the client's own queue decides what leaves. */
const width = 64;

/** A table that a statement read. */
interface TableReport {
  use: TableUse;
  warnings: readonly Warning[];
  /** Why it was not read to its end: by a bound, or because a LIMIT shows no more. */
  cutBy?: 'bound' | 'limit' | undefined;
}

/** Loads what a statement needs, where that takes no more requests than it may make, and reports what it read. */
export function openTables(
  services: Services,
  tables: ReadonlyMap<string, StatementTable>,
  { maxCalls, call }: { maxCalls: number; call: Call },
): { provider: TableProvider; tablesRead: readonly TableReport[] } {
  const { client, reference } = services;
  const { nowMs, onProgress } = call;
  /** In the order in which they were needed. */
  const tablesRead: TableReport[] = [];
  /** What was listed of orders whose lines may be kept, by their ids. */
  const listed = new Map<unknown, ListedOrder>();
  const kinds = new Map([...tables].map(([name, { kind }]) => [name, kind]));
  return { provider: { tables: kinds, nowMs, load }, tablesRead };

  async function load(calls: readonly TableCall[], signal: AbortSignal, shape: StatementShape) {
    const lines = shape.tables.includes(listOrderItems.tool) ? services.orderLines : undefined;
    const reads = readsFor(calls, tables, services.maxRows);
    const reading = readAll(reads, lines, signal).finally(() => lines?.save());
    // The answer will want names for these; the question goes first.
    reference.prefetch(shape.shown, signal);
    const results = distinctResults(await reading);
    for (const group of groupBy(results, reportKey).values()) {
      const rows = group.flatMap((result) => result.rows);
      const isListed = lines && group[0].tool.tool === listOrders.tool;
      for (const order of isListed ? listedOrders(rows) : []) listed.set(order.id, order);
      tablesRead.push(await reportOf(group, rows, shape));
    }
    const byCall = groupBy(results, (result) => result.call.key);
    const rowsOf = ({ key }: TableCall) => byCall.get(key)?.flatMap(({ rows }) => rows);
    return Promise.all(calls.map((it) => rowsOf(it) ?? loadOther(it, shape, signal)));
  }

  /** Takes order lines that are kept, and asks for all else: of lists the first pages, which tell what the rest costs. */
  async function readAll(
    reads: readonly TableRead[],
    lines: Services['orderLines'],
    signal: AbortSignal,
  ): Promise<ReadResult[]> {
    const orders = reads.map(orderOf);
    const wanted = orders.flatMap((order) => order ?? []);
    const found = wanted.length > 0 ? await lines?.find(wanted) : undefined;
    const started = reads.map((read, at): ReadResult => {
      const rows = found?.rows.get(orders[at]?.id ?? Number.NaN);
      if (rows) return { ...read, made: 0, rows, keptSinceMs: found?.sinceMs ?? 0 };
      return { ...read, made: 0, rows: [], input: readArguments(read.tool, read.input) };
    });
    const missing = [...started.entries()].filter(([, it]) => it.keptSinceMs === undefined);
    const count = missing.length;
    // How many orders' lines are kept says something where others are missing.
    const isOfLines = missing.some(([at]) => orders[at]);
    const spent = tablesRead.reduce((sum, { use }) => sum + use.calls, 0);
    const reading: Call = {
      ...{ ...call, statementDeadline: client.progressDeadline() },
      // One call reports its own pages; of many, the answers are what counts.
      onProgress: count === 1 ? onProgress : undefined,
      // Orders are read anew where lines are kept: their stamps are to be those of now.
      ...(lines && { readSinceMs: nowMs }),
    };
    const bounds = { maxCalls, nowMs, kept: isOfLines ? reads.length - count : undefined };
    const results = [...started];
    const each = async (
      work: (result: ReadResult, call: Call, at: number) => Promise<ReadResult>,
    ) => {
      refuseCost(
        missing.flatMap(([at]) => results[at] ?? []),
        spent,
        { ...bounds, budget: client.budget() },
      );
      await inParallel(missing, width, signal, async ([at, first], ending) => {
        results[at] = await work(results[at] ?? first, { ...reading, signal: ending }, at);
      });
    };
    await each(async (read, calling) => {
      const first = { ...read.input, start: 0, limit: pageOf(read) };
      return isPaged(read.tool) ? make(services, read, first, calling) : read;
    });
    let done = 0;
    await each(async (read, calling, at) => {
      const isRead = isPaged(read.tool) && read.answer?.rest === undefined;
      const whole = 'all' in read.tool.input.shape && { all: true };
      const result = isRead
        ? read
        : await make(services, read, { ...read.input, ...whole }, calling);
      const { rows, context } = result.answer ?? {};
      const order = orders[at];
      const line = order && rows && lines?.keptOrder(order, rows, Date.parse(context?.as_of ?? ''));
      if (line) lines?.add(line);
      const message = `read ${++done} of ${count} ${read.tool.tool}`;
      if (count > 1) onProgress?.({ done, total: count, message });
      return result;
    });
    return results;
  }

  /** The order whose lines a call asks for, all of them, where the statement listed it. */
  function orderOf({ tool, input, correlated }: TableRead): ListedOrder | undefined {
    const isAll = tool.tool === listOrderItems.tool && Object.keys(input).length === 1;
    return isAll ? listed.get(Number(correlated.order_id)) : undefined;
  }

  async function reportOf(
    results: ReadResults,
    rows: readonly Row[],
    shape: StatementShape,
  ): Promise<TableReport> {
    const use = tableUseOf(results, nowMs);
    const warnings = warningsOf(results, shape);
    const [{ call, input }] = results;
    const cut = call.atMost === undefined ? 'bound' : 'limit';
    const report = { use, warnings, cutBy: use.complete ? undefined : cut } as const;
    if (use.kept) return report;
    const key = JSON.stringify([use.tool, input, use.as_of, rows.length]);
    const result = await keep(rows, report, results.length === 1 ? key : undefined);
    return { ...report, use: { ...use, ...(result !== undefined && { result }) } };
  }

  /** The id under which rows can be had again; none for no rows, and for too many of them. */
  async function keep(rows: readonly Row[], { use, warnings }: TableReport, key?: string) {
    if (rows.length === 0) return undefined;
    const { tool, as_of, period, complete } = use;
    const read = { endpoint: tool, ...services.origin, as_of, ...(period && { period }) };
    const context = { ...read, warnings: [...warnings] };
    const origin = { tool, arguments: use.arguments, context, ...(!complete && { rest: {} }) };
    try {
      return (await services.results.keep(rows, origin, key)).id;
    } catch (error) {
      if (!hasCode(error, 'too_large')) throw error;
      return undefined;
    }
  }

  async function loadOther(
    { table, args }: TableCall,
    shape: StatementShape,
    signal: AbortSignal,
  ): Promise<readonly Row[]> {
    if (table === 'tables') {
      const names = shape.tables.length === 1 ? (shape.equalTo.get('name') ?? []) : [];
      return services.statements.tables(signal, names, maxCalls);
    }
    if (typeof args.id !== 'string')
      throw new InputError("query: result takes the id of kept rows: FROM result('r_...').");
    const result = await services.results.get(args.id);
    const { id, tool, rows, context } = result;
    const { period, as_of, warnings = [] } = context;
    const complete = result.rest === undefined;
    const origin = { table, tool, arguments: result.arguments, ...(period && { period }), as_of };
    const use = {
      ...origin,
      complete,
      rows: rows.length,
      calls: 0,
      cached: true as const,
      result: id,
    };
    tablesRead.push({ use, warnings, cutBy: complete ? undefined : 'bound' });
    return rows;
  }
}

/** Makes one call. What fails is explained by the tool that was asked, not by the statement. */
async function make(
  services: Services,
  read: ReadResult,
  input: JsonObject,
  call: Call,
): Promise<ReadResult> {
  const { tool, correlated, maxRows, made } = read;
  try {
    const answer = await tool.answer({ ...services, maxRows }, input, call);
    const rows = tableRowsOf(tool, answer, correlated);
    return { ...read, answer, rows, made: made + (answer.calls ?? 1) };
  } catch (error) {
    if (!(error instanceof CommerceError) || error.code === 'cancelled') throw error;
    // One of many values that the platform does not know has no rows.
    const isOneOf = Object.keys(correlated).length > 0;
    if (error.code === 'not_found' && isOneOf) return { ...read, made: made + 1 };
    const reason = await explain(services, error, { tool, input }, call.signal);
    const [first] = Object.keys(tool.input.shape);
    const isBare = hasCode(error, 'bad_input') && Object.keys(read.input).length === 0;
    const form = isBare ? { table: tool.tool, argument: first } : {};
    throw new ExplainedError(
      error.code,
      { code: 'table_failed', reason, ...form },
      { cause: error },
    );
  }
}
