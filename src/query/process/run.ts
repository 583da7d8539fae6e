/** Runs a statement over the tables that are loaded, as it was written. */
import type { EngineReply, Outcome, SentStatement, SqlColumn } from '../messages.ts';
import type { TableCall } from '../provider.ts';
import { callColumn } from '../table-text.ts';
import {
  brokenTable,
  type EngineFailure,
  explainFailure,
  failureOf,
  missingColumn,
  type UsedTables,
} from './advice.ts';
import { answerOf, columnsOf } from './answer.ts';
import { Calls } from './calls.ts';
import { meaningsOf } from './columns.ts';
import { type Database, quoteName } from './database.ts';
import { findHints } from './hints/hints.ts';
import { type ReadStatement, readStatement } from './read.ts';
import { callMacro, clockMacros, fileTable, loadTable, viewMacro } from './tables.ts';

/** The type of a column of which nothing is known: it is taken for almost anything. */
const anyType = 'VARIANT';

/** Arguments whose values are days, which functions of days must know. */
const dayArguments = /^(date|from|to)$/;

/** Runs a statement over tables of its own. */
export async function runStatement(
  open: () => Promise<Database>,
  sent: SentStatement,
): Promise<EngineReply> {
  let database: Database | undefined;
  let run: StatementRun | undefined;
  try {
    database = await open();
    await database.begin();
    const statement = await readStatement(database, sent.sql, sent.tables);
    run = new StatementRun(database, sent, statement);
    return await run.run();
  } catch (error) {
    const used = (await run?.usedTables()) ?? new Map();
    const { code, message } = explainFailure(sent.sql, error, used, sent.tables);
    return { kind: 'failed', code, message };
  } finally {
    await database?.end();
  }
}

class StatementRun {
  readonly #database: Database;
  readonly #sent: SentStatement;
  readonly #statement: ReadStatement;
  readonly #calls: Calls;
  /** Tables whose columns are not known while they have no rows, and those that were taken on trust. */
  readonly #open = new Set<string>();
  readonly #guesses = new Set<string>();

  constructor(database: Database, sent: SentStatement, statement: ReadStatement) {
    this.#database = database;
    this.#sent = sent;
    this.#statement = statement;
    this.#calls = new Calls(statement.carried, sent.loaded);
    database.callNumber = (written) => this.#calls.numberOf(written);
  }

  async run(): Promise<Outcome> {
    const { sql, output, carried, named } = this.#statement;
    const needed = { kind: 'needs', shown: output.columns.map(({ name }) => name), named } as const;
    await this.#makeTables();
    await this.#define();
    if (this.#sent.loaded.size === 0) {
      const calls = await this.#knownCalls();
      if (calls.length > 0) return { ...needed, calls };
    }
    const columns = await this.#guessing(sql, () => columnsOf(this.#database, sql));
    const answer = await answerOf(this.#database, sql, columns, this.#sent);
    const asked = this.#calls.take();
    if (asked.length === 0) return { kind: 'answer', ...answer, ...(await this.#about(columns)) };
    // What waits for these calls was asked for without their rows: it will be asked for again.
    const first = [...carried.keys()].find((name) => asked.some(({ table }) => table === name));
    return { ...needed, calls: asked.filter(({ table }) => table === first) };
  }

  /** The tables that the statement reads, for the error of a column that is not there. */
  async usedTables(): Promise<UsedTables> {
    const used = new Map<string, SqlColumn[]>();
    for (const name of this.#statement.carried.keys()) {
      const found = await columnsOf(this.#database, `FROM ${quoteName(name)}`).catch(() => []);
      const columns = found.filter((column) => !this.#guesses.has(column.name));
      if (columns.length > 0) used.set(name, columns);
    }
    return used;
  }

  /** What is said of an answer with these columns. */
  async #about(columns: readonly SqlColumn[]) {
    const { query, output, carried, isOrdered, limit } = this.#statement;
    const startedMs = performance.now();
    const hints = await findHints(this.#database, query, this.#sent);
    const hintsMs = performance.now() - startedMs;
    const tables = [...carried.keys()];
    return { columns: meaningsOf(output, columns), hints, hintsMs, isOrdered, limit, tables };
  }

  /** Makes tables of files, of what is loaded, else of the columns that are known before, and those they carry. */
  async #makeTables(): Promise<void> {
    const { tables, loaded, nowMs, sql } = this.#sent;
    const texts = [sql, ...[...this.#statement.views.values()].map((view) => view.sql)];
    await this.#database.run(clockMacros(nowMs, texts.join()));
    for (const [name, carried] of this.#statement.carried) {
      const kind = tables.get(name);
      if (kind?.kind === 'file')
        await this.#database.run(fileTable(name, kind)).catch((error: unknown) => {
          throw brokenTable(name, error);
        });
      if (kind?.kind !== 'calls') continue;
      const table = loaded.get(name);
      const columns = Object.entries(kind.columns ?? {});
      await loadTable(this.#database, name, table ?? { columns, texts: [] });
      if (table === undefined || table.texts.length + columns.length === 0) this.#open.add(name);
      for (const arg of carried)
        await this.#addColumn(name, arg, dayArguments.test(arg) ? 'DATE' : anyType);
    }
  }

  async #addColumn(table: string, column: string, type = anyType): Promise<void> {
    const added = `ADD COLUMN IF NOT EXISTS ${quoteName(column)} ${type}`;
    await this.#database.rows(`ALTER TABLE loaded.${quoteName(table)} ${added}`);
  }

  /** Makes the macros of tables, and of views over them. */
  async #define(): Promise<void> {
    const { carried, views } = this.#statement;
    const { tables } = this.#sent;
    const macros = [...carried.keys()].flatMap((name) => {
      const kind = tables.get(name);
      return kind?.kind === 'calls' ? callMacro(name, kind) : [];
    });
    for (const [name, view] of views) macros.push(...viewMacro(name, view));
    await this.#database.run(macros);
  }

  /** The calls whose arguments are constants, each once; of views as well. */
  async #knownCalls(): Promise<TableCall[]> {
    const { references } = this.#statement;
    for (const { known } of references) {
      if (known === undefined) continue;
      const counting = `SELECT count(*) FROM (FROM ${known})`;
      await this.#guessing(counting, () => this.#database.rows(counting));
    }
    return this.#calls.take().map((call) => {
      const [only, ...others] = references.filter(({ table }) => table === call.table);
      const atMost = others.length === 0 ? only?.atMost : undefined;
      return { ...call, ...(atMost !== undefined && { atMost }) };
    });
  }

  /** Has the engine work on a query. Columns that open tables may have are taken on trust. */
  async #guessing<Result>(sql: string, work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const failure = failureOf(error);
        const column = missingColumn(failure);
        const isMended = column ? await this.#trust(column) : await this.#retype(failure, sql);
        if (!isMended) throw error;
        await this.#define();
      }
    }
  }

  /** Gives all open tables a column. */
  async #trust(column: string): Promise<boolean> {
    if (this.#guesses.has(column) || this.#open.size === 0) return false;
    this.#guesses.add(column);
    for (const table of this.#open) await this.#addColumn(table, column);
    return true;
  }

  /** Gives the column over which the engine stumbles, in a table that is open, a type with which it can be read. */
  async #retype({ type, message, position }: EngineFailure, sql: string): Promise<boolean> {
    const after = sql.slice(position).toLowerCase();
    // Functions of days, and `unnest`, are the ones that must know what they are given.
    const isOfDays = message.startsWith('Could not choose a best candidate');
    const wanted = /unnest/i.test(message) ? `${anyType}[]` : isOfDays && 'TIMESTAMPTZ';
    let nearest = { at: Number.POSITIVE_INFINITY, change: '' };
    for (const table of type === 'Binder' ? this.#open : []) {
      const loaded = `loaded.${quoteName(table)}`;
      for (const [column, now] of await this.#database.rows(`DESCRIBE ${loaded}`)) {
        const name = String(column);
        const at = after.indexOf(name.toLowerCase());
        const to = now === anyType ? wanted : anyType;
        const isLast = /^(VARIANT\[\]|TIMESTAMP WITH TIME ZONE)$/.test(String(now));
        const change = `ALTER TABLE ${loaded} ALTER COLUMN ${quoteName(name)} TYPE ${to}`;
        if (name !== callColumn && at !== -1 && at < nearest.at && to && !isLast)
          nearest = { at, change };
      }
    }
    if (nearest.change !== '') await this.#database.rows(nearest.change);
    return nearest.change !== '';
  }
}
