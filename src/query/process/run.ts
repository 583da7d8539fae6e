/** Runs a statement over the tables that are loaded, as it was written. */
import type { Outcome, SentStatement, SqlColumn } from '../messages.ts';
import type { ColumnFacts, TableCall } from '../provider.ts';
import { failureOf, missingColumn, type NamedColumns } from './advice.ts';
import { columnsOf, writeAnswer } from './answer.ts';
import { Calls } from './calls.ts';
import { meaningsOf } from './columns.ts';
import { Database, quoteName } from './database.ts';
import { findHints } from './hints/hints.ts';
import { loadTable } from './load.ts';
import { callMacro, clockMacros, fileTable, viewMacro } from './macros.ts';
import { OpenTables } from './open-tables.ts';
import { type ReadStatement, readStatement, type TableReference } from './read.ts';

/** Most columns that are taken on trust because the statement names them. */
const maxGuesses = 200;

export class StatementRun {
  readonly #database: Database;
  readonly #sent: SentStatement;
  readonly #statement: ReadStatement;
  readonly #calls: Calls;
  readonly #open: OpenTables;

  private constructor(
    database: Database,
    sent: SentStatement,
    statement: ReadStatement,
    calls: Calls,
  ) {
    this.#database = database;
    this.#sent = sent;
    this.#statement = statement;
    this.#calls = calls;
    this.#open = new OpenTables(database, statement.sql);
  }

  /** @throws {QueryError} for a statement that may not run */
  static async open(sent: SentStatement): Promise<StatementRun> {
    const calls = new Calls();
    const database = await Database.open(sent, (key) => calls.numberOf(key));
    try {
      const statement = await readStatement(database, sent.sql, sent.tables);
      const files = [...statement.carried.keys()].flatMap((name) => {
        const kind = sent.tables.get(name);
        return kind?.kind === 'file' ? fileTable(name, kind) : [];
      });
      await database.lock([...clockMacros(sent.nowMs), ...files]);
      return new StatementRun(database, sent, statement, calls);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  async run(send: (rows: string) => Promise<void>): Promise<Outcome> {
    const { sql, output, carried, named } = this.#statement;
    const needed = { kind: 'needs', shown: output.columns.map(({ name }) => name), named } as const;
    for (const [name, args] of carried) await this.#makeTable(name, args);
    await this.#define();
    if (this.#sent.loaded.length === 0) {
      const calls = await this.#knownCalls();
      if (calls.length > 0) return { ...needed, calls };
    }
    const columns = await this.#columnsOfAnswer();
    const more = await writeAnswer(this.#database, sql, columns, this.#sent, send);
    const asked = this.#calls.take();
    if (asked.length === 0) return this.#end(columns, more);
    // What waits for these calls was asked for without their rows: it will be asked for again.
    const first = [...carried.keys()].find((name) => asked.some(({ table }) => table === name));
    const calls = asked.filter(({ table }) => table === first).map((call) => this.#carrying(call));
    return { ...needed, calls };
  }

  /** The columns of the tables that the statement reads, for the error of a column that is not there. */
  async usedColumns(): Promise<NamedColumns[]> {
    const used: NamedColumns[] = [];
    for (const name of this.#statement.carried.keys()) {
      const found = await columnsOf(this.#database, `FROM ${quoteName(name)}`).catch(() => []);
      const columns = found.filter((column) => !this.#open.guesses.has(column.name));
      if (columns.length > 0) used.push({ name, columns });
    }
    return used;
  }

  interrupt(): void {
    this.#database.connection.interrupt();
  }

  close(): void {
    this.#database.close();
  }

  async #end(columns: readonly SqlColumn[], more: boolean): Promise<Outcome> {
    const { query, output, carried, isOrdered, limit } = this.#statement;
    const facts = new Map<string, ColumnFacts | undefined>();
    for (const { name } of this.#sent.loaded) {
      const kind = this.#sent.tables.get(name);
      facts.set(name, kind?.kind === 'calls' ? kind.facts : undefined);
    }
    const startedMs = performance.now();
    const hints = await findHints(this.#database, query, facts);
    const hintsMs = performance.now() - startedMs;
    const names = columns.map(({ name }) => name);
    const meanings = meaningsOf(output, names);
    return {
      kind: 'answer',
      columns: columns.map((column, index) => ({ kind: 'other', ...meanings[index], ...column })),
      more,
      hints,
      hintsMs,
      isOrdered,
      ...(limit !== undefined && { limit }),
      tables: [...carried.keys()],
    };
  }

  /** Makes a table of what is loaded, else of the columns that are known before, and those it carries. */
  async #makeTable(name: string, carried: ReadonlySet<string>): Promise<void> {
    const kind = this.#sent.tables.get(name);
    if (kind?.kind !== 'calls') return;
    const known = Object.entries(kind.columns ?? {});
    const loaded = this.#sent.loaded.find((table) => table.name === name);
    this.#calls.load(loaded?.calls ?? []);
    await loadTable(this.#database, name, loaded ?? { columns: known, unseen: [], texts: [] });
    for (const arg of carried) await this.#open.add(name, arg);
    if (!loaded || (loaded.texts.length === 0 && known.length === 0)) this.#open.names.add(name);
  }

  /** Makes the macros of tables, and of views over them. */
  async #define(): Promise<void> {
    const { carried, views } = this.#statement;
    const { tables } = this.#sent;
    const macros = [...carried.keys()].flatMap((name) => {
      const kind = tables.get(name);
      return kind?.kind === 'calls' ? callMacro(name, kind) : [];
    });
    for (const [name, { sql }] of views) macros.push(...viewMacro(name, sql, tables.get(name)));
    for (const macro of macros) await this.#database.rows(macro);
  }

  /** The calls whose arguments are constants, each once; of views as well. */
  async #knownCalls(): Promise<TableCall[]> {
    const { references, views } = this.#statement;
    for (const [name, view] of views) {
      const counts = knownTables(view.references).map((it) => `SELECT count(*) AS n FROM ${it}`);
      const probe = ['SELECT 0 AS n', ...counts].join(' UNION ALL ');
      for (const macro of viewMacro(probeName(name), probe, this.#sent.tables.get(name)))
        await this.#database.rows(macro);
    }
    for (const table of knownTables(references))
      await this.#database.rows(`SELECT count(*) FROM (FROM ${table})`);
    return this.#calls.take().map((call) => {
      const [only, ...others] = references.filter(({ table }) => table === call.table);
      const atMost = others.length === 0 ? only?.atMost : undefined;
      return { ...this.#carrying(call), ...(atMost !== undefined && { atMost }) };
    });
  }

  /** A call with the arguments whose values its rows carry. */
  #carrying(call: TableCall): TableCall {
    const carried = this.#statement.carried.get(call.table) ?? [];
    return { ...call, carried: [...new Set([...call.carried, ...carried])] };
  }

  /** The columns of the answer, once all that it names can be read. */
  async #columnsOfAnswer(): Promise<SqlColumn[]> {
    let first: unknown;
    for (let guesses = 0; ; guesses++) {
      try {
        return await columnsOf(this.#database, this.#statement.sql);
      } catch (error) {
        first ??= error;
        const failure = failureOf(error);
        const column = missingColumn(failure);
        const isMended = await this.#open.mend(failure, column);
        if (guesses === maxGuesses || !isMended) throw column === undefined ? first : error;
        await this.#define();
      }
    }
  }
}

/** The calls that are known, as SQL; of views, what stands for their calls. */
function knownTables(references: readonly TableReference[]): string[] {
  return references.flatMap(({ table, kind, known }) => {
    if (known === undefined || kind.kind === 'file') return [];
    return [`${quoteName(kind.kind === 'view' ? probeName(table) : table)}${known}`];
  });
}

function probeName(view: string): string {
  return `calls of ${view}`;
}
