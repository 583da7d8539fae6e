import type { LRUCache } from 'lru-cache';
import { inParallel } from '../../client/paging/drain.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import type { JsonObject } from '../../core/json.ts';
import { isPaged } from '../../endpoints/define.ts';
import type { TableCall, TableProvider } from '../../query/provider.ts';
import type { Call, TableUse } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { ExplainedError, explain } from '../errors/explain.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { type Ask, type Asks, asksFor, distinctAsks, tableOf } from './asks.ts';
import { pageOf, refuseCost } from './cost.ts';
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

/** A statement of a caller. */
interface Statement {
  parts: TableParts;
  services: Services;
  /** The tables that the caller may read, by name. */
  tables: ReadonlyMap<string, StatementTable>;
  /** Most requests that it may need. */
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
  readonly #statement: Statement;
  /** Where lines are kept, and the statement asks for some. */
  readonly #lines: StatementLines | undefined;

  constructor(statement: Statement) {
    const { tables, call, services } = statement;
    this.#statement = statement;
    if (services.orderLines && call.readSinceMs !== undefined)
      this.#lines = new StatementLines(services.orderLines);
    this.nowMs = call.nowMs;
    this.tables = new Map([...tables].map(([name, { kind }]) => [name, kind]));
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
    const { tables, services } = this.#statement;
    const all = asksFor(calls, tables, services.maxRows);
    await this.#lines?.take(all);
    const reading = this.#read(all, signal).finally(() => this.#lines?.save());
    // The answer will want names for these; the question goes first.
    services.reference.prefetch(shown, signal);
    await reading;
    const asks = distinctAsks(all);
    for (const ask of asks)
      if (ask.answer) ask.rows = tableRowsOf(ask.tool, ask.answer, ask.carried);
    for (const own of groupBy(asks, tableOf).values()) await this.#report(own);
    const byCall = groupBy(asks, ({ call }) => call.key);
    const rowsOf = ({ key }: TableCall) => byCall.get(key)?.flatMap(({ rows }) => rows);
    return Promise.all(calls.map((call) => rowsOf(call) ?? this.#other(call)));
  }

  /** Makes the calls: of lists the first pages, which tell what the others cost, and then the rest. */
  async #read(all: readonly Ask[], signal: AbortSignal): Promise<void> {
    const { parts, services, maxCalls, call } = this.#statement;
    const { nowMs } = call;
    const asks = all.filter(({ keptSinceMs }) => keptSinceMs === undefined);
    for (const ask of asks) ask.input = parts.readArguments(ask.tool, ask.input);
    // One call reports its own pages; of many, the answers are what counts.
    const { onProgress, ...silent } = call;
    const own = asks.length === 1 ? call : silent;
    const bulk = services.client.progressDeadline();
    const each = async (work: (ask: Ask, call: Call) => Promise<void>) => {
      refuseCost(asks, this.calls, { maxCalls, nowMs, budget: services.client.budget() });
      const inTurn = (ask: Ask, ending: AbortSignal) => work(ask, { ...own, bulk, signal: ending });
      await inParallel(asks, width, signal, inTurn);
    };
    await each(async (ask, calling) => {
      const first = { ...ask.input, start: 0, limit: pageOf(ask) };
      if (isPaged(ask.tool)) await this.#ask(ask, first, calling);
    });
    let done = 0;
    await each(async (ask, calling) => {
      const isRead = isPaged(ask.tool) && ask.answer?.rest === undefined;
      const whole = 'all' in ask.tool.input.shape && { all: true };
      if (!isRead) await this.#ask(ask, { ...ask.input, ...whole }, calling);
      this.#lines?.keep(ask);
      const message = `read ${++done} of ${asks.length} ${ask.tool.tool}`;
      if (asks.length > 1) onProgress?.({ done, total: asks.length, message });
    });
  }

  async #ask(ask: Ask, input: JsonObject, call: Call): Promise<void> {
    const { tool, carried, maxRows } = ask;
    const { services } = this.#statement;
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

  /** Notes what a table is, and keeps its rows. */
  async #report(asks: Asks): Promise<void> {
    const rows = asks.flatMap((ask) => ask.rows);
    const use = useOf(asks, this.nowMs);
    const warnings = warningsOf(asks, this.#statement.showsPayments);
    const [{ call }] = asks;
    if (!use.complete) this.isPart[call.atMost === undefined ? 'byBound' : 'byLimit'] = true;
    this.#lines?.note(use.tool, rows);
    const result = use.kept ? undefined : await this.#keep(asks, rows, use, warnings);
    this.#note({ ...use, ...(result !== undefined && { result }) }, warnings);
  }

  /** The id under which rows can be had again; none for no rows, and for too many of them. */
  async #keep([only, ...others]: Asks, rows: readonly Row[], use: TableUse, warnings: string[]) {
    if (rows.length === 0) return undefined;
    const { parts, services } = this.#statement;
    const { results, source } = services;
    const { tool, as_of, period, complete } = use;
    const key = JSON.stringify([tool, only.input, as_of, rows.length]);
    const known = others.length === 0 ? parts.kept.get(key) : undefined;
    // Of two callers with the same rows, each has their own.
    if (known !== undefined && results.ids().includes(known)) return known;
    const context = { endpoint: tool, source, as_of, ...(period && { period }), warnings };
    const origin = { tool, arguments: use.arguments, context, ...(!complete && { rest: {} }) };
    try {
      const { id } = await results.keep(rows, origin);
      parts.kept.set(key, id);
      return id;
    } catch (error) {
      if (!hasCode(error, 'too_large')) throw error;
      return undefined;
    }
  }

  /** The rows of what no tool gives. */
  async #other({ table, args }: TableCall): Promise<readonly Row[]> {
    const { services } = this.#statement;
    if (table === 'tables') return services.statements.tables();
    const kept = await services.results.get(String(args.id));
    const { id, tool, rows, context, arguments: given, rest } = kept;
    const { period, as_of, warnings } = context;
    const complete = rest === undefined;
    if (!complete) this.isPart.byBound = true;
    const about = { table, tool, arguments: given, ...(period && { period }), as_of, complete };
    this.#note({ ...about, rows: rows.length, calls: 0, cached: true, result: id }, warnings);
    return rows;
  }

  #note(use: TableUse, said: readonly string[] = []): void {
    this.uses.push(use);
    for (const warning of said) this.warnings.add(warning);
  }
}
