/** The SQL engine: one SELECT over a caller's tables, bounded in rows, memory and time. */
import { FairQueue } from '../core/fair-queue.ts';
import type { JsonValue } from '../core/json.ts';
import { QueryError } from './errors.ts';
import type { AnswerEnd, SqlColumn } from './messages.ts';
import { Pool } from './pool/pool.ts';
import { engineEntry, type TimeLeft, Worker } from './pool/worker.ts';
import type { TableCall, TableKind, TableProvider } from './provider.ts';
import { type TableText, tableText } from './rows/table-text.ts';

/** Bounds of the engine. All have defaults. */
export interface QueryEngineOptions {
  /** The engine's process, as the build made it. @default {@link engineEntry} */
  entry?: string;
  /** Most memory of the database of one statement. @default 512 */
  memoryMb?: number;
  /** Longest one statement may compute; waiting and loading do not count. @default 30 */
  seconds?: number;
  /** How long an interrupted statement may take to end before its process is killed. @default 2000 */
  patienceMs?: number;
  /** Threads of one statement. @default 2 */
  threads?: number;
  /** Statements that compute at the same time, each in a process of its own. @default 2 */
  atOnce?: number;
  /** Statements that may wait for their turn. @default 32 */
  maxWaiting?: number;
  /** Longest statement, in characters. @default 50000 */
  maxLength?: number;
  /** Most text of an answer, as JSON, in characters. @default 32 million */
  maxBytes?: number;
  /** Whether callers are told apart: each then leaves one place to the others. @default false */
  isShared?: boolean;
  /** A process that nothing used for so long is ended. @default 60000 */
  idleMs?: number;
  /** Milliseconds of a clock that never jumps. */
  now?: () => number;
}

/** One statement to run. */
export interface Statement {
  sql: string;
  /** Whose it is: callers take turns. */
  caller: string;
  provider: TableProvider;
  /** So many rows are answered; more are said to be there. */
  maxRows: number;
  signal: AbortSignal;
}

/** A row by the names of the columns. */
export type ResultRow = Record<string, JsonValue>;

export interface QueryResult extends AnswerEnd {
  /** As many as `maxRows` and the most text of an answer let through. */
  rows: readonly ResultRow[];
  /** Milliseconds that the engine worked on it, its tables' way in included. */
  computedMs: number;
}

/** What runs statements. */
export type SqlEngine = Pick<QueryEngine, 'run' | 'close'>;

/** Resident memory that a process takes beyond its database: Node, the engine's code, rows on their way. */
const overheadMb = 512;

/** A statement asks for the calls it needs in rounds: one with random arguments would have no last. */
const maxRounds = 40;

/** Calls of a table with their rows, and these as the engine takes them once they were sent. */
interface LoadedTable {
  calls: { call: TableCall; rows: readonly object[] }[];
  sent?: { columns: TableText['columns']; texts: readonly string[] } | undefined;
}

export class QueryEngine {
  readonly #options: Required<Omit<QueryEngineOptions, 'entry'>>;
  readonly #pool: Pool;

  /** An engine that has not started any process yet. */
  constructor({ entry = engineEntry(), ...given }: QueryEngineOptions = {}) {
    const standard = { memoryMb: 512, seconds: 30, patienceMs: 2000, threads: 2, atOnce: 2 };
    const bounds = {
      maxWaiting: 32,
      maxLength: 50_000,
      maxBytes: 32_000_000,
      idleMs: 60_000,
      isShared: false,
    };
    this.#options = { ...standard, ...bounds, now: () => performance.now(), ...given };
    const { atOnce, isShared, maxWaiting, idleMs, memoryMb } = this.#options;
    this.#pool = new Pool({
      turns: new FairQueue({
        maxActive: atOnce,
        maxActivePerCaller: isShared ? Math.max(1, atOnce - 1) : atOnce,
        maxWaiting,
        // One caller never takes all the room there is to wait in.
        maxWaitingPerCaller: Math.ceil(maxWaiting * 0.75),
      }),
      idleMs,
      start() {
        if (entry === undefined)
          throw new QueryError('engine_unavailable', 'The query engine is not installed.');
        return new Worker({ entry, mostMemoryMb: memoryMb + overheadMb });
      },
    });
  }

  /**
   * Runs one SELECT. Rows are asked of the provider in rounds, while no place at the engine is held.
   * @throws {QueryError} for everything that is wrong with the statement or its running
   * @throws what the provider throws, as it is
   */
  async run({ sql, caller, provider, maxRows, signal }: Statement): Promise<QueryResult> {
    const { maxLength, maxBytes, seconds, patienceMs, now, memoryMb, threads } = this.#options;
    if (sql.length > maxLength) {
      throw new QueryError(
        'too_long',
        `The statement has ${sql.length} characters; ${maxLength} is the most.`,
      );
    }
    const { tables, nowMs } = provider;
    const statement = { sql, tables, nowMs, memoryMb, threads, maxRows, maxBytes };
    const left: TimeLeft = { ms: seconds * 1000, limitMs: seconds * 1000, patienceMs };
    const loaded = new Map<string, LoadedTable>();
    for (let round = 0; round < maxRounds; round++) {
      const texts: string[] = [];
      const outcome = await this.#pool.use(caller, signal, async (worker) => {
        await worker.started;
        return worker.within(left, signal, now, async (check) => {
          await worker.post({ op: 'open', ...statement });
          for (const [name, table] of loaded)
            await send(worker, name, table, tables.get(name), check);
          check();
          return worker.run((rows) => texts.push(rows));
        });
      });
      if (outcome.kind === 'answer') {
        const { kind: _, ...end } = outcome;
        const rows = texts.flatMap(readRows).map((row) => toRow(end.columns, row));
        return { ...end, rows, computedMs: left.limitMs - left.ms };
      }
      const found = await provider.load(outcome.calls, signal, outcome.shown);
      for (const [index, call] of outcome.calls.entries()) {
        const table: LoadedTable = loaded.get(call.table) ?? { calls: [] };
        table.calls.push({ call, rows: found[index] ?? [] });
        table.sent = undefined;
        loaded.set(call.table, table);
      }
    }
    throw new QueryError(
      'bad_argument',
      `After ${maxRounds} rounds the statement still asks for other calls. Arguments must not be random, nor follow a recursion so far.`,
    );
  }

  /** The ids of the engine's processes that run now. */
  processIds(): number[] {
    return this.#pool.processIds();
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#pool.close();
  }
}

/** Sends the rows of a table. */
async function send(
  worker: Worker,
  name: string,
  table: LoadedTable,
  kind: TableKind | undefined,
  check: () => void,
): Promise<void> {
  const { calls } = table;
  const keys = calls.map(({ call }) => call.key);
  if (table.sent !== undefined) {
    await worker.post({ op: 'table', name, calls: keys, columns: table.sent.columns });
    for (const text of table.sent.texts) await worker.post({ op: 'rows', text });
    return;
  }
  const hints = (kind?.kind === 'calls' && kind.columns) || {};
  const { columns, texts } = await tableText(
    calls.map(({ rows }) => rows),
    hints,
  );
  await worker.post({ op: 'table', name, calls: keys, columns });
  const sent: string[] = [];
  for await (const text of texts) {
    check();
    sent.push(text);
    await worker.post({ op: 'rows', text });
  }
  // Another round sends what came before it again.
  table.sent = { columns, texts: sent };
}

function readRows(text: string): JsonValue[][] {
  const rows: unknown = JSON.parse(text);
  if (!isRows(rows)) throw new TypeError('These are no rows.');
  return rows;
}

/** Rows that `JSON.parse` gave hold JSON values. */
function isRows(value: unknown): value is JsonValue[][] {
  return Array.isArray(value) && value.every((row) => Array.isArray(row));
}

function toRow(columns: readonly SqlColumn[], values: readonly JsonValue[]): ResultRow {
  return Object.fromEntries(columns.map(({ name }, index) => [name, values[index] ?? null]));
}
