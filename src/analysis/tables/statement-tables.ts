import type { LRUCache } from 'lru-cache';
import { CommerceError, hasCode, InputError } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import { inParallel } from '../../core/in-parallel.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Warning } from '../../core/warning.ts';
import { isPaged } from '../../endpoints/define.ts';
import { listOrderItems, listOrders } from '../../endpoints/orders.ts';
import type { SqlEngine } from '../../query/engine.ts';
import type { TableCall } from '../../query/provider.ts';
import type { Call, TableUse } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { ExplainedError, explain } from '../errors/explain.ts';
import { type ListedOrder, listedOrders } from '../lines/order-lines.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { type Ask, type Asks, asksFor, distinctAsks, pageOf, refuseCost, tableOf } from './asks.ts';
import type { Definitions } from './definitions.ts';
import { tableRowsOf } from './table-rows.ts';
import { useOf, warningsOf } from './table-use.ts';
import { lookerAt, type StatementTable } from './tables.ts';

/** What all callers' statements share. */
export interface StatementParts {
  /** Started by the first statement. */
  engine(): Promise<SqlEngine>;
  /** Most requests that a statement may need unless it says otherwise. */
  maxCalls: number;
  /** What the business defined; checked over the columns that looks find, or over those known without one. */
  definitions(isChecked?: boolean): Promise<Definitions>;
  /** What it noted of days; the engine is started for them where there are any. */
  days(): Promise<Definitions['days']>;
  /** The kept results that hold what statements read lately: the same rows are not kept twice. */
  kept: LRUCache<string, string>;
  readArguments(tool: ToolDefinition, given: JsonObject): JsonObject;
}

/** Calls under way at once: the client's own queue decides what leaves. */
const width = 64;

/** Loads what a statement needs, where that takes no more requests than it may make, and notes what became of it. */
export function openTables(
  { kept, readArguments }: StatementParts,
  services: Services,
  tables: ReadonlyMap<string, StatementTable>,
  { sql, maxCalls, call: asked }: { sql: string; maxCalls: number; call: Call },
) {
  const { client, reference } = services;
  const { nowMs, onProgress } = asked;
  /** What was read, in the order in which it was needed. */
  const uses: TableUse[] = [];
  const warnings: Warning[] = [];
  /** Whether a table was not read to its end: by a bound, or because a LIMIT shows no more. */
  const isPart = { byBound: false, byLimit: false };
  const lines = mayAskForLines(sql, tables) ? services.orderLines : undefined;
  /** What was listed of orders whose lines may be kept, by their ids. */
  const listed = new Map<unknown, ListedOrder>();
  // Orders are read anew where lines are kept: their stamps are to be those of now.
  const call = lines ? { ...asked, readSinceMs: nowMs } : asked;
  const kinds = new Map([...tables].map(([name, { kind }]) => [name, kind]));
  return {
    provider: { tables: kinds, nowMs, load, lookAt: lookerAt(tables, services.survey) },
    uses,
    warnings,
    isPart,
  };

  async function load(calls: readonly TableCall[], signal: AbortSignal, shown: readonly string[]) {
    const all = asksFor(calls, tables, services.maxRows);
    await takeKept(all);
    const reading = read(all, signal).finally(() => lines?.save());
    // The answer will want names for these; the question goes first.
    reference.prefetch(shown, signal);
    await reading;
    const asks = distinctAsks(all);
    for (const own of groupBy(asks, tableOf).values()) await report(own);
    const byCall = groupBy(asks, (ask) => ask.call.key);
    const rowsOf = ({ key }: TableCall) => byCall.get(key)?.flatMap(({ rows }) => rows);
    return Promise.all(calls.map((it) => rowsOf(it) ?? loadOther(it, signal)));
  }

  /** The order whose lines a call asks for, all of them, where the statement listed it. */
  function orderOf({ tool, input, carried: { order_id: id } }: Ask): ListedOrder | undefined {
    const isAll = tool.tool === listOrderItems.tool && Object.keys(input).length === 1;
    return isAll ? listed.get(Number(id)) : undefined;
  }

  /** Gives calls the lines that are kept in the state in which their orders were listed. */
  async function takeKept(asks: readonly Ask[]): Promise<void> {
    const wanted = asks.flatMap((ask) => orderOf(ask) ?? []);
    const found = wanted.length > 0 ? await lines?.find(wanted) : undefined;
    if (found === undefined) return;
    for (const ask of asks) {
      const rows = found.rows.get(orderOf(ask)?.id ?? Number.NaN);
      if (rows) Object.assign(ask, { rows, keptSinceMs: found.sinceMs ?? 0 });
    }
  }

  /** Keeps lines that were read, where their order was listed. */
  function keepLines(ask: Ask): void {
    const { rows, context } = ask.answer ?? {};
    const order = orderOf(ask);
    const kept = order && rows && lines?.asKept(order, rows, Date.parse(context?.as_of ?? ''));
    if (kept) lines?.add(kept);
  }

  /** Makes the calls: of lists the first pages, which tell what the others cost, and then the rest. */
  async function read(all: readonly Ask[], signal: AbortSignal): Promise<void> {
    const asks = all.filter(({ keptSinceMs }) => keptSinceMs === undefined);
    // How many orders' lines are kept says something where others are missing.
    const kept = asks.some(orderOf) ? all.length - asks.length : undefined;
    for (const ask of asks) ask.input = readArguments(ask.tool, ask.input);
    // One call reports its own pages; of many, the answers are what counts.
    const onPage = asks.length === 1 ? onProgress : undefined;
    const own = { ...call, onProgress: onPage, bulk: client.progressDeadline() };
    const each = async (work: (ask: Ask, call: Call) => Promise<void>) => {
      const spent = uses.reduce((sum, { calls }) => sum + calls, 0);
      refuseCost(asks, spent, { maxCalls, nowMs, budget: client.budget(), kept });
      await inParallel(asks, width, signal, (ask, ending) => work(ask, { ...own, signal: ending }));
    };
    await each(async (ask, calling) => {
      const first = { ...ask.input, start: 0, limit: pageOf(ask) };
      if (isPaged(ask.tool)) await make(services, ask, first, calling);
    });
    let done = 0;
    await each(async (ask, calling) => {
      const isRead = isPaged(ask.tool) && ask.answer?.rest === undefined;
      const whole = 'all' in ask.tool.input.shape && { all: true };
      if (!isRead) await make(services, ask, { ...ask.input, ...whole }, calling);
      keepLines(ask);
      const message = `read ${++done} of ${asks.length} ${ask.tool.tool}`;
      if (asks.length > 1) onProgress?.({ done, total: asks.length, message });
    });
  }

  /** Notes what a table is, and keeps its rows. */
  async function report(asks: Asks): Promise<void> {
    const rows = asks.flatMap((ask) => ask.rows);
    const use = useOf(asks, nowMs);
    const said = warningsOf(asks, { payments: showsPayments(sql), periods: partsPeriods(sql) });
    const { atMost, isExistence } = asks[0].call;
    if (!use.complete && !isExistence) isPart[atMost === undefined ? 'byBound' : 'byLimit'] = true;
    const orders = lines && use.tool === listOrders.tool ? listedOrders(rows) : [];
    for (const order of orders) listed.set(order.id, order);
    const result = use.kept ? undefined : await keep(asks, rows, use, said);
    note({ ...use, ...(result !== undefined && { result }) }, said);
  }

  /** The id under which rows can be had again; none for no rows, and for too many of them. */
  async function keep(asks: Asks, rows: readonly Row[], use: TableUse, said: readonly Warning[]) {
    if (rows.length === 0) return undefined;
    const { results, source } = services;
    const { tool, as_of, period, complete } = use;
    const key = JSON.stringify([tool, asks[0].input, as_of, rows.length]);
    const known = asks.length === 1 ? kept.get(key) : undefined;
    // Of two callers with the same rows, each has their own.
    if (known !== undefined && results.ids().includes(known)) return known;
    const context = { endpoint: tool, source, as_of, ...(period && { period }), warnings: said };
    const origin = { tool, arguments: use.arguments, context, ...(!complete && { rest: {} }) };
    try {
      const { id } = await results.keep(rows, origin);
      kept.set(key, id);
      return id;
    } catch (error) {
      if (!hasCode(error, 'too_large')) throw error;
      return undefined;
    }
  }

  /** The rows of what no tool gives. */
  async function loadOther(
    { table, args }: TableCall,
    signal: AbortSignal,
  ): Promise<readonly Row[]> {
    if (table === 'tables') return services.statements.tables(signal);
    if (typeof args.id !== 'string')
      throw new InputError("query: result takes the id of kept rows: FROM result('r_...').");
    const { id, tool, rows, context, arguments: given, rest } = await services.results.get(args.id);
    const { period, as_of } = context;
    const complete = rest === undefined;
    if (!complete) isPart.byBound = true;
    const about = { table, tool, arguments: given, ...(period && { period }), as_of, complete };
    note({ ...about, rows: rows.length, calls: 0, cached: true, result: id }, context.warnings);
    return rows;
  }

  function note(use: TableUse, said: readonly Warning[] = []): void {
    uses.push(use);
    warnings.push(...said);
  }
}

/** Whether a statement may ask for order lines, itself or through a view. */
function mayAskForLines(sql: string, tables: ReadonlyMap<string, StatementTable>): boolean {
  const views = [...tables].filter(([, { kind }]) => kind.kind === 'view').map(([name]) => name);
  return [listOrderItems.tool, ...views].some((name) => sql.toLowerCase().includes(name));
}

/** Whether a statement may show payments: it names them, or does not choose among the facts of reports. */
function showsPayments(sql: string): boolean {
  return /payment|direct_paid|balance/i.test(sql) || !/\b(path|measure)\b/i.test(sql);
}

/** Whether rows of several periods are kept apart, by the column that says which one they are of. */
function partsPeriods(sql: string): boolean {
  const [, keys = ''] = /\bgroup\s+by\b([^;]*)/i.exec(sql) ?? [];
  return /\bperiod\b(?!\s*:=)/i.test(/^\s*all\b/i.test(keys) ? sql : keys);
}

/** Makes one call. What fails is explained by the tool that was asked, not by the statement. */
async function make(services: Services, ask: Ask, input: JsonObject, call: Call): Promise<void> {
  const { tool, carried, maxRows } = ask;
  try {
    ask.answer = await tool.answer({ ...services, maxRows }, input, call);
    ask.rows = tableRowsOf(tool, ask.answer, carried);
    ask.made += ask.answer.calls ?? 1;
  } catch (error) {
    if (!(error instanceof CommerceError) || error.code === 'cancelled') throw error;
    ask.made += 1;
    // One of many values that the platform does not know has no rows.
    if (error.code === 'not_found' && Object.keys(carried).length > 0) return;
    const text = await explain(services, error, { tool, input }, call.signal);
    const [first] = Object.keys(tool.input.shape);
    const isBare = hasCode(error, 'bad_input') && Object.keys(ask.input).length === 0;
    const form = isBare
      ? ` In SQL arguments stand in brackets: ${tool.tool}(${first} := ...).`
      : '';
    throw new ExplainedError(error.code, text + form, { cause: error });
  }
}
