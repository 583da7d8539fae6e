/** Runs a statement over the tables that are loaded, as it was written. */
import { type EngineFailure, missingColumn } from '../advice/explain.ts';
import { QueryError } from '../errors.ts';
import type { AnswerLimits, ReadStatement, SqlColumn, Tables, UsedTable } from '../messages.ts';
import type { TableCall, TableKind, TypeHints } from '../provider.ts';
import { callColumn, hintedType } from '../rows/table-text.ts';
import { answer, columnsOf } from './answer.ts';
import type { Calls } from './calls.ts';
import { type Database, type PreparedStatement, quoteName } from './database.ts';
import { failureOf } from './failure.ts';
import { findHints } from './hints/hints.ts';
import { emptyType } from './ingest.ts';
import { callMacro, callName, noColumn, viewMacro } from './macros.ts';
import { withPath } from './text.ts';

/** What a run gave: rows that were sent, or the calls without which they are not right. */
export type Outcome =
  | { kind: 'answer'; columns: readonly SqlColumn[]; more: boolean; hints: readonly string[] }
  | { kind: 'needs'; calls: readonly TableCall[] };

/** A table as far as it is loaded. */
interface Table {
  name: string;
  kind: Extract<TableKind, { kind: 'calls' }>;
  /** Columns that rows may have and those loaded lack, by name. */
  more: Map<string, string>;
  /** Whether rows that are loaded have any. */
  hasColumns: boolean;
  /** Whether rows may come that have columns of which nothing is known. */
  isOpen: boolean;
}

/** Most columns that are taken on trust because the statement names them. */
const maxGuesses = 200;

export class StatementRun {
  #database: Database;
  #statement: ReadStatement;
  #sql: string;
  #tables: Tables;
  #loaded: ReadonlySet<string>;
  /** Columns that were taken on trust. */
  #guesses = new Set<string>();

  /** @param loaded names of the tables of which rows, or empty answers, are loaded */
  constructor(
    database: Database,
    statement: ReadStatement,
    tables: Tables,
    loaded: ReadonlySet<string>,
  ) {
    this.#database = database;
    this.#statement = statement;
    this.#sql = statement.sql;
    this.#tables = tables;
    this.#loaded = loaded;
  }

  async run(
    calls: Calls,
    limits: AnswerLimits,
    send: (rows: string) => Promise<void>,
  ): Promise<Outcome> {
    const tables = await this.#open();
    const prepared = await this.#prepare(tables);
    const columns = columnsOf(prepared);
    prepared.destroySync();
    const more = await answer(this.#database, this.#sql, columns, limits, send);
    const asked = calls.take();
    if (asked.length === 0) {
      await this.#refuseGuessed(tables);
      const hints = await findHints(this.#database, this.#sql, this.#tables, this.#loaded);
      return { kind: 'answer', columns, more, hints };
    }
    // What waits for other calls was asked for without their rows: it will be asked for again.
    const levels = new Map(this.#statement.tables.map(({ name, level }) => [name, level]));
    const first = Math.min(...asked.map(({ table }) => levels.get(table) ?? 0));
    return { kind: 'needs', calls: asked.filter(({ table }) => levels.get(table) === first) };
  }

  /** The columns of the tables that the statement reads, for the error of a column that is not there. */
  async usedColumns(): Promise<{ name: string; columns: SqlColumn[] }[]> {
    const used: { name: string; columns: SqlColumn[] }[] = [];
    for (const { name } of this.#statement.tables) {
      const prepared = await this.#database
        .prepare(`FROM ${quoteName(name)}`)
        .catch(() => undefined);
      const found = prepared ? columnsOf(prepared) : [];
      const columns = found.filter((column) => !this.#guesses.has(column.name));
      if (columns.length > 0) used.push({ name, columns });
    }
    return used;
  }

  /**
   * Makes the macros. While rows are missing, columns are missing as well: those that the statement
   * names are taken on trust, as nulls of no type.
   */
  async #prepare(tables: readonly Table[]): Promise<PreparedStatement> {
    let first: unknown;
    for (let guesses = 0; ; guesses++) {
      try {
        await this.#define(tables);
        return await this.#database.prepare(this.#sql);
      } catch (error) {
        first ??= error;
        const failure = failureOf(error);
        const column = missingColumn(failure);
        const isMended =
          column === undefined
            ? untyped(tables, failure, this.#sql)
            : this.#opened(column) || added(tables, column, this.#sql);
        if (column !== undefined) this.#guesses.add(column);
        if (guesses === maxGuesses || !isMended) throw column === undefined ? first : error;
      }
    }
  }

  /** What is computed of nulls without a type, the engine knows beforehand, and asks for no call. */
  async #refuseGuessed(tables: readonly Table[]): Promise<void> {
    const guessed = tables.filter(
      ({ name, more }) => !this.#loaded.has(name) && [...more.values()].some(isUntyped),
    );
    // A description needs no rows.
    if (guessed.length === 0 || /^\s*describe\b/i.test(this.#sql)) return;
    const plan = String(await this.#database.rows(`EXPLAIN (FORMAT json) ${this.#sql}`));
    for (const { name } of guessed) {
      if (plan.includes(callName(name))) continue;
      throw new QueryError(
        'bad_statement',
        `The columns of ${name} are not known before it is read, and this statement cannot tell without them what to read. Read ${name} with constant arguments, or put what is computed from it in a further step.`,
      );
    }
  }

  /** Takes a name with dots, which is no column's, for the way into an object. */
  #opened(column: string): boolean {
    if (!column.includes('.')) return false;
    const before = this.#sql;
    this.#sql = withPath(before, column);
    return this.#sql !== before;
  }

  async #open(): Promise<Table[]> {
    const tables: Table[] = [];
    for (const { name, carried } of this.#statement.tables) {
      const kind = this.#tables.get(name);
      if (kind?.kind !== 'calls') continue;
      const { columns = {} } = kind;
      const table = `loaded.${quoteName(name)}`;
      const isLoaded = this.#loaded.has(name);
      if (!isLoaded) {
        await this.#database.run(`CREATE TABLE ${table} (${callColumn} INTEGER)`);
        await this.#database.run(`INSERT INTO ${table} VALUES (-1)`);
      }
      const [[rows] = []] = await this.#database.rows(`SELECT count(*) - 1 FROM ${table}`);
      const isEmpty = Number(rows) === 0;
      const more = isLoaded ? new Map<string, string>() : typesOf(columns);
      const present = isLoaded ? columnsOf(await this.#database.prepare(`FROM ${table}`)) : [];
      const known = new Set(present.map((column) => column.name.toLowerCase()));
      const types = typesOf(kind.argumentTypes ?? {});
      for (const arg of carried)
        if (!known.has(arg) && !more.has(arg)) more.set(arg, types.get(arg) ?? 'NULL');
      const isUnknown = Object.keys(columns).length === 0;
      const hasColumns = present.length > 1;
      tables.push({ name, kind, more, hasColumns, isOpen: !isLoaded || (isEmpty && isUnknown) });
    }
    return tables;
  }

  async #define(tables: readonly Table[]): Promise<void> {
    for (const { name, kind, more, hasColumns } of tables) {
      const columns = [...more].map(([column, value]) => `${value} AS ${quoteName(column)}`);
      if (!hasColumns && columns.length === 0) columns.push(noColumn);
      for (const sql of callMacro(name, kind, columns)) await this.#database.run(sql);
    }
    for (const used of this.#statement.tables) await this.#defineView(used);
  }

  async #defineView(used: UsedTable): Promise<void> {
    const kind = this.#tables.get(used.name);
    if (kind?.kind !== 'view') return;
    for (const sql of viewMacro(used, kind.parameters)) await this.#database.run(sql);
  }
}

/** Nulls of the types that are known before any row is. */
function typesOf(hints: TypeHints): Map<string, string> {
  return new Map(
    Object.entries(hints).map(([column, hint]) => {
      const type = emptyType(hintedType(hint));
      // What is nested in an unknown way is a list more often than not.
      return [column, type === undefined ? someList : `NULL::${type}`];
    }),
  );
}

/** Adds a column to the tables that may yet have it. Gives whether there is one. */
function added(tables: readonly Table[], column: string, sql: string): boolean {
  const open = tables.filter(({ isOpen, more }) => isOpen && !more.has(column));
  for (const { more } of open) more.set(column, guess(column, sql));
  return open.length > 0;
}

/** A null, or an object of nulls where the statement reaches into the column. */
function guess(column: string, sql: string): string {
  const fields = new Set<string>();
  for (const [, name = '', quoted = '', field = ''] of sql.matchAll(fieldForm))
    if (name.toLowerCase() === column.toLowerCase()) fields.add(quoted || field);
  if (fields.size === 0) return 'NULL';
  return `{${[...fields].map((field) => `${quoteName(field)}: NULL`).join(', ')}}`;
}

const fieldForm = /(?=\b(\w+)"?\s*\.\s*(?:"([^"]+)"|([\p{L}_]\w*)))/gu;

/** A list of objects that have every field which the statement reaches for. */
function listOfAll(sql: string): string {
  const fields = new Set(
    [...sql.matchAll(fieldForm)].map(([, , quoted, field = '']) => quoted ?? field),
  );
  return `[{${['nothing', ...fields].map((field) => `${quoteName(field)}: NULL`).join(', ')}}]`;
}

function isUntyped(value: string): boolean {
  return value === 'NULL' || /^\[?\{/.test(value);
}

/**
 * Gives columns of which no row is known another type, where the statement cannot be read with theirs:
 * none at all, then that of a moment, for it is functions of days that must know what they are given.
 */
function untyped(tables: readonly Table[], { type, message }: EngineFailure, sql: string): boolean {
  if (type !== 'Binder') return false;
  const wanted = message.startsWith('Could not choose a best candidate') ? moment : 'NULL';
  let isChanged = false;
  for (const { isOpen, more } of tables) {
    for (const [column, value] of isOpen ? more : []) {
      if (wanted === moment ? value !== 'NULL' : isUntyped(value) || value === moment) continue;
      isChanged = true;
      more.set(column, value === someList ? listOfAll(sql) : wanted);
    }
  }
  return isChanged;
}

const moment = 'NULL::TIMESTAMPTZ';
const someList = 'NULL::JSON[]';
