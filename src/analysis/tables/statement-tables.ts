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
import { type Ask, costOf, distinctAsks, pageOf, readsOf, type TableRead } from './asks.ts';
import { refuseCost } from './cost.ts';
import { StatementLines } from './kept-lines.ts';
import { tableRowsOf } from './table-rows.ts';
import { useOf, warningsOf } from './table-use.ts';
import type { StatementTable } from './tables.ts';

/** What the tables of all statements share. */
export interface TableParts {
  /** The kept results that hold what statements read lately: the same rows are not kept twice. */
  kept: LRUCache<string, string>;
  readArguments(tool: ToolDefinition, given: JsonObject): JsonObject;
}

/** A statement, and what its tables are made from. */
interface StatementParts extends TableParts {
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
  readonly #parts: StatementParts;
  readonly #deadline;
  /** Where lines are kept, and the statement asks for some. */
  readonly #lines: StatementLines | undefined;

  constructor(parts: StatementParts) {
    this.#parts = parts;
    const { client, orderLines } = parts.services;
    this.#deadline = client.progressDeadline();
    if (orderLines && parts.call.readSinceMs !== undefined)
      this.#lines = new StatementLines(orderLines);
    this.nowMs = parts.call.nowMs;
    this.tables = new Map([...parts.tables].map(([name, { kind }]) => [name, kind]));
  }

  /** Requests that were made so far. */
  get calls(): number {
    return this.uses.reduce((sum, { calls }) => sum + calls, 0);
  }

  /** @throws InputError before more is spent than tells the number, where that would be too many requests */
  async load(
    calls: readonly TableCall[],
    signal: AbortSignal,
    shown: readonly string[],
  ): Promise<(readonly Row[])[]> {
    const { tables, services } = this.#parts;
    const reads = readsOf(calls, (name) => tables.get(name)?.tool, services.maxRows);
    for (const read of reads) await this.#lines?.take(read);
    const reading = this.#read(reads, signal).finally(() => this.#lines?.save());
    // The answer will want names for these; the question goes first.
    services.reference.prefetch(shown, signal);
    await reading;
    const rows = new Map<string, Row[]>();
    for (const read of reads)
      for (const { call, rows: own } of await this.#take(read)) {
        const ofCall = rows.get(call.key) ?? [];
        rows.set(call.key, ofCall);
        for (const row of own) ofCall.push(row);
      }
    return Promise.all(calls.map((call) => rows.get(call.key) ?? this.#other(call)));
  }

  /** Makes the calls: of lists the first pages, which tell what the others cost, and then the rest. */
  async #read(reads: readonly TableRead[], signal: AbortSignal): Promise<void> {
    const asks = reads.flatMap((read) => read.asks).filter(({ kept }) => kept === undefined);
    for (const ask of asks) ask.input = this.#parts.readArguments(ask.tool, ask.input);
    const { onProgress, ...silent } = this.#parts.call;
    // One call reports its own pages; of many, the answers are what counts.
    const call = { ...silent, ...(asks.length === 1 && { onProgress }), bulk: this.#deadline };
    const each = (work: (ask: Ask, call: Call) => Promise<void>) =>
      inParallel(asks, width, signal, (ask, ending) => work(ask, { ...call, signal: ending }));
    await this.#refuseCost(reads);
    await each(async (ask, calling) => {
      const first = { ...ask.input, start: 0, limit: pageOf(ask) };
      if (isPaged(ask.tool)) await this.#ask(ask, first, calling);
    });
    await this.#refuseCost(reads);
    let done = 0;
    await each(async (ask, calling) => {
      const isList = isPaged(ask.tool);
      const isRead = isList && ask.answer?.rest === undefined;
      const all = (isList || isDelta(ask.tool)) && { all: true };
      if (!isRead) await this.#ask(ask, { ...ask.input, ...all }, calling);
      this.#lines?.keep(ask);
      const message = `read ${++done} of ${asks.length} ${ask.tool.tool}`;
      if (asks.length > 1) onProgress?.({ done, total: asks.length, message });
    });
  }

  async #refuseCost(reads: readonly TableRead[]): Promise<void> {
    const { maxCalls, services } = this.#parts;
    const costs = reads.map(async (read) => {
      const calls = await Promise.all(read.asks.map((ask) => costOf(ask, this.nowMs)));
      return { read, calls: calls.reduce((sum, it) => sum + it, 0) };
    });
    refuseCost(await Promise.all(costs), this.calls, maxCalls, services.client.budget());
  }

  async #ask(ask: Ask, input: JsonObject, call: Call): Promise<void> {
    const { tool, carried, maxRows } = ask;
    const { services } = this.#parts;
    try {
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

  /** The rows of a table, of each of its calls; what it is, is noted. */
  async #take(read: TableRead): Promise<{ call: TableCall; rows: readonly Row[] }[]> {
    read.asks = distinctAsks(read.asks);
    const taken = read.asks.map(({ tool, call, answer, carried, kept }) => {
      const rows = answer ? tableRowsOf(tool, answer, carried) : (kept?.rows ?? []);
      return { call, rows };
    });
    const rows = taken.flatMap((own) => own.rows);
    const use = useOf(read, rows.length, this.nowMs);
    const warnings = warningsOf(read, rows, this.#parts.showsPayments);
    const isLimited = read.asks.some(({ call }) => call.atMost !== undefined);
    if (!use.complete) this.isPart[isLimited ? 'byLimit' : 'byBound'] = true;
    if (read.tool.tool === listOrders.tool) this.#lines?.note(rows);
    const result = use.kept ? undefined : await this.#keep(read, rows, use, warnings);
    this.#note({ ...use, ...(result !== undefined && { result }) }, warnings);
    return taken;
  }

  /** The id under which rows can be had again; none for no rows, and for too many of them. */
  async #keep({ asks }: TableRead, rows: readonly Row[], use: TableUse, warnings: string[]) {
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
