import { amsterdamDay } from '../../core/calendar.ts';
import { inParallel } from '../../core/deadline.ts';
import { CommerceError, hasCode, InputError } from '../../core/errors.ts';
import { groupBy, type JsonObject } from '../../core/json.ts';
import { isPaged } from '../../endpoints/define.ts';
import { listOrderItems, listOrders } from '../../endpoints/orders.ts';
import { QueryError } from '../../query/messages.ts';
import type { StatementShape, TableCall, TableProvider, Tables } from '../../query/provider.ts';
import type { Call } from '../answer.ts';
import { explain } from '../errors/explain.ts';
import { type ListedOrder, listedOrders, type OrderLines } from '../lines/order-lines.ts';
import { readArguments } from '../read-arguments.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { tableMessages } from './messages.ts';
import {
  costOf,
  distinctReads,
  isComplete,
  pageOf,
  readsFor,
  reportKey,
  reportOf,
  type TableRead,
  type TableReport,
  timeFor,
} from './table-reads.ts';
import { tableRowsOf } from './table-rows.ts';
import type { StatementTable } from './tables.ts';

/** Calls under way at once; the client's queue bounds the requests. */
const maxCallsAtOnce = 64;

/** Loads the rows of one statement, if that needs no more requests than it may make. */
export class StatementTables implements TableProvider {
  readonly tables: Tables;
  readonly nowMs: number;
  readonly #services: Services;
  readonly #tables: ReadonlyMap<string, StatementTable>;
  readonly #call: Call;
  readonly #maxCalls: number;
  /** Reads of the platform and of kept lines, in order. */
  readonly #reads: TableRead[] = [];
  readonly #otherReports: TableReport[] = [];
  #shape: StatementShape | undefined;
  /** Orders that the statement listed, by id: their lines may be kept. */
  readonly #listed = new Map<unknown, ListedOrder>();

  constructor(
    services: Services,
    tables: ReadonlyMap<string, StatementTable>,
    call: Call,
    maxCalls: number,
  ) {
    this.tables = new Map([...tables].map(([name, { kind }]) => [name, kind]));
    this.nowMs = call.nowMs;
    this.#services = services;
    this.#tables = tables;
    this.#call = call;
    this.#maxCalls = maxCalls;
  }

  async load(calls: readonly TableCall[], signal: AbortSignal, shape: StatementShape) {
    const { orderLines, maxRows, reference } = this.#services;
    const lines = shape.tables.includes(listOrderItems.tool) ? orderLines : undefined;
    const wanted = readsFor(calls, this.#tables, maxRows);
    const { onProgress } = this.#call;
    if (wanted.length > 0) onProgress?.({ done: 0, message: 'waiting for the platform' });
    const reading = this.#read(wanted, lines, shape, signal).finally(() => lines?.save());
    // The answer needs the names of its ids; the statement's own requests go first.
    reference.prefetch(shape.shown, signal);
    await reading;
    const reads = distinctReads(wanted);
    this.#reads.push(...reads);
    this.#shape = shape;
    for (const { tool, rows } of lines ? reads : [])
      if (tool.tool === listOrders.tool)
        for (const order of listedOrders(rows)) this.#listed.set(order.id, order);
    const byCall = groupBy(reads, ({ call }) => call.key);
    const rowsOf = ({ key }: TableCall) => byCall.get(key)?.flatMap(({ rows }) => rows);
    const loaded = await Promise.all(
      calls.map((call) => rowsOf(call) ?? this.#readOther(call, shape, signal)),
    );
    onProgress?.({ done: 0, message: 'computing' });
    return loaded;
  }

  /** Reports what was read of each table, all rounds together. */
  async reports(): Promise<TableReport[]> {
    const shape = this.#shape;
    if (shape === undefined) return this.#otherReports;
    const reports = [...groupBy(this.#reads, reportKey).values()].map(async (group) => {
      const rows = group.flatMap((read) => read.rows);
      const report = reportOf(group, shape, this.nowMs);
      const { tool, as_of } = report.use;
      const key = JSON.stringify([tool, group[0].input, as_of, rows.length]);
      return this.#keep(rows, report, group.length === 1 ? key : undefined);
    });
    return [...(await Promise.all(reports)), ...this.#otherReports];
  }

  /** Takes kept order lines, then the first pages of lists, which tell the cost, then all other rows. */
  async #read(
    reads: readonly TableRead[],
    lines: OrderLines | undefined,
    shape: StatementShape,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#takeKept(reads, lines);
    const missing = reads.filter(({ keptSinceMs }) => keptSinceMs === undefined);
    const count = missing.length;
    const { onProgress } = this.#call;
    const call: Call = {
      ...this.#call,
      statementDeadline: this.#call.deadline ?? this.#services.client.progressDeadline(),
      // A single call reports its pages; of several, finished calls are reported.
      onProgress: count === 1 ? onProgress : undefined,
      // Kept lines are only valid for the present stamps of orders.
      ...(lines && { readSinceMs: this.nowMs }),
    };
    const ask = (read: TableRead, args: JsonObject, ending: AbortSignal) =>
      this.#ask(read, { ...read.input, ...args }, { ...call, signal: ending }, shape);
    this.#refuseCost(reads);
    await inParallel(missing, maxCallsAtOnce, signal, async (read, ending) => {
      if (isPaged(read.tool)) await ask(read, { start: 0, limit: pageOf(read) }, ending);
    });
    this.#refuseCost(reads);
    let done = 0;
    await inParallel(missing, maxCallsAtOnce, signal, async (read, ending) => {
      const isRead = isPaged(read.tool) && isComplete(read);
      if (!isRead) await ask(read, 'all' in read.tool.input.shape ? { all: true } : {}, ending);
      if (lines) this.#keepLines(read, lines);
      const message = `read ${++done} of ${count} ${read.tool.tool}`;
      if (count > 1) onProgress?.({ done, total: count, message });
    });
  }

  /** Fills reads from kept order lines, and parses the arguments of all others. */
  async #takeKept(reads: readonly TableRead[], lines: OrderLines | undefined): Promise<void> {
    const orders = reads.flatMap((read) => this.#orderOf(read) ?? []);
    const kept = orders.length > 0 ? await lines?.find(orders) : undefined;
    for (const read of reads) {
      const rows = kept?.rows.get(this.#orderOf(read)?.id ?? Number.NaN);
      if (rows) Object.assign(read, { rows, keptSinceMs: kept?.sinceMs ?? 0 });
      else read.input = readArguments(read.tool, read.input);
    }
  }

  #keepLines(read: TableRead, lines: OrderLines): void {
    const { answer } = read;
    const order = this.#orderOf(read);
    if (order === undefined || answer?.kind !== 'rows') return;
    const kept = lines.keptOrder(order, answer.rows, Date.parse(answer.context.as_of));
    if (kept) lines.add(kept);
  }

  /** @throws {InputError} for calls that would take more requests than the statement may make */
  #refuseCost(reads: readonly TableRead[]): void {
    const missing = reads.filter(({ keptSinceMs }) => keptSinceMs === undefined);
    const spent = this.#reads.reduce((sum, { requestCount }) => sum + requestCount, 0);
    const cost = costOf(missing, this.nowMs);
    const maxCalls = this.#maxCalls;
    if (spent + cost <= maxCalls) return;
    const byTool = [...groupBy(missing, ({ tool }) => tool.tool)];
    const tools = byTool.map(([tool, group]) => ({ tool, calls: costOf(group, this.nowMs) }));
    const time = timeFor(cost, this.#services.client.budget());
    const lacksLines = missing.some((read) => this.#orderOf(read));
    const kept = lacksLines ? reads.length - missing.length : undefined;
    const costs = { calls: spent + cost, maxCalls, tools, time, kept };
    throw new InputError(tableMessages.statement_costs_more({ ...costs }), 'max_calls');
  }

  /** The order whose lines a call asks for without further conditions, if the statement listed it. */
  #orderOf({ tool, input, correlated }: TableRead): ListedOrder | undefined {
    const isAll = tool.tool === listOrderItems.tool && Object.keys(input).length === 1;
    return isAll ? this.#listed.get(Number(correlated.order_id)) : undefined;
  }

  /** Makes one call. A failure is explained for the tool that was asked. */
  async #ask(read: TableRead, input: JsonObject, call: Call, shape: StatementShape): Promise<void> {
    const { tool, correlated, maxRows } = read;
    const services = { ...this.#services, maxRows };
    try {
      read.answer = await tool.answer(services, input, call);
      read.rows = tableRowsOf(tool, read.answer, correlated);
      read.requestCount += read.answer.calls;
    } catch (error) {
      if (!(error instanceof CommerceError) || error.code === 'cancelled') throw error;
      // An unknown id among several has no rows.
      if (error.code === 'not_found' && Object.keys(correlated).length > 0) {
        read.requestCount++;
        return;
      }
      const reason = await explain(services, error, { tool, input }, call.signal);
      const [argument = ''] = Object.keys(tool.input.shape);
      const isBare = hasCode(error, 'bad_input') && Object.keys(read.input).length === 0;
      const value = shape.comparedWith.get(argument)?.[0] ?? this.#daysCompared(argument, shape);
      const example = isBare ? { table: tool.tool, argument, value } : undefined;
      const failed = tableMessages.table_failed({ reason, call: example });
      throw new QueryError(failed, error.code, { cause: error });
    }
  }

  /** The period that a condition on days probably meant; without an end it ends today. */
  #daysCompared(argument: string, { comparedDays: { from, to } }: StatementShape) {
    const today = amsterdamDay(this.nowMs);
    if (argument !== 'period' || from === undefined) return undefined;
    return `${from}..${to ?? (from < today ? today : from)}`;
  }

  /** Keeps rows for later calls, if there are some, and not too many. */
  async #keep(rows: readonly Row[], report: ReturnType<typeof reportOf>, key?: string) {
    const { use, warnings } = report;
    if (rows.length === 0 || use.kept) return report;
    const { tool, as_of, period, complete } = use;
    const { origin, results } = this.#services;
    const context = { endpoint: tool, ...origin, as_of, period, warnings: [...warnings] };
    const source = { tool, arguments: use.arguments, context, ...(!complete && { rest: {} }) };
    try {
      return { ...report, use: { ...use, result: (await results.keep(rows, source, key)).id } };
    } catch (error) {
      if (!hasCode(error, 'too_large')) throw error;
      return report;
    }
  }

  async #readOther(
    { table, args }: TableCall,
    shape: StatementShape,
    signal: AbortSignal,
  ): Promise<readonly Row[]> {
    const [services, nowMs, maxCalls] = [this.#services, this.nowMs, this.#maxCalls];
    const reading = { services, shape, nowMs, maxCalls, signal };
    const read = await this.#tables.get(table)?.read?.(args, reading);
    if (read?.report) this.#otherReports.push(read.report);
    return read?.rows ?? [];
  }
}
