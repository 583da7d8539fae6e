/** Runs a statement over the tables that are loaded, as it was written. */
import { mapWords } from '../../core/column-type.ts';
import { QueryError } from '../errors.ts';
import type { EngineReply, RoundResult, SentStatement, SqlColumn } from '../messages.ts';
import type { TableCall } from '../provider.ts';
import { guessedType, type SqlType, sqlColumns, unknownType } from '../table-text.ts';
import { engineFailureOf, explainFailure, type UsedTables } from './advice.ts';
import { answerOf, columnsOf } from './answer.ts';
import {
  type Assumed,
  assumeColumns,
  hasRows,
  type KnownColumns,
  unseenColumns,
} from './assume.ts';
import { Calls } from './calls.ts';
import { meaningsOf } from './columns.ts';
import { type Database, quoteName } from './database.ts';
import { findHints } from './hints/lints.ts';
import { type ReadStatement, readStatement } from './read.ts';
import { callMacro, clockMacros, loadTable, viewMacro } from './tables.ts';

declare module '../../core/message.ts' {
  interface Messages {
    /** Nothing is known of the column before rows come, and a condition on it would ask for none. */
    condition_unknown: { column: string };
  }
}

/** Arguments whose values are days, which functions of days must know. */
const dayArguments = /^(date|from|to)$/;

/** Runs a statement over tables of its own. */
export async function runStatement(
  open: () => Promise<Database>,
  sent: SentStatement,
): Promise<EngineReply> {
  let database: Database | undefined;
  let statement: ReadStatement | undefined;
  try {
    database = await open();
    await database.begin();
    statement = await readStatement(database, sent);
    return await runRead(database, sent, statement);
  } catch (error) {
    const used = database && statement ? await usedTables(database, statement) : new Map();
    const { code, reason } = explainFailure(sent.sql, error, used, sent.tables, statement?.shape);
    return { kind: 'failed', code, reason };
  } finally {
    await database?.end();
  }
}

async function runRead(
  database: Database,
  sent: SentStatement,
  statement: ReadStatement,
): Promise<RoundResult> {
  const { sql, query, output, tablesRead, shape, isOrdered, limit } = statement;
  const calls = new Calls(tablesRead, sent.loaded);
  database.callNumber = (written) => calls.numberOf(written);
  const needs = (missing: readonly TableCall[]): RoundResult => ({
    kind: 'needs',
    shape,
    calls: missing,
  });
  const texts = [sent.sql, ...[...statement.views.values()].map((view) => view.sql)];
  await database.run(clockMacros(sent.nowMs, texts.join()));
  for (const name of tablesRead.keys()) await makeTable(database, name, sent, statement);
  const isFirst = sent.loaded.size === 0;
  const known = isFirst ? await knownCalls(database, statement, calls, false) : [];
  if (known.length > 0) return needs(known);
  const bound = await bindAnyhow(database, sent, statement, async (assumed) => {
    const viewCalls = isFirst ? await knownCalls(database, statement, calls, true) : [];
    const columns = await columnsOf(database, sql);
    if (viewCalls.length === 0) await refusePruned(database, sent, statement, assumed);
    return { assumed, viewCalls, columns };
  });
  if (bound.viewCalls.length > 0) return needs(bound.viewCalls);
  const { columns, assumed } = bound;
  const answer = await answerOf(database, sql, columns, sent);
  const missing = calls.take();
  // What waits for these calls was asked for without their rows: it will be asked for again.
  const first = shape.tables.find((name) => missing.some(({ table }) => table === name));
  if (missing.length > 0) return needs(missing.filter(({ table }) => table === first));
  const hints = [
    ...calls.withoutValue(),
    ...unseenColumns(assumed, knownColumns(sent, statement)),
    ...(await findHints(database, query, sent)),
  ];
  const about = { columns: meaningsOf(output, columns), hints, isOrdered, limit, shape };
  return { kind: 'answer', ...answer, ...about };
}

/** What columns of which nothing is known are, until rows come: by their names, else whatever a statement wants. */
const fills: readonly (typeof guessedType)[] = [
  guessedType,
  (word) => word,
  (word) => (word === unknownType ? 'VARCHAR' : word),
  (word) => (word === unknownType ? 'DECIMAL(18,4)' : word),
];

/**
 * Binds with the first of {@link fills} that makes sense, columns that nothing shows assumed of tables whose rows are
 * to come.
 */
async function bindAnyhow<Bound>(
  database: Database,
  sent: SentStatement,
  statement: ReadStatement,
  work: (assumed: Assumed) => Promise<Bound>,
): Promise<Bound> {
  const { tablesRead, views, selects } = statement;
  const without = [...tablesRead.keys()].filter((name) => !hasRows(name, sent));
  let failure: unknown;
  for (const isGenerous of [false, true]) {
    const assumed = assumeColumns(selects, knownColumns(sent, statement), sent, isGenerous);
    for (const fill of without.length > 0 ? fills : [guessedType]) {
      for (const name of without) await makeTable(database, name, sent, statement, assumed, fill);
      try {
        // A view is read with all its columns, and made after those that it is made of.
        await database.run([...views].flatMap((view) => viewMacro(...view)));
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
async function refusePruned(
  database: Database,
  { tables, loaded }: SentStatement,
  { sql, shape }: ReadStatement,
  assumed: Assumed,
): Promise<void> {
  const unknown = shape.tables.flatMap((table) => {
    const kind = tables.get(table);
    if (kind?.kind !== 'calls' || loaded.has(table)) return [];
    const open = Object.entries(kind.columns ?? {}).filter(([, type]) => type === 'open');
    const names = [...Object.keys(assumed.get(table) ?? {}), ...open.map(([column]) => column)];
    return names
      .filter((name) => shape.mentioned.has(name.toLowerCase()))
      .map((name) => [table, name]);
  });
  if (unknown.length === 0) return;
  const plan = String(await database.rows(`EXPLAIN (FORMAT json) ${sql}`).catch(() => ''));
  const [, named] = unknown.find(([table = '']) => !plan.includes(table)) ?? [];
  if (named === undefined || !plan.includes('EMPTY_RESULT')) return;
  throw new QueryError({ code: 'condition_unknown', column: named });
}

/** The tables that a statement reads, for the error of a column that is not there. */
async function usedTables(database: Database, { tablesRead }: ReadStatement): Promise<UsedTables> {
  const used = new Map<string, SqlColumn[]>();
  for (const name of tablesRead.keys()) {
    const columns = await columnsOf(database, `FROM ${quoteName(name)}`).catch(() => []);
    if (columns.length > 0) used.set(name, columns);
  }
  return used;
}

/** The columns of a table by name, of arguments that differ from row to row too: of what is loaded, else those known before. */
function columnsKnown(
  name: string,
  { tables, loaded }: SentStatement,
  { tablesRead }: ReadStatement,
): [string, SqlType | undefined][] {
  const kind = tables.get(name);
  const before = kind?.kind === 'calls' ? Object.entries(sqlColumns(kind.columns ?? {})) : [];
  const shown = loaded.get(name)?.columns ?? before;
  const has = new Set(shown.map(([column]) => column.toLowerCase()));
  const args = [...(tablesRead.get(name) ?? [])].filter((arg) => !has.has(arg.toLowerCase()));
  const added = args.map((arg) => [arg, dayArguments.test(arg) ? 'DATE' : unknownType] as const);
  return [...shown, ...added].map(([column, type]) => [column, type]);
}

function knownColumns(sent: SentStatement, statement: ReadStatement): KnownColumns {
  const tables = [...statement.tablesRead.keys()].map((name) => {
    const columns = columnsKnown(name, sent, statement);
    return [name, new Map(columns.map(([key, type]) => [key.toLowerCase(), type]))] as const;
  });
  return new Map(tables);
}

/** Makes the table of what is known and of what is assumed, and the macro that gives its rows. */
async function makeTable(
  database: Database,
  name: string,
  sent: SentStatement,
  statement: ReadStatement,
  assumed: Assumed = new Map(),
  fill = guessedType,
): Promise<void> {
  const kind = sent.tables.get(name);
  if (kind?.kind !== 'calls') return;
  const { texts = [] } = sent.loaded.get(name) ?? {};
  const all = [...columnsKnown(name, sent, statement), ...Object.entries(assumed.get(name) ?? {})];
  const given = [...new Map(all.map((it) => [it[0].toLowerCase(), it])).values()];
  const columns =
    texts.length === 0
      ? given.map(([key, type]) => [key, type && mapWords(type, fill, key)] as const)
      : given;
  await loadTable(database, name, { columns, texts });
  await database.run(callMacro(name, kind, columns));
}

/** The calls whose arguments are constants, each once; of views where their columns are known. */
async function knownCalls(
  database: Database,
  { references, views }: ReadStatement,
  calls: Calls,
  withViews: boolean,
): Promise<TableCall[]> {
  const found = new Map<string, TableCall>();
  for (const { table, known } of references) {
    if (known === undefined || (views.has(table) && !withViews)) continue;
    await database.rows(`SELECT count(*) FROM (FROM ${known})`);
    for (const call of calls.take()) found.set(call.key, call);
  }
  return [...found.values()].map((call) => {
    const [only, ...others] = references.filter(({ table }) => table === call.table);
    const { atMost } = others.length === 0 && only ? only : {};
    return { ...call, ...(atMost !== undefined && { atMost }) };
  });
}
