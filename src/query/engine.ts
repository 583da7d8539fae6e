/** The SQL engine: one SELECT over a caller's tables, bounded in rows, memory and time. */

import { onAbort } from '../core/deadline.ts';
import { FairQueue, type QueueMessage } from '../core/fair-queue.ts';
import { builtFile } from '../core/files.ts';
import { groupBy, type JsonObject } from '../core/json.ts';
import type { Message, Warning } from '../core/message.ts';
import { ChildProcess, ProcessEndedError } from '../core/process/child-process.ts';
import { cutText, neutralise } from '../core/text.ts';
import { QueryError } from './errors.ts';
import { queryMessages } from './messages.ts';
import type {
  AboutAnswer,
  EngineReply,
  RoundResult,
  RowsPart,
  SentStatement,
  SentTable,
} from './protocol.ts';
import type { TableCall, TableProvider } from './provider.ts';
import { tableText } from './table-text.ts';

const defaults = {
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
  idleMs: 60_000,
};

/** Other bounds than the default ones. */
export type QueryEngineOptions = Partial<typeof defaults>;

interface Turn {
  /** Callers take turns. */
  caller: string;
  /** Groups of callers take turns first. */
  group?: string | undefined;
  signal: AbortSignal;
}

/** One statement to run. */
export interface Statement extends Turn {
  sql: string;
  provider: TableProvider;
  /** So many rows are answered; more are said to be there. */
  maxRows: number;
}

export interface QueryResult extends AboutAnswer {
  /** By the names of the columns; as many as `maxRows` and the most text of an answer let through. */
  rows: readonly JsonObject[];
}

/** What runs statements. */
export type SqlEngine = Pick<QueryEngine, 'run' | 'runInOneTurn' | 'close'>;

/** A statement asks for the calls it needs in rounds: one with random arguments would have no last. */
const maxRounds = 40;

/** Resident memory that a process takes beyond its database: Node, the engine's code, rows on their way. */
const overheadMb = 512;

interface Worker {
  readonly child: ChildProcess<SentStatement, RowsPart, EngineReply>;
  isResting: boolean;
}

/** A statement's time to compute. Waiting and loading do not count. */
interface Computing {
  leftMs: number;
  readonly signal: AbortSignal;
}

export class QueryEngine {
  readonly #options: typeof defaults;
  /** Callers in rotation, however many statements each has waiting. */
  readonly #turns: FairQueue;
  readonly #workers = new Set<Worker>();

  constructor(options: QueryEngineOptions = {}) {
    this.#options = { ...defaults, ...options };
    const { atOnce, isShared, maxWaiting } = this.#options;
    const ownBound = isShared ? {} : { maxActivePerCaller: atOnce };
    this.#turns = new FairQueue({ maxActive: atOnce, maxWaiting, ...ownBound });
  }

  /**
   * Runs one SELECT. Rows are asked of the provider in rounds, while no place at the engine is held.
   * @throws {QueryError} for everything that is wrong with the statement or its running
   * @throws what the provider throws, as it is
   */
  run(statement: Statement): Promise<QueryResult> {
    return this.#run(statement, () => this.#enter(statement));
  }

  /**
   * Runs statements one after the other in a single turn, however many callers wait behind it: for short ones that
   * load no rows. Each fails for itself.
   * @throws {QueryError} when no turn comes
   */
  async runInOneTurn(
    statements: readonly Omit<Statement, keyof Turn>[],
    turn: Turn,
  ): Promise<PromiseSettledResult<QueryResult>[]> {
    const end = await this.#enter(turn);
    try {
      const results: PromiseSettledResult<QueryResult>[] = [];
      for (const statement of statements) {
        const running = this.#run({ ...statement, ...turn }, async () => () => {});
        results.push(...(await Promise.allSettled([running])));
      }
      return results;
    } finally {
      end();
    }
  }

  /** @param enter waits for the turn of a round, and gives what ends it; a turn is held until the round's rows are read */
  async #run(
    { sql, provider, maxRows, signal }: Statement,
    enter: () => Promise<() => void>,
  ): Promise<QueryResult> {
    const { maxBytes, seconds } = this.#options;
    const { tables, nowMs } = provider;
    const time = { leftMs: seconds * 1000, signal };
    const loaded = new Map<string, SentTable>();
    const warningsOf = new Map<string, readonly Warning[]>();
    const read: { call: TableCall; rows: readonly JsonObject[] }[] = [];
    for (let count = 0; count < maxRounds; count++) {
      const sent = { sql, tables, nowMs, maxRows, maxBytes, loaded };
      const rows: JsonObject[] = [];
      const endTurn = await enter();
      const round = this.#compute(sent, time, (part) => rows.push(...readRows(part)));
      const result = await round.finally(endTurn);
      if (result.kind === 'answer') {
        const { kind: _, hints, ...about } = result;
        const warnings = [...[...warningsOf.values()].flat(), ...hints.map(onOneLine)];
        return { ...about, hints: warnings, rows };
      }
      const { calls, shape } = result;
      const rowsByCall = await provider.load(calls, signal, shape);
      for (const [at, call] of calls.entries()) read.push({ call, rows: rowsByCall[at] ?? [] });
      const byTable = groupBy(read, ({ call }) => call.table);
      for (const name of new Set(calls.map(({ table }) => table))) {
        const kind = tables.get(name);
        const tableReads = byTable.get(name);
        if (kind?.kind !== 'calls' || tableReads === undefined) continue;
        const lists = tableReads.map((one) => one.rows);
        const { warnings, ...text } = await tableText(name, lists, kind, shape);
        warningsOf.set(name, warnings);
        const isSample = tableReads.every(({ call }) => call.isSample);
        loaded.set(name, { calls: tableReads.map(({ call }) => call.key), isSample, ...text });
      }
    }
    throw new QueryError(queryMessages.too_many_rounds({ rounds: maxRounds }));
  }

  processIds(): number[] {
    return this.#alive().flatMap(({ child }) => child.pid ?? []);
  }

  async close(): Promise<void> {
    for (const { child } of this.#alive()) child.kill(engineStopped());
  }

  async #enter({ caller, group, signal }: Turn): Promise<() => void> {
    const busy = ({ text: why }: QueueMessage) =>
      new QueryError(queryMessages.engine_busy({ why }), 'overloaded');
    return this.#turns.enter({ caller, group, signal }, busy).catch((error: unknown) => {
      throw signal.aborted ? statementCancelled() : error;
    });
  }

  /** Runs a round and takes its time off what is left; cancelled or out of time it is ended with its process. */
  async #compute(
    statement: SentStatement,
    time: Computing,
    onRows: (part: RowsPart) => void,
  ): Promise<RoundResult> {
    const worker = this.#alive().find(({ isResting }) => isResting) ?? this.#start();
    worker.isResting = false;
    const { child } = worker;
    await child.ready.catch((cause: unknown) => {
      // A process that ends by itself before it can take a statement will do so the next time.
      const isStopped = cause instanceof ProcessEndedError && !cause.isByItself;
      throw asQueryError(cause, isStopped ? engineStopped : notLoaded);
    });
    const { leftMs, signal } = time;
    const { seconds } = this.#options;
    const outOfTime = new QueryError(queryMessages.out_of_time({ seconds }), 'timeout');
    const timer = setTimeout(() => child.kill(outOfTime), leftMs);
    const stopListening = onAbort(signal, () => child.kill(statementCancelled()));
    const startedMs = performance.now();
    try {
      const reply = await child.ask(statement, leftMs, onRows);
      if (reply.kind === 'failed') throw new QueryError(onOneLine(reply.reason), reply.code);
      return reply;
    } catch (error) {
      throw asQueryError(error, engineStopped);
    } finally {
      time.leftMs -= performance.now() - startedMs;
      clearTimeout(timer);
      stopListening();
      worker.isResting = true;
    }
  }

  #start(): Worker {
    const { entry, memoryMb, threads, idleMs } = this.#options;
    if (entry === undefined) throw notLoaded();
    const heapMb = memoryMb + overheadMb;
    const args = [memoryMb, threads, heapMb];
    const child: Worker['child'] = new ChildProcess(entry, { args, idleMs, heapMb });
    const worker = { child, isResting: true };
    this.#workers.add(worker);
    return worker;
  }

  #alive(): Worker[] {
    for (const worker of this.#workers) if (!worker.child.isAlive) this.#workers.delete(worker);
    return [...this.#workers];
  }
}

function asQueryError(cause: unknown, failure: (cause: unknown) => QueryError): QueryError {
  return cause instanceof QueryError ? cause : failure(cause);
}

function notLoaded(cause?: unknown): QueryError {
  return new QueryError(queryMessages.engine_not_loaded(), 'not_offered', { cause });
}

function engineStopped(cause?: unknown): QueryError {
  return new QueryError(queryMessages.engine_stopped(), 'upstream_failed', { cause });
}

function statementCancelled(): QueryError {
  return new QueryError(queryMessages.statement_cancelled(), 'cancelled');
}

const maxTextLength = 10_000;

/** A message of the process as it may be passed on: whatever ran there, its sentence is bounded and acts on nothing. */
function onOneLine<Said extends Message>(message: Said): Said {
  return { ...message, text: neutralise(cutText(String(message.text), maxTextLength)) };
}

function readRows({ names, rows: text }: RowsPart): JsonObject[] {
  const rows: unknown[][] = JSON.parse(text);
  return rows.map((values) =>
    Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])),
  );
}
