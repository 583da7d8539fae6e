/**
 * The engine's process. It runs statements one after the other, each over its own tables. It holds no secret, and ends
 * with the server or when it takes too much memory.
 */

import { isSqlName } from '../../core/column-name.ts';
import { isFields, mapWords } from '../../core/column-type.ts';
import { nearest } from '../../core/nearest.ts';
import { serveParent } from '../../core/process/child-process.ts';
import { outOfMemory, queryMessages } from '../messages.ts';
import type { EngineReply, RoundResult, RowsPart, SentStatement, SqlColumn } from '../protocol.ts';
import type { CallsKind, StatementShape, TableCall } from '../provider.ts';
import { guessedType, type SqlType, type SqlTypes, sqlColumns, unknownType } from '../sql-type.ts';
import type { TableText } from '../table-text.ts';
import {
  engineFailureOf,
  explainFailure,
  missingColumn,
  type ReadTable,
  type ReadTables,
} from './advice.ts';
import { answerOf, columnsOf } from './answer.ts';
import { Calls } from './calls.ts';
import { meaningsOf } from './columns.ts';
import { Database, quoteName } from './database.ts';
import { findHints } from './hints/lints.ts';
import { probeFor } from './probe.ts';
import { type ReadStatement, readStatement } from './read.ts';
import { callMacro, clockMacros, hourMacros, loadTable, viewMacro } from './tables.ts';

/** The engine's own bound misses some of its memory, so the resident memory is checked this often. */
const memoryCheckMs = 20;
const megabyte = 2 ** 20;

/**
 * A process that holds more after an answer is replaced, since the next statement needs its full memory. It starts with
 * 90 MB, and JavaScript does not collect garbage to make room for the engine.
 */
const maxIdleMb = 256;

const [memoryMb = 0, threads = 0, maxMemoryMb = 0] = process.argv.slice(2).map(Number);

let database: Database | undefined;

async function openDatabase(): Promise<Database> {
  if (!database?.isOpen) database = await Database.open(memoryMb, threads);
  return database;
}

function holdsMore(maxMb: number): boolean {
  return process.memoryUsage.rss() > maxMb * megabyte;
}

const giveUp = serveParent<SentStatement, RowsPart, EngineReply>(
  async (statement, give) => {
    const reply = await runStatement(statement);
    if (reply.kind !== 'answer') return reply;
    const names = reply.columns.map(({ name }) => name);
    for (const rows of reply.rows) await give({ names, rows });
    return { ...reply, rows: [] };
  },
  () => holdsMore(maxIdleMb),
);

setInterval(() => {
  if (!holdsMore(maxMemoryMb)) return;
  const { code, reason } = outOfMemory();
  giveUp({ kind: 'failed', code, reason });
}, memoryCheckMs).unref();

/** Arguments whose columns get the type DATE, so that functions of days bind. */
const dayArguments = /^(date|from|to)$/;

async function runStatement(sent: SentStatement): Promise<EngineReply> {
  let opened: Database | undefined;
  let run: StatementRun | undefined;
  try {
    opened = await openDatabase();
    await opened.begin();
    run = new StatementRun(opened, sent, await readStatement(opened, sent));
    return await run.run();
  } catch (error) {
    const used = (await run?.readTables()) ?? new Map();
    const { code, reason } = explainFailure(sent.sql, error, used, sent.tables, run?.shape);
    return { kind: 'failed', code, reason };
  } finally {
    await opened?.end();
  }
}

class StatementRun {
  readonly #database: Database;
  readonly #sent: SentStatement;
  readonly #statement: ReadStatement;
  readonly #calls: Calls;
  readonly #columns: ReadonlyMap<string, ReadonlyMap<string, TableColumn>>;

  constructor(database: Database, sent: SentStatement, statement: ReadStatement) {
    this.#database = database;
    this.#sent = sent;
    this.#statement = statement;
    this.#calls = new Calls(statement.tablesRead, sent.loaded);
    this.#columns = new Map(
      [...statement.tablesRead].map(([name, args]) => [name, columnsOfTable(name, args, sent)]),
    );
    database.callNumber = (callText) => this.#calls.numberOf(callText);
  }

  get shape(): StatementShape {
    return this.#statement.shape;
  }

  /** The tables that the statement reads, for the error about an unknown column. */
  async readTables(): Promise<ReadTables> {
    const used = new Map<string, ReadTable>();
    for (const [name, known] of this.#columns) {
      const view = this.#statement.views.has(name)
        ? await columnsOf(this.#database, `FROM ${quoteName(name)}`).catch(() => [])
        : [];
      const columns = [
        ...view.map((column) => [column.name, undefined] as const),
        ...known.values(),
      ];
      if (columns.length > 0) used.set(name, { columns, facts: await this.#factsOf(name) });
    }
    return used;
  }

  /** The paths and measures of a report; none for other tables and before rows are loaded. */
  async #factsOf(name: string): Promise<ReadTable['facts']> {
    const sql = `SELECT DISTINCT path, measure FROM loaded.${quoteName(name)} WHERE split IS NOT NULL`;
    const rows = await this.#database.rows(sql).catch(() => []);
    return rows.map(([path, measure]) => ({ path: String(path), measure: String(measure) }));
  }

  async run(): Promise<RoundResult> {
    const { sql, query, output, views, shape, isOrdered, limit } = this.#statement;
    const needs = (calls: readonly TableCall[]): RoundResult => ({ kind: 'needs', shape, calls });
    const texts = [this.#sent.sql, ...[...views.values()].map((view) => view.sql)];
    const text = texts.join();
    await this.#database.run([...clockMacros(this.#sent.nowMs, text), ...hourMacros(text)]);
    for (const name of this.#columns.keys()) await this.#makeTable(name);
    const isFirst = this.#sent.loaded.size === 0;
    const constantCalls = isFirst ? await this.#constantCalls(false) : [];
    let columns: SqlColumn[];
    try {
      // A view comes after the views that it reads.
      await this.#database.run([...views].flatMap((view) => viewMacro(...view)));
      const viewCalls =
        isFirst && constantCalls.length === 0 ? await this.#constantCalls(true) : [];
      if (viewCalls.length > 0) return needs(viewCalls);
      columns = await columnsOf(this.#database, sql);
    } catch (error) {
      const failure = engineFailureOf(error);
      const column = missingColumn(failure);
      if (column !== undefined && this.#isNearMiss(column)) throw error;
      if (constantCalls.length > 0) return needs(constantCalls);
      if (failure.type !== 'Binder' || failure.subtype === 'MISSING_ENTRY') throw error;
      const calls = await this.#firstCalls(column !== undefined);
      if (calls.length > 0) return needs(calls);
      const unseen = this.#unseenTables();
      if (unseen.length === 0) throw error;
      const names = shape.shown.map((name) => ({ name, type: 'VARCHAR' }));
      const hints = unseen.map((table) => queryMessages.unseen_columns({ table }));
      const about = { columns: meaningsOf(output, names), hints, isOrdered, limit, shape };
      return { kind: 'answer', rows: [], more: false, ...about };
    }
    if (constantCalls.length > 0) return needs(constantCalls);
    const answer = await answerOf(this.#database, sql, columns, this.#sent);
    const missing = this.#firstOf(this.#calls.takeMissing());
    if (missing.length > 0) return needs(missing);
    const hints = [
      ...this.#calls.emptyArgumentWarnings(),
      ...(await findHints(this.#database, query, this.#sent)),
    ];
    const about = { columns: meaningsOf(output, columns), hints, isOrdered, limit, shape };
    return { kind: 'answer', ...answer, ...about };
  }

  /** Calls of the first table only: other calls may depend on its rows. */
  #firstOf(calls: readonly TableCall[]): TableCall[] {
    const { tables } = this.#statement.shape;
    const first = tables.find((name) => calls.some(({ table }) => table === name));
    return calls.filter(({ table }) => table === first);
  }

  /**
   * The calls whose rows may show the columns that the statement needs to bind: at first one of them, then all.
   * @param isMissing whether a column is unknown; otherwise one has another type than was guessed
   */
  async #firstCalls(isMissing: boolean): Promise<TableCall[]> {
    for (const table of this.#statement.shape.tables) {
      if (!this.#mayShowColumns(table, isMissing)) continue;
      const [first, ...others] = this.#firstOf(await this.#callsOf(table));
      if (first === undefined) continue;
      const isSample = others.length > 0 && !this.#sent.loaded.has(first.table);
      return isSample ? [{ ...first, isSample }] : [first, ...others];
    }
    return [];
  }

  /** The missing calls of a table or a view, found without binding its columns. */
  async #callsOf(name: string): Promise<TableCall[]> {
    const { query, views } = this.#statement;
    const probe = await probeFor(this.#database, query, name, (sql) =>
      this.#database.connection.prepare(sql).then((prepared) => prepared.destroySync()),
    );
    if (probe !== undefined) {
      await this.#database.rows(probe);
      const calls = this.#calls.takeMissing();
      if (calls.length > 0) return calls;
    }
    for (const [view, text] of views) {
      // The probe replaces the view, so that asking for the view asks for these calls.
      const bind = (sql: string) => this.#database.run(viewMacro(view, { ...text, sql }));
      const viewProbe = await probeFor(this.#database, text.query, name, bind);
      const calls = viewProbe === undefined ? [] : await this.#callsOf(view);
      if (calls.length > 0) return calls;
    }
    return [];
  }

  /** Which columns of a table are known before its rows; those of a view are all its own. */
  #knownColumns(name: string): CallsKind['knownColumns'] {
    const kind = this.#sent.tables.get(name);
    return (kind?.kind === 'calls' && kind.knownColumns) || 'all';
  }

  /** Whether rows may have columns that are not known. */
  #isOpen(name: string): boolean {
    return /^(most|some|none)$/.test(String(this.#knownColumns(name)));
  }

  /** Whether rows of a table may show columns or types that the statement needs. */
  #mayShowColumns(name: string, isMissing: boolean): boolean {
    const isSampled = this.#sent.loaded.has(name);
    const isOpen = this.#isOpen(name);
    if (isSampled && this.#isLoaded(name)) return false;
    if (isMissing || (isOpen && !isSampled)) return isOpen;
    const { mentioned } = this.#statement.shape;
    const isGuessed = (type: SqlType = '') => JSON.stringify(type).includes(`"${unknownType}"`);
    const columns = [...(this.#columns.get(name) ?? [])];
    return columns.some(([column, [, type]]) => mentioned.has(column) && isGuessed(type));
  }

  /** Whether a name is a mistyped column: all tables have shown their columns, and one has nearly this name. */
  #isNearMiss(column: string): boolean {
    const hasColumns = (table: string) => /^(all|most)$/.test(String(this.#knownColumns(table)));
    // `Name_1` is the second of two columns that differ by case alone.
    if (/_\d+$/.test(column) || ![...this.#columns.keys()].every(hasColumns)) return false;
    const names = [...this.#columns.values()].flatMap((columns) => [...columns.keys()]);
    return nearest(column.toLowerCase(), names) !== undefined;
  }

  /** Whether all rows are loaded, not just a sample. */
  #isLoaded(name: string): boolean {
    return this.#sent.loaded.get(name)?.isSample === false;
  }

  /** The open tables, if neither this statement nor an earlier answer has shown a row of any of them. */
  #unseenTables(): string[] {
    const hasRows = (name: string) => (this.#sent.loaded.get(name)?.texts.length ?? 0) > 0;
    const open = this.#statement.shape.tables.filter((name) => this.#isOpen(name));
    return open.every((name) => this.#knownColumns(name) === 'none' && !hasRows(name)) ? open : [];
  }

  /** Makes a table of the loaded rows and known columns, and its macro. */
  async #makeTable(name: string): Promise<void> {
    const kind = this.#sent.tables.get(name);
    if (kind?.kind !== 'calls') return;
    const { texts = [] } = this.#sent.loaded.get(name) ?? {};
    // Under a condition over NULL the engine would make no call, so untyped columns get a type until rows are loaded.
    const columns = [...(this.#columns.get(name)?.values() ?? [])].map(([key, type]) => {
      const isFinal = type === undefined || this.#isLoaded(name);
      return [key, isFinal ? type : mapWords(type, guessedType, key)] as const;
    });
    await loadTable(this.#database, name, { columns, texts });
    const names = new Set(columns.map(([column]) => column.toLowerCase()));
    const types = Object.fromEntries(columns.map(([column, type = unknownType]) => [column, type]));
    const paths = [...this.#statement.paths].filter((path) => !names.has(path));
    const fields = paths.flatMap((path) => {
      const steps = fieldAt(types, path.split('.'));
      return steps ? [steps] : [];
    });
    await this.#database.run(callMacro(name, kind, columns, fields));
  }

  /** The calls whose arguments are constants, each once. */
  async #constantCalls(withViews: boolean): Promise<TableCall[]> {
    const { references, views } = this.#statement;
    const distinct = new Map<string, TableCall>();
    for (const { table, constantCall } of references) {
      if (constantCall === undefined || (views.has(table) && !withViews)) continue;
      await this.#database.rows(`SELECT count(*) FROM (FROM ${constantCall})`);
      for (const call of this.#calls.takeMissing()) distinct.set(call.key, call);
    }
    return [...distinct.values()].map((call) => {
      const [only, ...others] = references.filter(({ table }) => table === call.table);
      const { neededRows } = others.length === 0 && only ? only : {};
      return { ...call, ...(neededRows !== undefined && { neededRows }) };
    });
  }
}

/** The names that lead to a field, as they are written in the objects; undefined where there is no such field. */
function fieldAt(types: SqlTypes, [step, ...steps]: readonly string[]): string[] | undefined {
  const [name, type] = Object.entries(types).find(([key]) => key.toLowerCase() === step) ?? [];
  if (name === undefined || steps.length === 0) return name === undefined ? undefined : [name];
  const inner = type !== undefined && isFields(type) ? fieldAt(type, steps) : undefined;
  return inner && [name, ...inner];
}

/** A column with its type; a column that the statement does not name has none. */
type TableColumn = TableText['columns'][number];

/** The columns of a table: of its loaded rows, else the known ones; and those of arguments that differ by row. */
function columnsOfTable(
  name: string,
  correlated: Iterable<string>,
  { tables, loaded }: SentStatement,
): ReadonlyMap<string, TableColumn> {
  const kind = tables.get(name);
  const described: TableColumn[] =
    kind?.kind === 'calls' ? Object.entries(sqlColumns(kind.columns ?? {})) : [];
  const current = loaded.get(name)?.columns ?? described;
  const writable = current.filter(([column]) => isSqlName(column));
  const columns = new Map(writable.map((column) => [column[0].toLowerCase(), column]));
  for (const arg of correlated) {
    const isShown = columns.has(arg.toLowerCase());
    if (!isShown)
      columns.set(arg.toLowerCase(), [arg, dayArguments.test(arg) ? 'DATE' : unknownType]);
  }
  return columns;
}
