/** The SQL engine: one SELECT over a caller's tables, bounded in rows, memory and time. */
import type { JsonValue } from '../core/json.ts';
import { explainFailure, missingColumn, type UsedTable } from './advice/explain.ts';
import { QueryError } from './errors.ts';
import { type Output, readOutput } from './output-columns.ts';
import {
  type KeyedTable,
  openStatementDatabase,
  privatePrefix,
  type SelectedRows,
  type StatementDatabase,
} from './pool/database.ts';
import { engineEntry } from './pool/entry.ts';
import { createPool } from './pool/pool.ts';
import { type TimeLeft, withinTime } from './pool/time-limit.ts';
import { createTurns } from './pool/turns.ts';
import { EngineError, startWorker } from './pool/worker.ts';
import type { SqlColumn } from './protocol/messages.ts';
import type { TableProvider } from './provider.ts';
import { readTree } from './read-tree.ts';
import { valuesOf } from './statement/argument-values.ts';
import { isOrdered } from './statement/ordered.ts';
import { createPlan, type Plan, type PlannedTable } from './statement/plan.ts';
import { shownColumns } from './statement/shown-columns.ts';

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
  /** Whether callers are told apart: each then leaves one place to the others. @default false */
  isShared?: boolean;
  /** Statements that may wait for their turn. @default 32 */
  maxWaiting?: number;
  /** Longest statement, in characters. @default 50000 */
  maxLength?: number;
  /** Most text of an answer, as JSON, in characters. @default 32 million */
  maxBytes?: number;
  /** A process that nobody used for so long is ended. @default 60000 */
  idleMs?: number;
  /** Milliseconds of a clock that never jumps. */
  now?: () => number;
}

/** One statement to run. */
export interface Statement {
  sql: string;
  /** Whose it is: callers take turns, and share no table. */
  caller: string;
  provider: TableProvider;
  /** So many rows are answered; more are said to be there. */
  maxRows: number;
  signal: AbortSignal;
}

/** A row by the names of the columns. */
export type ResultRow = Record<string, JsonValue>;

export interface QueryResult {
  columns: readonly SqlColumn[];
  rows: readonly ResultRow[];
  /** There are more rows than these, beyond `maxRows` or the most text of an answer. */
  more: boolean;
  /** The statement says in which order the rows stand. */
  isOrdered: boolean;
  /** What its tree says of the answer's columns. */
  output: Output;
  /** Milliseconds that the engine worked on it, its tables' way in included. */
  computedMs: number;
}

export interface QueryEngine {
  /**
   * Runs one SELECT. Tables are asked of the provider in rounds, while no place at the engine is held.
   * @throws {QueryError} for everything that is wrong with the statement or its running
   * @throws what the provider throws, as it is
   */
  run(statement: Statement): Promise<QueryResult>;
  /** The ids of the engine's processes that run now. */
  processIds(): number[];
  /** Ends all processes. */
  close(): Promise<void>;
}

/** Resident memory that a process takes beyond its database: Node, the engine's code, rows on their way. */
const overheadMb = 512;

/** Most values of one argument. */
const maxValues = 100_000;

/** An engine that has not started any process yet. */
export function createQueryEngine(options: QueryEngineOptions = {}): QueryEngine {
  const { memoryMb = 512, seconds = 30, threads = 2, atOnce = 2, maxWaiting = 32 } = options;
  const ownAtOnce = options.isShared === true ? Math.max(1, atOnce - 1) : atOnce;
  const { maxLength = 50_000, maxBytes = 32_000_000, idleMs = 60_000, patienceMs = 2000 } = options;
  const { entry = engineEntry(), now = () => performance.now() } = options;
  const pool = createPool({
    turns: createTurns({ atOnce, ownAtOnce, maxWaiting }),
    idleMs,
    start() {
      if (entry === undefined)
        throw new QueryError('engine_unavailable', 'The query engine is not installed.');
      return startWorker({ entry, mostMemoryMb: memoryMb + overheadMb });
    },
  });
  let statements = 0;

  async function run({ sql, caller, provider, maxRows, signal }: Statement): Promise<QueryResult> {
    if (sql.length > maxLength) {
      throw new QueryError(
        'too_long',
        `The statement has ${sql.length} characters; ${maxLength} is the most.`,
      );
    }
    const number = ++statements;
    const left: TimeLeft = { ms: seconds * 1000, limitMs: seconds * 1000, patienceMs };
    const used = new Map<string, UsedTable>();
    const tables: KeyedTable[] = [];

    /** One stay at the engine. */
    async function visit<Result>(
      work: (database: StatementDatabase) => Promise<Result>,
    ): Promise<Result> {
      return pool.use(caller, signal, async (seat) => {
        await seat.worker.started;
        return withinTime(seat.worker, left, signal, now, async (check) => {
          const onColumns = (id: string, columns: readonly SqlColumn[]) => {
            const table = used.get(id);
            if (table !== undefined) table.columns = columns;
          };
          try {
            return await work(
              await openStatementDatabase(seat, caller, { memoryMb, threads, check, onColumns }),
            );
          } catch (error) {
            // After these nothing that the database holds is worth keeping.
            if (error instanceof EngineError && isBroken(error)) seat.owner = undefined;
            throw error;
          }
        });
      });
    }

    async function load(planned: readonly PlannedTable[], shown: readonly string[]): Promise<void> {
      const loaded = await provider.load(
        planned.map(({ request }) => request),
        signal,
        shown,
      );
      planned.forEach(({ id, request }, index) => {
        const table = loaded[index];
        if (table === undefined) throw new TypeError(`No table was loaded for ${request.name}.`);
        used.set(id, { name: request.name, columns: [] });
        const key = table.key ?? `${privatePrefix}${number} ${id}`;
        tables.push({ id, key, table });
      });
    }

    /** Computes what can be computed: the tables that are wanted next, or the answer. */
    async function advance(
      plan: Plan,
      database: StatementDatabase,
    ): Promise<SelectedRows | readonly PlannedTable[]> {
      for (const question of plan.questions()) {
        const answer = await database.select(question.query, tables, {
          maxRows: maxValues,
          maxBytes,
        });
        plan.answer(question, valuesOf(question, answer));
      }
      const wanted = plan.requests();
      if (wanted.length > 0) return wanted;
      if (!plan.isComplete()) {
        throw new QueryError('bad_argument', 'The arguments of two tables depend on each other.');
      }
      for (;;) {
        try {
          return await database.select(plan.query, tables, { maxRows, maxBytes });
        } catch (error) {
          const missing = error instanceof EngineError ? missingColumn(error.failure) : undefined;
          if (missing === undefined || !plan.mend(missing)) throw error;
        }
      }
    }

    try {
      const [plan, form, first] = await visit(async (database) => {
        const query = readTree(sql, await database.parse(sql));
        const form = {
          isOrdered: isOrdered(query),
          shown: shownColumns(query),
          output: readOutput(query),
        };
        const made = createPlan(query, provider);
        return [made, form, await advance(made, database)] as const;
      });
      let outcome = first;
      while (!('rows' in outcome)) {
        await load(outcome, form.shown);
        outcome = await visit((database) => advance(plan, database));
      }
      const { columns, rows, more } = outcome;
      return {
        columns,
        rows: rows.map((row) => toRow(columns, row)),
        more,
        isOrdered: form.isOrdered,
        output: form.output,
        computedMs: left.limitMs - left.ms,
      };
    } catch (error) {
      throw error instanceof EngineError
        ? explainFailure(sql, error.failure, [...used.values()], provider)
        : error;
    }
  }

  return {
    run,
    processIds: pool.processIds,
    async close() {
      pool.close();
    },
  };
}

function isBroken({ failure }: EngineError): boolean {
  return ['Out of Memory', 'INTERNAL', 'Fatal', 'FATAL'].includes(failure.type);
}

function toRow(columns: readonly SqlColumn[], values: readonly JsonValue[]): ResultRow {
  return Object.fromEntries(columns.map(({ name }, index) => [name, values[index] ?? null]));
}
