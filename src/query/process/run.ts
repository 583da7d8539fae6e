/** Runs a statement over the tables that are loaded, as it was written. */
import { type EngineFailure, missingColumn, type NamedColumns } from '../advice/explain.ts';
import type { OpenedStatement, Outcome, SqlColumn } from '../messages.ts';
import type { TableCall } from '../provider.ts';
import { type ColumnType, callColumn } from '../rows/table-text.ts';
import { answer, columnsOf } from './answer.ts';
import { Calls } from './calls.ts';
import { type Database, openDatabase, type PreparedStatement, quoteName } from './database.ts';
import { failureOf } from './failure.ts';
import { findHints } from './hints/hints.ts';
import { Ingest, sqlType } from './ingest.ts';
import { beginnings, callMacro, viewMacro } from './macros.ts';
import { type ReadStatement, type ReadText, readStatement } from './read.ts';

/** Most columns that are taken on trust because the statement names them. */
const maxGuesses = 200;

/** The type of a column of which nothing is known: it is taken for almost anything. */
const anyType = 'VARIANT';

/** Types by the names of columns. */
type Columns = Map<string, string>;

export class StatementRun {
  readonly #database: Database;
  readonly #opened: OpenedStatement;
  readonly #statement: ReadStatement;
  readonly #calls: Calls;
  readonly #loaded = new Set<string>();
  #loading: Ingest | undefined;
  /** Columns of the tables that may yet have others. */
  readonly #open = new Map<string, Columns>();
  /** Columns that were taken on trust. */
  readonly #guesses = new Set<string>();

  private constructor(
    database: Database,
    opened: OpenedStatement,
    statement: ReadStatement,
    calls: Calls,
  ) {
    this.#database = database;
    this.#opened = opened;
    this.#statement = statement;
    this.#calls = calls;
  }

  /** @throws {QueryError} for a statement that may not run */
  static async open(opened: OpenedStatement): Promise<StatementRun> {
    const calls = new Calls();
    const database = await openDatabase(opened, (key) => calls.numberOf(key));
    try {
      const statement = await readStatement(database, opened.sql, opened.tables);
      await database.lock(beginnings(opened.nowMs, statement.tables, opened.tables));
      return new StatementRun(database, opened, statement, calls);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** The calls of a table that are loaded; their rows follow. */
  async table(
    name: string,
    calls: readonly string[],
    columns: readonly (readonly [string, ColumnType])[],
  ): Promise<void> {
    await this.#loading?.end();
    this.#loaded.add(name);
    this.#calls.load(calls);
    this.#loading = new Ingest(this.#database, name, columns);
  }

  async rows(text: string): Promise<void> {
    await this.#loading?.rows(text);
  }

  async run(send: (rows: string) => Promise<void>): Promise<Outcome> {
    await this.#loading?.end();
    const { isOrdered, output, shown, tables } = this.#statement;
    for (const { name, carried } of tables) await this.#openTable(name, carried);
    await this.#define();
    if (this.#loaded.size === 0) {
      const calls = await this.#knownCalls();
      if (calls.length > 0) return { kind: 'needs', calls, shown };
    }
    const prepared = await this.#prepare();
    const columns = columnsOf(prepared);
    prepared.destroySync();
    const { sql } = this.#statement;
    const more = await answer(this.#database, sql, columns, this.#opened, send);
    const asked = this.#calls.take();
    if (asked.length === 0) {
      const hints = await findHints(this.#database, sql, this.#opened.tables, this.#loaded);
      const names = tables.map(({ name }) => name);
      return { kind: 'answer', columns, more, hints, isOrdered, output, tables: names };
    }
    // What waits for these calls was asked for without their rows: it will be asked for again.
    const first = tables.find(({ name }) => asked.some(({ table }) => table === name))?.name;
    const calls = asked.filter(({ table }) => table === first).map((call) => this.#carrying(call));
    return { kind: 'needs', calls, shown };
  }

  /** The columns of the tables that the statement reads, for the error of a column that is not there. */
  async usedColumns(): Promise<NamedColumns[]> {
    const used: NamedColumns[] = [];
    for (const { name } of this.#statement.tables) {
      const found = await this.#columnsOf(quoteName(name)).catch((): SqlColumn[] => []);
      const columns = found.filter((column) => !this.#guesses.has(column.name));
      if (columns.length > 0) used.push({ name, columns });
    }
    return used;
  }

  interrupt(): void {
    this.#database.interrupt();
  }

  close(): void {
    this.#database.close();
  }

  /** Makes a table that is not loaded, of the columns that are known before any row is. */
  async #openTable(name: string, carried: readonly string[]): Promise<void> {
    const kind = this.#opened.tables.get(name);
    if (kind?.kind !== 'calls') return;
    const table = `loaded.${quoteName(name)}`;
    const known = Object.entries(kind.columns ?? {});
    const columns: Columns = new Map();
    if (!this.#loaded.has(name)) {
      for (const [column, type] of known) columns.set(column.toLowerCase(), sqlType(type));
      if (known.length === 0) columns.set('nothing', anyType);
      const typed = [...columns].map(([column, type]) => `${quoteName(column)} ${type}`);
      await this.#database.run(`CREATE TABLE ${table} (${[`${callColumn} INTEGER`, ...typed]})`);
      // A table without rows would keep its calls from being asked for.
      await this.#database.run(`INSERT INTO ${table} (${callColumn}) VALUES (-1)`);
      this.#open.set(name, columns);
    }
    const present = new Set((await this.#columnsOf(table)).map((it) => it.name.toLowerCase()));
    for (const arg of carried) if (!present.has(arg)) await this.#add(name, arg);
    const [[rows] = []] = await this.#database.rows(`SELECT count(*) - 1 FROM ${table}`);
    if (Number(rows) === 0 && known.length === 0) this.#open.set(name, columns);
  }

  async #add(table: string, column: string): Promise<void> {
    const added = `${quoteName(column)} ${anyType}`;
    await this.#database.run(`ALTER TABLE loaded.${quoteName(table)} ADD COLUMN ${added}`);
    this.#open.get(table)?.set(column.toLowerCase(), anyType);
  }

  async #columnsOf(table: string): Promise<SqlColumn[]> {
    const prepared = await this.#database.prepare(`FROM ${table}`);
    const columns = columnsOf(prepared);
    prepared.destroySync();
    return columns;
  }

  /** Makes the macros of tables, and of views over them. */
  async #define(): Promise<void> {
    const { tables, views } = this.#statement;
    for (const { name } of tables) {
      const kind = this.#opened.tables.get(name);
      if (kind?.kind === 'calls') await this.#runAll(callMacro(name, kind));
    }
    for (const [name, { sql }] of views) await this.#runAll(this.#viewMacro(name, sql));
  }

  #viewMacro(name: string, sql: string, as = name): string[] {
    const kind = this.#opened.tables.get(name);
    return viewMacro(as, sql, kind?.kind === 'view' ? kind.parameters : {});
  }

  async #runAll(statements: readonly string[]): Promise<void> {
    for (const sql of statements) await this.#database.run(sql);
  }

  /** The calls whose arguments are constants, each once; of views as well. */
  async #knownCalls(): Promise<TableCall[]> {
    const { sql, references, views } = this.#statement;
    for (const [name, view] of views) {
      const counts = knownTables(view).map((table) => `SELECT count(*) AS n FROM ${table}`);
      const probe = ['SELECT 0 AS n', ...counts].join(' UNION ALL ');
      await this.#runAll(this.#viewMacro(name, probe, probeName(name)));
    }
    const known = new Map<string, TableCall>();
    for (const table of knownTables({ sql, references }))
      await this.#database.rows(`SELECT count(*) FROM (FROM ${table})`);
    for (const call of this.#calls.take()) {
      const [only, ...others] = references.filter(({ table }) => table === call.table);
      const atMost = others.length === 0 ? only?.atMost : undefined;
      known.set(call.key, { ...this.#carrying(call), ...(atMost !== undefined && { atMost }) });
    }
    return [...known.values()];
  }

  /** A call with the arguments whose values its rows carry. */
  #carrying(call: TableCall): TableCall {
    const used = this.#statement.tables.find(({ name }) => name === call.table);
    return { ...call, carried: [...new Set([...call.carried, ...(used?.carried ?? [])])] };
  }

  /**
   * While rows are missing, columns are missing as well: those that the statement names are taken on
   * trust, and take another type where it cannot be read with the one they have.
   */
  async #prepare(): Promise<PreparedStatement> {
    let first: unknown;
    for (let guesses = 0; ; guesses++) {
      try {
        return await this.#database.prepare(this.#statement.sql);
      } catch (error) {
        first ??= error;
        const failure = failureOf(error);
        const column = missingColumn(failure);
        const isMended =
          column === undefined ? await this.#retyped(failure) : await this.#added(column);
        if (guesses === maxGuesses || !isMended) throw column === undefined ? first : error;
        await this.#define();
      }
    }
  }

  /** Adds a column to the tables that may yet have it. Gives whether there is one. */
  async #added(column: string): Promise<boolean> {
    const lacking = [...this.#open].filter(([, columns]) => !columns.has(column.toLowerCase()));
    for (const [table] of lacking) await this.#add(table, column);
    this.#guesses.add(column);
    return lacking.length > 0;
  }

  /** Gives the column that the engine stumbles over another type, where its type is not known. */
  async #retyped({ type, message, position = 0 }: EngineFailure): Promise<boolean> {
    if (type !== 'Binder') return false;
    const after = this.#statement.sql.slice(position).toLowerCase();
    const isList = /unnest/i.test(message);
    // Functions of days are the ones that must know what they are given.
    const wanted = isList ? `${anyType}[]` : 'TIMESTAMPTZ';
    const isNeeded = isList || message.startsWith('Could not choose a best candidate');
    const candidates = [...this.#open].flatMap(([table, columns]) =>
      [...columns].flatMap(([column, now]) => {
        const at = after.indexOf(column);
        const to = now !== anyType ? anyType : isNeeded ? wanted : now;
        return at === -1 || to === now || /^(VARIANT\[\]|TIMESTAMPTZ)$/.test(now)
          ? []
          : [{ table, column, at, to }];
      }),
    );
    const [nearest] = candidates.sort((a, b) => a.at - b.at);
    if (nearest === undefined) return false;
    const { table, column, to } = nearest;
    await this.#database.run(
      `ALTER TABLE loaded.${quoteName(table)} ALTER COLUMN ${quoteName(column)} TYPE ${to}`,
    );
    this.#open.get(table)?.set(column, to);
    return true;
  }
}

/** The calls of a text that are known, as SQL; of views, what stands for their calls. */
function knownTables({ references }: ReadText): string[] {
  return references.flatMap(({ table, kind, known }) => {
    if (known === undefined || kind.kind === 'file') return [];
    return [`${quoteName(kind.kind === 'view' ? probeName(table) : table)}${known}`];
  });
}

function probeName(view: string): string {
  return `calls of ${view}`;
}
