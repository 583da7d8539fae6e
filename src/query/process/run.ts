/** Runs a statement over the tables that are loaded, as it was written. */
import type { EngineReply, Outcome, SentStatement, SqlColumn } from '../messages.ts';
import { type TableCall, type TableKind, unknownType } from '../provider.ts';
import { brokenTable, explainFailure, failureOf, type UsedTables } from './advice.ts';
import { answerOf, columnsOf } from './answer.ts';
import { Calls } from './calls.ts';
import { meaningsOf } from './columns.ts';
import { type Database, quoteName } from './database.ts';
import { findHints } from './hints/hints.ts';
import { type ReadStatement, readStatement } from './read.ts';
import { callMacro, clockMacros, fileTable, loadTable, viewMacro } from './tables.ts';

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
    const statement = await readStatement(database, sent);
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

  constructor(database: Database, sent: SentStatement, statement: ReadStatement) {
    this.#database = database;
    this.#sent = sent;
    this.#statement = statement;
    this.#calls = new Calls(statement.carried, sent.loaded);
    database.callNumber = (written) => this.#calls.numberOf(written);
  }

  async run(): Promise<Outcome> {
    const { sql, output, carried, named } = this.#statement;
    const shown = output.columns.map(({ name }) => name);
    const reads = [...carried.keys()];
    const needs = (calls: readonly TableCall[], open: readonly string[] = []): Outcome => {
      return { kind: 'needs', shown, named, reads, calls, open };
    };
    const isFirst = this.#sent.loaded.size === 0;
    await this.#makeTables();
    const open = this.#open.filter((name) => !this.#showsColumns(name));
    let columns: SqlColumn[];
    try {
      // A view is read with all its columns.
      if (open.length === 0) await this.#makeViews();
      const calls = isFirst ? await this.#knownCalls(open.length === 0) : [];
      if (calls.length + open.length > 0) return needs(calls, open);
      columns = await columnsOf(this.#database, sql);
    } catch (error) {
      // Rows need not show every column, nor a value in each.
      if (this.#open.length === 0 || failureOf(error).type !== 'Binder') throw error;
      return needs([], this.#open);
    }
    const answer = await answerOf(this.#database, sql, columns, this.#sent);
    const asked = this.#calls.take();
    if (asked.length === 0) return { kind: 'answer', ...answer, ...(await this.#about(columns)) };
    // What waits for these calls was asked for without their rows: it will be asked for again.
    const first = reads.find((name) => asked.some(({ table }) => table === name));
    return needs(asked.filter(({ table }) => table === first));
  }

  /** The tables that the statement reads, for the error of a column that is not there. */
  async usedTables(): Promise<UsedTables> {
    const used = new Map<string, SqlColumn[]>();
    for (const name of this.#statement.carried.keys()) {
      const columns = await columnsOf(this.#database, `FROM ${quoteName(name)}`).catch(() => []);
      if (columns.length > 0) used.set(name, columns);
    }
    return used;
  }

  /** What is said of an answer with these columns. */
  async #about(columns: readonly SqlColumn[]) {
    const { query, output, carried, isOrdered, limit } = this.#statement;
    const startedMs = performance.now();
    const hints = [
      ...this.#calls.withoutValue(),
      ...(await findHints(this.#database, query, this.#sent)),
    ];
    const hintsMs = performance.now() - startedMs;
    const tables = [...carried.keys()];
    return { columns: meaningsOf(output, columns), hints, hintsMs, isOrdered, limit, tables };
  }

  /**
   * Makes tables of files, of what is loaded, else of the columns that are known before, and those they carry,
   * and the macros that give their rows.
   */
  async #makeTables(): Promise<void> {
    const { tables, loaded, nowMs, sql } = this.#sent;
    const { carried, views } = this.#statement;
    const texts = [sql, ...[...views.values()].map((view) => view.sql)];
    await this.#database.run(clockMacros(nowMs, texts.join()));
    const macros: string[] = [];
    for (const [name, args] of carried) {
      const kind = tables.get(name);
      if (kind?.kind === 'file')
        await this.#database.run(fileTable(name, kind)).catch((error: unknown) => {
          throw brokenTable(name, error);
        });
      if (kind?.kind !== 'calls') continue;
      const known = loaded.get(name) ?? { columns: Object.entries(kind.columns ?? {}), texts: [] };
      const has = new Set(known.columns.map(([column]) => column.toLowerCase()));
      const own = [...args].filter((arg) => !has.has(arg.toLowerCase()));
      const added = own.map((arg) => [arg, dayArguments.test(arg) ? 'DATE' : unknownType] as const);
      const columns = [...known.columns, ...added];
      await loadTable(this.#database, name, { ...known, columns });
      const unknown = columns.filter(([, type]) => type === unknownType);
      macros.push(
        ...callMacro(
          name,
          kind,
          unknown.map(([column]) => column),
        ),
      );
    }
    await this.#database.run(macros);
  }

  /** Makes the macros of views, each after those that it is made of. */
  async #makeViews(): Promise<void> {
    const macros = [...this.#statement.views].map(([name, view]) => viewMacro(name, view));
    await this.#database.run(macros.flat());
  }

  /** The open tables that it reads. */
  get #open(): string[] {
    const isOpen = (kind?: TableKind) => kind?.kind === 'calls' && kind.isOpen === true;
    return [...this.#statement.carried.keys()].filter((it) => isOpen(this.#sent.tables.get(it)));
  }

  /** Whether rows of a table show its columns, be it with the calls that are known. */
  #showsColumns(name: string): boolean {
    const { loaded } = this.#sent;
    if (loaded.size > 0) return (loaded.get(name)?.texts.length ?? 0) > 0;
    return this.#statement.references.some((it) => it.table === name && it.known !== undefined);
  }

  /** The calls whose arguments are constants, each once; of views where their columns are known. */
  async #knownCalls(withViews: boolean): Promise<TableCall[]> {
    const { references, views } = this.#statement;
    for (const { table, known } of references)
      if (known !== undefined && (withViews || !views.has(table)))
        await this.#database.rows(`SELECT count(*) FROM (FROM ${known})`);
    return this.#calls.take().map((call) => {
      const [only, ...others] = references.filter(({ table }) => table === call.table);
      const { atMost, isExistence } = others.length === 0 && only ? only : {};
      return {
        ...call,
        ...(atMost !== undefined && { atMost }),
        ...(isExistence && { isExistence }),
      };
    });
  }
}
