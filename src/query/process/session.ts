/** Carries out the server's commands, one after the other, each statement on a database of its own. */
import { explainFailure } from '../advice/explain.ts';
import { QueryError } from '../errors.ts';
import type {
  DatabaseLimits,
  EngineCommand,
  EngineReply,
  ReadStatement,
  Tables,
} from '../messages.ts';
import { Calls } from './calls.ts';
import { type Database, openDatabase } from './database.ts';
import { failureOf } from './failure.ts';
import { createIngest, type Ingest } from './ingest.ts';
import { beginnings } from './macros.ts';
import { knownCalls, readStatement } from './read.ts';
import { StatementRun } from './run.ts';

/** Sends a message to the server; resolves when it takes more. */
export type Send = (reply: EngineReply) => Promise<void>;

/** An interrupt between two steps of a statement has no effect: it is repeated until one has. */
const interruptEveryMs = 10;

export class Session {
  #send: Send;
  #database: Database | undefined;
  #calls = new Calls();
  #sql = '';
  #tables: Tables = new Map();
  #run: StatementRun | undefined;
  #statement: ReadStatement | undefined;
  #loaded = new Set<string>();
  #ingest: Ingest | undefined;
  /** Rows are not answered one by one: an error in them is thrown when the statement runs. */
  #loadError: unknown;
  #isInterrupted = false;
  #interruptions: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(send: Send) {
    this.#send = send;
  }

  take(command: EngineCommand): void {
    if (command.op === 'interrupt') {
      this.#isInterrupted = true;
      this.#interruptions ??= setInterval(() => this.#database?.interrupt(), interruptEveryMs);
      return;
    }
    // An interrupt that came too late must not end the next statement.
    if (command.op === 'read' || command.op === 'open') this.#endInterruption();
    this.#last = this.#last.then(async () => {
      try {
        await this.#carryOut(command);
      } catch (error) {
        const isLoading = command.op === 'open' || command.op === 'table' || command.op === 'rows';
        if (isLoading) this.#loadError ??= error;
        else await this.#fail(error);
      }
      if (command.op === 'read' || command.op === 'run') this.#endInterruption();
    });
  }

  async #carryOut(command: EngineCommand): Promise<void> {
    if (command.op === 'read') {
      this.#sql = command.sql;
      await this.#open(
        command,
        beginnings(command.nowMs, command.tables, { ...command, tables: [] }),
      );
      const database = this.#given();
      const { statement, readings } = await readStatement(database, command.sql, command.tables);
      this.#statement = statement;
      const calls = await knownCalls(database, this.#calls, readings, command.tables);
      return this.#send({ kind: 'read', statement, calls });
    }
    if (command.op === 'open') {
      this.#loadError = undefined;
      const { statement, nowMs, tables } = command;
      this.#sql = statement.sql;
      this.#statement = statement;
      return this.#open(command, beginnings(nowMs, tables, statement));
    }
    if (this.#loadError !== undefined) {
      if (command.op === 'run') throw this.#loadError;
      return;
    }
    if (command.op === 'rows') return this.#ingest?.rows(command.text);
    await this.#ingest?.end();
    this.#ingest = undefined;
    if (command.op === 'table') {
      this.#loaded.add(command.name);
      this.#calls.load(command.calls);
      this.#ingest = createIngest(this.#given(), command.name, command.columns);
    } else if (command.op === 'run' && this.#statement !== undefined) {
      this.#run = new StatementRun(this.#given(), this.#statement, this.#tables, this.#loaded);
      const outcome = await this.#run.run(this.#calls, command.limits, (text) => {
        if (this.#isInterrupted) throw new Error('Interrupted.');
        return this.#send({ kind: 'rows', text });
      });
      await this.#send(outcome);
    }
  }

  #given(): Database {
    if (this.#isInterrupted) throw new Error('Interrupted.');
    if (this.#database === undefined) throw new Error('No database is open.');
    return this.#database;
  }

  async #open(
    { limits, tables }: { limits: DatabaseLimits; tables: Tables },
    beginnings: readonly string[],
  ): Promise<void> {
    this.#database?.close();
    this.#database = undefined;
    this.#calls = new Calls();
    this.#tables = tables;
    this.#loaded = new Set();
    this.#run = undefined;
    this.#ingest = undefined;
    this.#database = await openDatabase(limits, (key) => this.#calls.numberOf(key), beginnings);
  }

  async #fail(error: unknown): Promise<void> {
    const failure = failureOf(error);
    const used = (await this.#run?.usedColumns().catch(() => [])) ?? [];
    const { code, message } =
      error instanceof QueryError ? error : explainFailure(this.#sql, failure, used, this.#tables);
    await this.#send({ kind: 'failed', code, message });
  }

  #endInterruption(): void {
    this.#isInterrupted = false;
    clearInterval(this.#interruptions);
    this.#interruptions = undefined;
  }
}
