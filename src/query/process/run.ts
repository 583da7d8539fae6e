/** Runs a statement over the tables that are loaded, as it was written. */
import type { EngineReply, RoundResult, SentStatement, SqlColumn } from '../messages.ts';
import type { TableCall } from '../provider.ts';
import { sqlColumns, unknownType } from '../table-text.ts';
import { brokenTable, explainFailure, failureOf, type UsedTables } from './advice.ts';
import { answerOf, columnsOf } from './answer.ts';
import { Calls } from './calls.ts';
import { meaningsOf } from './columns.ts';
import { type Database, quoteName } from './database.ts';
import { findHints } from './hints/lints.ts';
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
  let statement: ReadStatement | undefined;
  try {
    database = await open();
    await database.begin();
    statement = await readStatement(database, sent);
    return await runRead(database, sent, statement);
  } catch (error) {
    const used = database && statement ? await usedTables(database, statement) : new Map();
    const { code, message } = explainFailure(sent.sql, error, used, sent.tables, statement?.shape);
    return { kind: 'failed', code, message };
  } finally {
    await database?.end();
  }
}

/** Its rows, or which calls and columns it needs first. */
async function runRead(
  database: Database,
  sent: SentStatement,
  statement: ReadStatement,
): Promise<RoundResult> {
  const { sql, query, output, tablesRead, views, shape, isOrdered, limit } = statement;
  const calls = new Calls(tablesRead, sent.loaded);
  database.callNumber = (written) => calls.numberOf(written);
  const needs = (missing: readonly TableCall[], open: readonly string[] = []): RoundResult => ({
    ...{ kind: 'needs', shape, calls: missing, open },
  });
  await makeTables(database, sent, statement);
  const open = shape.tables.filter((name) => {
    const kind = sent.tables.get(name);
    return kind?.kind === 'calls' && kind.isOpen === true;
  });
  const unseen = open.filter((name) => !showsColumns(name, sent, statement));
  let columns: SqlColumn[];
  try {
    // A view is read with all its columns, and made after those that it is made of.
    const hasViews = unseen.length === 0;
    if (hasViews) await database.run([...views].flatMap((view) => viewMacro(...view)));
    const isFirst = sent.loaded.size === 0;
    const known = isFirst ? await knownCalls(database, statement, calls, hasViews) : [];
    if (known.length + unseen.length > 0) return needs(known, unseen);
    columns = await columnsOf(database, sql);
  } catch (error) {
    // Rows need not show every column, nor a value in each.
    if (open.length === 0 || failureOf(error).type !== 'Binder') throw error;
    return needs([], open);
  }
  const answer = await answerOf(database, sql, columns, sent);
  const missing = calls.take();
  // What waits for these calls was asked for without their rows: it will be asked for again.
  const first = shape.tables.find((name) => missing.some(({ table }) => table === name));
  if (missing.length > 0) return needs(missing.filter(({ table }) => table === first));
  const startedMs = performance.now();
  const hints = [...calls.withoutValue(), ...(await findHints(database, query, sent))];
  const hintsMs = performance.now() - startedMs;
  const about = { columns: meaningsOf(output, columns), hints, hintsMs, isOrdered, limit, shape };
  return { kind: 'answer', ...answer, ...about };
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

/**
 * Makes tables of files, of what is loaded, else of the columns that are known before, with columns for arguments
 * that differ from row to row, and the macros that give their rows.
 */
async function makeTables(
  database: Database,
  { tables, loaded, nowMs, sql }: SentStatement,
  { tablesRead, views }: ReadStatement,
): Promise<void> {
  const texts = [sql, ...[...views.values()].map((view) => view.sql)];
  await database.run(clockMacros(nowMs, texts.join()));
  const macros: string[] = [];
  for (const [name, args] of tablesRead) {
    const kind = tables.get(name);
    if (kind?.kind === 'file')
      await database.run(fileTable(name, kind)).catch((error: unknown) => {
        throw brokenTable(name, error);
      });
    if (kind?.kind !== 'calls') continue;
    const columnsBefore = Object.entries(sqlColumns(kind.columns ?? {}));
    const known = loaded.get(name) ?? { columns: columnsBefore, texts: [] };
    const has = new Set(known.columns.map(([column]) => column.toLowerCase()));
    const added = [...args]
      .filter((arg) => !has.has(arg.toLowerCase()))
      .map((arg) => [arg, dayArguments.test(arg) ? 'DATE' : unknownType] as const);
    const columns = [...known.columns, ...added];
    await loadTable(database, name, { ...known, columns });
    const untyped = columns.flatMap(([column, type]) => (type === unknownType ? [column] : []));
    macros.push(...callMacro(name, kind, untyped));
  }
  await database.run(macros);
}

/** Whether rows of a table show its columns, be it with the calls that are known. */
function showsColumns(name: string, { loaded }: SentStatement, { references }: ReadStatement) {
  if (loaded.size > 0) return (loaded.get(name)?.texts.length ?? 0) > 0;
  return references.some(({ table, known }) => table === name && known !== undefined);
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
