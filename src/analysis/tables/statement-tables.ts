import type { LRUCache } from 'lru-cache';
import { inParallel } from '../../client/paging/drain.ts';
import { CommerceError, hasCode, InputError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { isDelta, isPaged } from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import type { TableCall, TableProvider } from '../../query/provider.ts';
import type { Call, TableUse } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { ExplainedError, explain } from '../errors/explain.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { StatementLines } from './kept-lines.ts';
import { type Ask, distinctAsks, plansOf, requestsOf, type TablePlan } from './table-plan.ts';
import { tableRowsOf } from './table-rows.ts';
import { refuseCost, useOf, warningsOf } from './table-use.ts';
import type { StatementTable } from './tables.ts';

/** What the tables of all statements share. */
export interface TableParts {
  /** The kept results that hold what statements read lately: the same rows are not kept twice. */
  kept: LRUCache<string, string>;
  readArguments(tool: ToolDefinition, given: JsonObject): JsonObject;
}

/** What the tables of one statement are made from. */
interface StatementTablesParts extends TableParts {
  services: Services;
  /** The tables that the caller may read, by name. */
  tables: ReadonlyMap<string, StatementTable>;
  /** The rows of the table `tables`. */
  describe(): Promise<readonly Row[]>;
  /** Tells callers apart. */
  caller: string;
  /** Most requests that the statement may need. */
  maxCalls: number;
  /** Whether warnings about payments are of concern. */
  showsPayments: boolean;
  call: Call;
}

/** Calls under way at once: the client's own queue decides what leaves. */
const width = 64;

/** Loads what a statement needs, within the requests that it may make, and notes what became of it. */
export class StatementTables implements TableProvider {
  readonly tables;
  readonly nowMs: number;
  /** What was read, in the order in which it was needed. */
  readonly uses: TableUse[] = [];
  readonly warnings = new Set<string>();
  /** Whether a table was not read to its end: by a bound, or because a LIMIT shows no more. */
  readonly isPart = { byBound: false, byLimit: false };
  readonly #parts: StatementTablesParts;
  readonly #deadline;
  /** Where lines are kept, and the statement asks for some. */
  readonly #lines: StatementLines | undefined;
  #spent = 0;

  constructor(parts: StatementTablesParts) {
    this.#parts = parts;
    const { client, orderLines } = parts.services;
    this.#deadline = client.progressDeadline();
    if (orderLines && parts.call.readSinceMs !== undefined)
      this.#lines = new StatementLines(orderLines);
    this.nowMs = parts.call.nowMs;
    this.tables = new Map([...parts.tables].map(([name, { kind }]) => [name, kind]));
  }

  /** @throws InputError before more is spent than tells the number, where that would be too many requests */
  async load(
    calls: readonly TableCall[],
    signal: AbortSignal,
    shown: readonly string[],
  ): Promise<(readonly Row[])[]> {
    const { tables, services } = this.#parts;
    const given = plansOf(calls, (name) => tables.get(name)?.tool);
    const plans = await Promise.all(given.map((plan) => this.#lines?.take(plan) ?? plan));
    const reading = this.#read(plans, signal).finally(() => this.#lines?.save());
    // The answer will want names for these; the question goes first.
    services.reference.prefetch(shown, signal);
    await reading;
    const rows = new Map<string, readonly Row[]>();
    for (const plan of plans) for (const [key, own] of await this.#rowsOf(plan)) rows.set(key, own);
    return Promise.all(calls.map((call) => rows.get(call.key) ?? this.#other(call)));
  }

  /** Counts what calls cost, of lists by their first pages, and makes them. */
  async #read(plans: readonly TablePlan[], signal: AbortSignal): Promise<void> {
    const asks = plans.flatMap((plan) => plan.asks);
    for (const ask of asks) ask.input = this.#parts.readArguments(ask.tool, ask.input);
    const { onProgress, ...silent } = this.#parts.call;
    // One call reports its own pages; of many, the answers are what counts.
    const call = { ...silent, ...(asks.length === 1 && { onProgress }), bulk: this.#deadline };
    const each = (work: (ask: Ask, call: Call) => Promise<void>) =>
      inParallel(asks, width, signal, (ask, ending) => work(ask, { ...call, signal: ending }));
    const { maxCalls, services } = this.#parts;
    const grant = () => refuseCost(plans, this.#spent, maxCalls, services.client.budget());
    await each((ask, calling) => this.#count(ask, calling));
    grant();
    await each(async (ask, calling) => {
      const [first = {}] = requestsOf(ask, this.#maxRows(ask));
      if (!isPaged(ask.tool)) return;
      await this.#ask(ask, first, calling);
      await this.#count(ask, calling);
    });
    grant();
    let done = 0;
    await each(async (ask, calling) => {
      const isWhole = isPaged(ask.tool) || isDelta(ask.tool);
      const isRead = isPaged(ask.tool) && ask.answer?.rest === undefined;
      if (!isRead) await this.#ask(ask, { ...ask.input, ...(isWhole && { all: true }) }, calling);
      this.#lines?.keep(ask);
      const message = `read ${++done} of ${asks.length} ${ask.tool.tool}`;
      if (asks.length > 1) onProgress?.({ done, total: asks.length, message });
    });
    this.#spent += asks.reduce((sum, { made }) => sum + made, 0);
  }

  /** So many rows are enough, and the bound of this server is one of the same kind. */
  #maxRows({ call: { atMost = Number.POSITIVE_INFINITY } }: Ask): number {
    return Math.min(atMost, this.#parts.services.maxRows);
  }

  /** Counts the requests of a call that are not answered by what is cached. */
  async #count(ask: Ask, call: Call): Promise<void> {
    const { tool, input, made } = ask;
    // Arguments that are refused cause their error when the call is made.
    const isKept = async (request: JsonObject) =>
      tool.isKept?.(this.#parts.services, request, call).catch(() => false);
    const kept = await Promise.all(requestsOf(ask, this.#maxRows(ask)).map(isKept));
    ask.needed = tool.calls
      ? await tool.calls(input, call.nowMs)
      : made + kept.filter((isFree) => !isFree).length;
  }

  async #ask(ask: Ask, input: JsonObject, call: Call): Promise<void> {
    const { tool, carried } = ask;
    const { services } = this.#parts;
    try {
      const maxRows = this.#maxRows(ask);
      ask.answer = await tool.answer({ ...services, maxRows }, input, call);
      ask.made += ask.answer.calls ?? 1;
    } catch (error) {
      if (!(error instanceof CommerceError) || error.code === 'cancelled') throw error;
      ask.made += 1;
      // One of many values that the platform does not know has no rows.
      if (error.code === 'not_found' && Object.keys(carried).length > 0) return;
      const text = await explain(services, error, { question: tool, input }, call.signal);
      throw new ExplainedError(error.code, text, { cause: error });
    }
  }

  /** The rows of a table by the key of the call that they answer; what it is, is noted. */
  async #rowsOf(plan: TablePlan): Promise<ReadonlyMap<string, readonly Row[]>> {
    const { tool, kept, atMost } = plan;
    const rows: Row[] = [];
    const byCall = new Map<string, Row[]>();
    for (const [key, lines] of kept?.rows ?? []) byCall.set(key, [...lines]);
    plan.asks = distinctAsks(plan.asks);
    for (const { answer, call, carried } of plan.asks) {
      const own = byCall.get(call.key) ?? [];
      byCall.set(call.key, own);
      for (const row of answer ? tableRowsOf(tool, answer, carried) : []) {
        own.push(row);
        rows.push(row);
      }
    }
    const use = useOf(plan, rows, this.nowMs);
    const warnings = warningsOf(plan, rows, this.#parts.showsPayments);
    if (!use.complete) this.isPart[atMost === undefined ? 'byBound' : 'byLimit'] = true;
    if (tool.tool === listOrders.tool) this.#lines?.note(rows);
    const result = kept ? undefined : await this.#keep(plan, rows, use, warnings);
    this.#note({ ...use, ...(result !== undefined && { result }) }, warnings);
    return byCall;
  }

  /** The id under which rows can be had again; none for no rows, and for too many of them. */
  async #keep({ asks }: TablePlan, rows: readonly Row[], use: TableUse, warnings: string[]) {
    if (rows.length === 0) return undefined;
    const { kept, caller, services } = this.#parts;
    const { results, source } = services;
    const { tool, as_of, period, complete } = use;
    const [only, ...others] = asks;
    const key = JSON.stringify([caller, tool, only?.input, as_of, rows.length]);
    const known = others.length === 0 ? kept.get(key) : undefined;
    if (known !== undefined && results.ids().includes(known)) return known;
    const context = { endpoint: tool, source, as_of, ...(period && { period }), warnings };
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
  async #other({ table, args }: TableCall): Promise<readonly Row[]> {
    if (table === 'tables') return this.#parts.describe();
    if (typeof args.id !== 'string')
      throw new InputError("result takes the id of kept rows: FROM result('r_...').", 'id');
    const kept = await this.#parts.services.results.get(args.id);
    const { tool, rows, context, arguments: given } = kept;
    const { period, as_of, warnings } = context;
    const complete = kept.rest === undefined;
    if (!complete) this.isPart.byBound = true;
    const about = { table, tool, arguments: given, ...(period && { period }), as_of, complete };
    const use = { ...about, rows: rows.length, calls: 0, cached: true, result: kept.id } as const;
    this.#note(use, warnings);
    return rows;
  }

  #note(use: TableUse, said: readonly string[] = []): void {
    this.uses.push(use);
    for (const warning of said) this.warnings.add(warning);
  }
}
