/** The SQL engine: one SELECT over a caller's tables, bounded in rows, memory and time. */

import { hasCode } from '../core/errors.ts';
import { FairQueue, type Waiter } from '../core/fair-queue.ts';
import { builtFile } from '../core/files.ts';
import { groupBy } from '../core/group-by.ts';
import type { JsonObject } from '../core/json.ts';
import { QueryError } from './errors.ts';
import type { AboutAnswer, Outcome, RowsPart, SentStatement, SentTable } from './messages.ts';
import { type Computing, Worker } from './pool/worker.ts';
import type { TableCall, TableProvider } from './provider.ts';
import { tableText } from './table-text.ts';

/** Bounds of the engine. */
const standard = {
  /** The engine's process, as the build made it. */
  entry: builtFile('query-engine.js'),
  /** Most memory of the database of one statement. */
  memoryMb: 512,
  /** Longest one statement may compute; waiting and loading do not count. */
  seconds: 30,
  /** Threads of one statement. */
  threads: 2,
  /** Statements that compute at the same time, each in a process of its own. */
  atOnce: 2,
  /** Statements that may wait for their turn. */
  maxWaiting: 32,
  /** Most of an answer as JSON, in bytes. */
  maxBytes: 32_000_000,
  /** Whether callers are distinguished: each then leaves one place to the others. */
  isShared: false,
  /** A process that nothing used for so long is ended. */
  idleMs: 60_000,
};

/** Other bounds than the standard ones. */
export type QueryEngineOptions = Partial<typeof standard>;

/** One statement to run. */
export interface Statement {
  sql: string;
  /** Whose it is: callers take turns. */
  caller: string;
  /** Groups of callers take turns first. */
  group?: string | undefined;
  provider: TableProvider;
  /** So many rows are answered; more are said to be there. */
  maxRows: number;
  signal: AbortSignal;
}

export interface QueryResult extends AboutAnswer {
  /** By the names of the columns; as many as `maxRows` and the most text of an answer let through. */
  rows: readonly JsonObject[];
}

/** What runs statements. */
export type SqlEngine = Pick<QueryEngine, 'run' | 'close'>;

/** A statement asks for the calls it needs in rounds: one with random arguments would have no last. */
const maxRounds = 40;

export class QueryEngine {
  readonly #options: typeof standard;
  /** Callers in rotation, however many statements each has waiting. */
  readonly #turns: FairQueue;
  readonly #workers = new Set<Worker>();

  /** An engine that has not started any process yet. */
  constructor(options: QueryEngineOptions = {}) {
    this.#options = { ...standard, ...options };
    const { atOnce, isShared, maxWaiting } = this.#options;
    const ofOne = isShared ? {} : { maxActivePerCaller: atOnce };
    this.#turns = new FairQueue({ maxActive: atOnce, maxWaiting, ...ofOne });
  }

  /**
   * Runs one SELECT. Rows are asked of the provider in rounds, while no place at the engine is held.
   * @throws {QueryError} for everything that is wrong with the statement or its running
   * @throws what the provider throws, as it is
   */
  async run({ sql, caller, group, provider, maxRows, signal }: Statement): Promise<QueryResult> {
    const { maxBytes, seconds } = this.#options;
    const { nowMs } = provider;
    const tables = new Map(provider.tables);
    const time = { leftMs: seconds * 1000, limitMs: seconds * 1000, signal };
    const loaded = new Map<string, SentTable>();
    let read: { call: TableCall; rows: readonly JsonObject[] }[] = [];
    for (let round = 0; round < maxRounds; round++) {
      const sent = { sql, tables, nowMs, maxRows, maxBytes, loaded };
      const rows: JsonObject[] = [];
      const turn = { caller, group, signal };
      const outcome = await this.#round(sent, turn, time, (part) => rows.push(...readRows(part)));
      if (outcome.kind === 'answer') {
        const { kind: _, ...about } = outcome;
        return { ...about, rows };
      }
      const { calls, open, reads, shown, named } = outcome;
      const looking = open.length > 0 ? provider.lookAt(open, signal, reads) : new Map();
      const [found, columns] = await Promise.all([provider.load(calls, signal, shown), looking]);
      for (const name of open) {
        const kind = tables.get(name);
        if (kind?.kind === 'calls')
          tables.set(name, {
            ...kind,
            columns: { ...kind.columns, ...columns.get(name) },
            isOpen: false,
          });
      }
      read = [...read, ...calls.map((call, index) => ({ call, rows: found[index] ?? [] }))];
      for (const [name, own] of groupBy(read, ({ call }) => call.table)) {
        if (!open.includes(name) && !calls.some(({ table }) => table === name)) continue;
        const kind = tables.get(name);
        const hints = (kind?.kind === 'calls' && kind.columns) || {};
        const rows = own.map((it) => it.rows);
        const text = await tableText(rows, hints, named);
        loaded.set(name, { calls: own.map(({ call }) => call.key), ...text });
      }
    }
    throw new QueryError(
      'bad_argument',
      `After ${maxRounds} rounds the statement still asks for other calls. Arguments must not be random, nor follow a recursion so far.`,
    );
  }

  /** The ids of the engine's processes that run now. */
  processIds(): number[] {
    return this.#alive().flatMap(({ pid }) => pid ?? []);
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    for (const worker of this.#alive()) worker.kill();
  }

  /** Waits for a turn, and runs a round of a statement in a process; its place is held until its rows are read. */
  async #round(
    statement: SentStatement,
    turn: Waiter,
    time: Computing,
    onRows: (part: RowsPart) => void,
  ): Promise<Outcome> {
    const { entry } = this.#options;
    if (entry === undefined)
      throw new QueryError('engine_unavailable', 'The query engine is not installed.');
    const { signal } = time;
    const end = await this.#turns.enter({ ...turn }).catch((error: unknown) => {
      if (signal.aborted) throw new QueryError('cancelled');
      if (!hasCode(error, 'overloaded')) throw error;
      throw new QueryError('overloaded', `The query engine is busy: ${error.message}`);
    });
    try {
      const resting = this.#alive().find(({ isResting }) => isResting);
      const worker = resting ?? new Worker(entry, this.#options);
      this.#workers.add(worker);
      return await worker.run(statement, time, onRows);
    } finally {
      end();
    }
  }

  #alive(): Worker[] {
    for (const worker of this.#workers) if (!worker.isAlive) this.#workers.delete(worker);
    return [...this.#workers];
  }
}

function readRows({ names, rows: text }: RowsPart): JsonObject[] {
  const rows: unknown[][] = JSON.parse(text);
  return rows.map((values) =>
    Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])),
  );
}
