/**
 * The engine's process. It runs one statement after the other, as it was written, each over tables of its own. It holds
 * no secret, and ends with the server, or when it takes too much memory.
 */
import { serveParent } from '../../core/child-process.ts';
import { isSqlName } from '../../core/column-name.ts';
import { mapWords } from '../../core/column-type.ts';
import { outOfMemory, QueryError } from '../errors.ts';
import { queryMessages } from '../messages.ts';
import type { EngineReply, RoundResult, RowsPart, SentStatement } from '../protocol.ts';
import type { TableCall } from '../provider.ts';
import { guessedType, sqlColumns, unknownType } from '../sql-type.ts';
import { engineFailureOf, explainFailure } from './advice.ts';
import { answerOf, columnsOf } from './answer.ts';
import {
  assumeColumns,
  type ColumnsByTable,
  hasRows,
  type TableColumn,
  unseenColumns,
} from './assume.ts';
import { Calls } from './calls.ts';
import { meaningsOf } from './columns.ts';
import { Database, quoteName } from './database.ts';
import { findHints } from './hints/lints.ts';
import { type ReadStatement, readStatement } from './read.ts';
import type { ReadTable, ReadTables } from './suggest.ts';
import { callMacro, clockMacros, hourMacros, loadTable, viewMacro } from './tables.ts';

/** The engine counts most of what it takes, not all: the rest is seen from outside, this often. */
const memoryLookMs = 20;
const megabyte = 2 ** 20;

/**
 * What a process may hold when it has answered: beside it, the next statement has all of its own. It takes 90 MB
 * when it starts, and JavaScript's garbage is not collected when its memory is wanted by the engine.
 */
const restingMb = 256;

const [memoryMb = 0, threads = 0, mostMemoryMb = 0] = process.argv.slice(2).map(Number);

let database: Database | undefined;

/** The open one, unless it has failed. */
async function openDatabase(): Promise<Database> {
  if (!database?.isOpen) database = await Database.open(memoryMb, threads);
  return database;
}

function holdsMore(mostMb: number): boolean {
  return process.memoryUsage.rss() > mostMb * megabyte;
}

const giveUp = serveParent<SentStatement, RowsPart, EngineReply>(
  async (statement, give) => {
    const reply = await runStatement(statement);
    if (reply.kind !== 'answer') return reply;
    const names = reply.columns.map(({ name }) => name);
    for (const rows of reply.rows) await give({ names, rows });
    return { ...reply, rows: [] };
  },
  () => holdsMore(restingMb),
);

setInterval(() => {
  if (!holdsMore(mostMemoryMb)) return;
  const { code, reason } = outOfMemory();
  giveUp({ kind: 'failed', code, reason });
}, memoryLookMs).unref();

/** Arguments whose values are days, which functions of days must know. */
const dayArguments = /^(date|from|to)$/;

async function runStatement(sent: SentStatement): Promise<EngineReply> {
  let opened: Database | undefined;
  let statement: ReadStatement | undefined;
  try {
    opened = await openDatabase();
    await opened.begin();
    statement = await readStatement(opened, sent);
    return await new StatementRun(opened, sent, statement).run();
  } catch (error) {
    const used = opened && statement ? await usedTables(opened, statement, sent) : new Map();
    const { code, reason } = explainFailure(sent.sql, error, used, sent.tables, statement?.shape);
    return { kind: 'failed', code, reason };
  } finally {
    await opened?.end();
  }
}

/** The tables that a statement reads, for the error of a column that is not there. */
async function usedTables(
  database: Database,
  { tablesRead, views }: ReadStatement,
  sent: SentStatement,
): Promise<ReadTables> {
  const used = new Map<string, ReadTable>();
  for (const [name, args] of tablesRead) {
    const view = views.has(name)
      ? await columnsOf(database, `FROM ${quoteName(name)}`).catch(() => [])
      : [];
    const columns = [
      ...view.map((column) => [column.name, undefined] as const),
      ...columnsKnown(name, args, sent).values(),
    ];
    if (columns.length > 0) used.set(name, { columns, facts: await factsOf(database, name) });
  }
  return used;
}

/** Where the numbers of a report are; none of what is no report, or was not read. */
async function factsOf(database: Database, name: string): Promise<ReadTable['facts']> {
  const sql = `SELECT DISTINCT path, measure FROM loaded.${quoteName(name)} WHERE split IS NOT NULL`;
  const rows = await database.rows(sql).catch(() => []);
  return rows.map(([path, measure]) => ({ path: String(path), measure: String(measure) }));
}

/** What columns of which nothing is known are, until rows come: by their names, else whatever a statement wants. */
const fills: readonly (typeof guessedType)[] = [
  guessedType,
  (word) => word,
  (word) => (word === unknownType ? 'VARCHAR' : word),
  (word) => (word === unknownType ? 'DECIMAL(18,4)' : word),
];

class StatementRun {
  readonly #database: Database;
  readonly #sent: SentStatement;
  readonly #statement: ReadStatement;
  readonly #calls: Calls;
  readonly #known: ColumnsByTable;

  constructor(database: Database, sent: SentStatement, statement: ReadStatement) {
    this.#database = database;
    this.#sent = sent;
    this.#statement = statement;
    this.#calls = new Calls(statement.tablesRead, sent.loaded);
    this.#known = new Map(
      [...statement.tablesRead].map(([name, args]) => [name, columnsKnown(name, args, sent)]),
    );
    database.callNumber = (written) => this.#calls.numberOf(written);
  }

  async run(): Promise<RoundResult> {
    const { sql, query, output, views, shape, isOrdered, limit } = this.#statement;
    const needs = (calls: readonly TableCall[]): RoundResult => ({ kind: 'needs', shape, calls });
    const texts = [this.#sent.sql, ...[...views.values()].map((view) => view.sql)];
    const text = texts.join();
    await this.#database.run([...clockMacros(this.#sent.nowMs, text), ...hourMacros(text)]);
    for (const name of this.#known.keys()) await this.#makeTable(name);
    const isFirst = this.#sent.loaded.size === 0;
    const knownCalls = isFirst ? await this.#knownCalls(false) : [];
    if (knownCalls.length > 0) return needs(knownCalls);
    const { columns, assumed, viewCalls } = await this.#bind(async (assumed) => {
      const viewCalls = isFirst ? await this.#knownCalls(true) : [];
      const columns = await columnsOf(this.#database, sql);
      if (viewCalls.length === 0) await this.#refusePruned(assumed);
      return { assumed, viewCalls, columns };
    });
    if (viewCalls.length > 0) return needs(viewCalls);
    const answer = await answerOf(this.#database, sql, columns, this.#sent);
    const missing = this.#calls.take();
    // What waits for these calls was asked for without their rows: it will be asked for again.
    const first = shape.tables.find((name) => missing.some(({ table }) => table === name));
    if (missing.length > 0) return needs(missing.filter(({ table }) => table === first));
    const hints = [
      ...this.#calls.withoutValue(),
      ...unseenColumns(assumed, this.#known),
      ...(await findHints(this.#database, query, this.#sent)),
    ];
    const about = { columns: meaningsOf(output, columns), hints, isOrdered, limit, shape };
    return { kind: 'answer', ...answer, ...about };
  }

  /**
   * Binds with the first of {@link fills} that makes sense, columns that nothing shows assumed of tables whose rows
   * are to come.
   */
  async #bind<Bound>(work: (assumed: ColumnsByTable) => Promise<Bound>): Promise<Bound> {
    const { views, selects } = this.#statement;
    const without = [...this.#known.keys()].filter((name) => !hasRows(name, this.#sent));
    let failure: unknown;
    for (const isGenerous of [false, true]) {
      const assumed = assumeColumns(selects, this.#known, this.#sent, isGenerous);
      for (const fill of without.length > 0 ? fills : [guessedType]) {
        for (const name of without) await this.#makeTable(name, assumed, fill);
        try {
          // A view is read with all its columns, and made after those that it is made of.
          await this.#database.run([...views].flatMap((view) => viewMacro(...view)));
          return await work(assumed);
        } catch (error) {
          const isRefused = error instanceof QueryError || engineFailureOf(error).type === 'Binder';
          failure ??= error;
          if (!isRefused) throw failure;
        }
      }
    }
    throw failure;
  }

  /**
   * The engine takes an expression over a NULL for NULL, and reads nothing for a condition that is NULL in every row.
   * @throws {QueryError} where that is so of a column of which nothing is known
   */
  async #refusePruned(assumed: ColumnsByTable): Promise<void> {
    const { sql, shape } = this.#statement;
    const { tables, loaded } = this.#sent;
    const unknown = shape.tables.flatMap((table) => {
      const kind = tables.get(table);
      if (kind?.kind !== 'calls' || loaded.has(table)) return [];
      const open = Object.entries(kind.columns ?? {}).filter(([, type]) => type === 'open');
      const names = [...(assumed.get(table)?.keys() ?? []), ...open.map(([column]) => column)];
      return names
        .filter((name) => shape.mentioned.has(name.toLowerCase()))
        .map((name) => [table, name]);
    });
    if (unknown.length === 0) return;
    const plan = String(await this.#database.rows(`EXPLAIN (FORMAT json) ${sql}`).catch(() => ''));
    const [, column] = unknown.find(([table = '']) => !plan.includes(table)) ?? [];
    if (column === undefined || !plan.includes('EMPTY_RESULT')) return;
    throw new QueryError(queryMessages.condition_unknown({ column }));
  }

  /** Makes the table of what is known and of what is assumed, and the macro that gives its rows. */
  async #makeTable(
    name: string,
    assumed: ColumnsByTable = new Map(),
    fill = guessedType,
  ): Promise<void> {
    const kind = this.#sent.tables.get(name);
    if (kind?.kind !== 'calls') return;
    const { texts = [] } = this.#sent.loaded.get(name) ?? {};
    const all = new Map([...(this.#known.get(name) ?? []), ...(assumed.get(name) ?? [])]);
    const columns = [...all.values()].map(
      ([key, type]) =>
        [key, type && texts.length === 0 ? mapWords(type, fill, key) : type] as const,
    );
    await loadTable(this.#database, name, { columns, texts });
    await this.#database.run(callMacro(name, kind, columns));
  }

  /** The calls whose arguments are constants, each once; of views where their columns are known. */
  async #knownCalls(withViews: boolean): Promise<TableCall[]> {
    const { references, views } = this.#statement;
    const found = new Map<string, TableCall>();
    for (const { table, known } of references) {
      if (known === undefined || (views.has(table) && !withViews)) continue;
      await this.#database.rows(`SELECT count(*) FROM (FROM ${known})`);
      for (const call of this.#calls.take()) found.set(call.key, call);
    }
    return [...found.values()].map((call) => {
      const [only, ...others] = references.filter(({ table }) => table === call.table);
      const { atMost } = others.length === 0 && only ? only : {};
      return { ...call, ...(atMost !== undefined && { atMost }) };
    });
  }
}

/** The columns of a table, of arguments that differ from row to row too: of what is loaded, else those known before. */
function columnsKnown(
  name: string,
  correlated: Iterable<string>,
  { tables, loaded }: SentStatement,
): ReadonlyMap<string, TableColumn> {
  const kind = tables.get(name);
  const before: TableColumn[] =
    kind?.kind === 'calls' ? Object.entries(sqlColumns(kind.columns ?? {})) : [];
  const shown = loaded.get(name)?.columns ?? before;
  const named = shown.filter(([column]) => isSqlName(column));
  const columns = new Map(named.map((column) => [column[0].toLowerCase(), column]));
  for (const arg of correlated) {
    const isShown = columns.has(arg.toLowerCase());
    if (!isShown)
      columns.set(arg.toLowerCase(), [arg, dayArguments.test(arg) ? 'DATE' : unknownType]);
  }
  return columns;
}
