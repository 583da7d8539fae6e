import { onAbort } from '../core/deadline.ts';
import { FairQueue, type QueueMessage } from '../core/fair-queue.ts';
import { builtFile } from '../core/files.ts';
import { groupBy, type JsonObject } from '../core/json.ts';
import type { Message, Warning } from '../core/message.ts';
import { ChildProcess, ProcessEndedError } from '../core/process/child-process.ts';
import { cutText, neutralise } from '../core/text.ts';
import { QueryError, queryMessages } from './messages.ts';
import type {
  AnswerFacts,
  EngineReply,
  RoundResult,
  RowsPart,
  SentStatement,
  SentTable,
} from './protocol.ts';
import type { TableCall, TableProvider } from './provider.ts';
import { tableText } from './table-text.ts';

const defaults = {
  /** The built script of the engine's process. */
  entry: builtFile('query-engine.js'),
  /** Memory of the database of one statement. */
  memoryMb: 512,
  /** Computing time of one statement, without waiting and loading. */
  seconds: 30,
  /** Threads of one statement. */
  threads: 2,
  /** Statements that compute at the same time, each in a process of its own. */
  atOnce: 2,
  maxWaiting: 32,
  /** Size of an answer as JSON. */
  maxBytes: 32_000_000,
  /** Whether callers are distinguished: each then leaves one place to the others. */
  isShared: false,
  idleMs: 60_000,
};

export type QueryEngineOptions = Partial<typeof defaults>;

interface Turn {
  caller: string;
  group?: string | undefined;
  signal: AbortSignal;
}

export interface Statement extends Turn {
  sql: string;
  provider: TableProvider;
  /** The answer has at most so many rows, and says whether there are more. */
  maxRows: number;
}

export interface QueryResult extends AnswerFacts {
  /** Cut at `maxRows` and `maxBytes`. */
  rows: readonly JsonObject[];
}

export type SqlEngine = Pick<QueryEngine, 'run' | 'runInOneTurn' | 'close'>;

/** A statement asks for its calls in rounds; one with random arguments would never end. */
const maxRounds = 40;

/** Resident memory of a process besides its database: Node, the engine's code, rows under way. */
const overheadMb = 512;

interface Worker {
  readonly child: ChildProcess<SentStatement, RowsPart, EngineReply>;
  isIdle: boolean;
}

/** The time that a statement has left to compute in all its rounds. */
interface Computing {
  leftMs: number;
  readonly signal: AbortSignal;
}

/** Runs SELECTs over a caller's tables, bounded in rows, memory and time. */
export class QueryEngine {
  readonly #options: typeof defaults;
  readonly #turns: FairQueue;
  readonly #workers = new Set<Worker>();

  constructor(options: QueryEngineOptions = {}) {
    this.#options = { ...defaults, ...options };
    const { atOnce, isShared, maxWaiting } = this.#options;
    const ownBound = isShared ? {} : { maxActivePerCaller: atOnce };
    this.#turns = new FairQueue({ maxActive: atOnce, maxWaiting, ...ownBound });
  }

  /**
   * Runs one SELECT. Its turn at the engine is given up while the provider loads rows.
   * @throws {QueryError} for every failure of the statement or the engine
   * @throws errors of the provider, unchanged
   */
  run(statement: Statement): Promise<QueryResult> {
    return this.#run(statement, () => this.#enter(statement));
  }

  /**
   * Runs short statements that load no rows one after the other in a single turn.
   * @throws {QueryError} when no turn comes; the failure of a statement is in its result
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

  /** @param enter waits for a turn and resolves to a function that ends it; each round takes one to compute */
  async #run(
    { sql, provider, maxRows, signal }: Statement,
    enter: () => Promise<() => void>,
  ): Promise<QueryResult> {
    const { maxBytes, seconds } = this.#options;
    const { tables, nowMs } = provider;
    const time = { leftMs: seconds * 1000, signal };
    const loaded = new Map<string, SentTable>();
    const warningsByTable = new Map<string, readonly Warning[]>();
    const reads: { call: TableCall; rows: readonly JsonObject[] }[] = [];
    for (let count = 0; count < maxRounds; count++) {
      const sent = { sql, tables, nowMs, maxRows, maxBytes, loaded };
      const rows: JsonObject[] = [];
      const endTurn = await enter();
      const round = this.#compute(sent, time, (part) => rows.push(...readRows(part)));
      const result = await round.finally(endTurn);
      if (result.kind === 'answer') {
        const { kind: _, hints, ...about } = result;
        const warnings = [...[...warningsByTable.values()].flat(), ...hints.map(boundMessage)];
        return { ...about, hints: warnings, rows };
      }
      const { calls, shape } = result;
      const rowsByCall = await provider.load(calls, signal, shape);
      for (const [at, call] of calls.entries()) reads.push({ call, rows: rowsByCall[at] ?? [] });
      const readsByTable = groupBy(reads, ({ call }) => call.table);
      for (const name of new Set(calls.map(({ table }) => table))) {
        const kind = tables.get(name);
        const tableReads = readsByTable.get(name);
        if (kind?.kind !== 'calls' || tableReads === undefined) continue;
        const lists = tableReads.map(({ rows }) => rows);
        const { warnings, ...text } = await tableText(name, lists, kind, shape);
        warningsByTable.set(name, warnings);
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

  /** Runs a round and subtracts its time from the time left. Cancelling it kills its process. */
  async #compute(
    statement: SentStatement,
    time: Computing,
    onRows: (part: RowsPart) => void,
  ): Promise<RoundResult> {
    const worker = this.#alive().find(({ isIdle }) => isIdle) ?? this.#start();
    worker.isIdle = false;
    const { child } = worker;
    await child.ready.catch((cause: unknown) => {
      // A process that exits while it loads will do so the next time; one that was killed may not.
      const isStopped = cause instanceof ProcessEndedError && !cause.hasExited;
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
      if (reply.kind === 'failed') throw new QueryError(boundMessage(reply.reason), reply.code);
      return reply;
    } catch (error) {
      throw asQueryError(error, engineStopped);
    } finally {
      time.leftMs -= performance.now() - startedMs;
      clearTimeout(timer);
      stopListening();
      worker.isIdle = true;
    }
  }

  #start(): Worker {
    const { entry, memoryMb, threads, idleMs } = this.#options;
    if (entry === undefined) throw notLoaded();
    const heapMb = memoryMb + overheadMb;
    const args = [memoryMb, threads, heapMb];
    const child: Worker['child'] = new ChildProcess(entry, { args, idleMs, heapMb });
    const worker = { child, isIdle: true };
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

/** Bounds and neutralises a sentence of the process, which may quote values. */
function boundMessage<Given extends Message>(message: Given): Given {
  return { ...message, text: neutralise(cutText(String(message.text), maxTextLength)) };
}

function readRows({ names, rows: text }: RowsPart): JsonObject[] {
  const rows: unknown[][] = JSON.parse(text);
  return rows.map((values) =>
    Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])),
  );
}
