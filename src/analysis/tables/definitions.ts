/**
 * A business's own tables: each `views/NAME.sql` of a folder is a SELECT over the tools and other views,
 * each `tables/NAME.csv` a table. A problem is reported with file and line; the others work.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, parse, resolve } from 'node:path';
import { withDeadline } from '../../core/deadline.ts';
import { InputError, reasonIn } from '../../core/errors.ts';
import { readPlainFile, rememberFiles } from '../../core/files.ts';
import { toText } from '../../core/json.ts';
import { isMessageOf, type Message } from '../../core/message.ts';
import { listFirst, quote, quoteText } from '../../core/text.ts';
import type { QueryResult, SqlEngine } from '../../query/engine.ts';
import { QueryError } from '../../query/errors.ts';
import { queryMessages } from '../../query/messages.ts';
import type { TableKind, Tables } from '../../query/provider.ts';
import type { NotedDays } from '../services.ts';
import { tableMessages } from './messages.ts';
import { type OwnTable, readOwnTable } from './own-tables.ts';
import type { StatementTable } from './tables.ts';

/** What a folder defines, and what is wrong in it. */
export interface Definitions {
  tables: ReadonlyMap<string, StatementTable>;
  problems: readonly DefinitionProblem[];
}

/** What is wrong with the folder or a file in it, such as `views/regulars.sql`; for its owner, never for callers. */
export interface DefinitionProblem {
  /** Absent for the folder. */
  file?: string;
  line?: number;
  /** Quotes names, and nothing else of what stands there. */
  reason: Message;
}

const mostBytes = { '.sql': 100_000, '.csv': 5_000_000 };

/** A view as its file has it: the comments before its SELECT, its parameters, and the line of the SELECT. */
interface View {
  file: string;
  line: number;
  description: string;
  kind: Extract<TableKind, { kind: 'view' }>;
}

/**
 * Reads a folder and has the engine read each view over the given tables; no rows are read. A column that only rows
 * can show is no problem.
 * @param tools every tool's table by name: a definition takes none of these names
 * @param readTable reads a table of a path, once until its file changes
 * @throws {QueryError} `overloaded` when the engine has no turn for them
 */
export async function readDefinitions(
  folder: string,
  engine: Pick<SqlEngine, 'runInOneTurn'>,
  tools: ReadonlyMap<string, StatementTable>,
  readTable = tableReader(),
): Promise<Definitions> {
  const problems: DefinitionProblem[] = [];
  const views = new Map<string, View>();
  const own = new Map<string, StatementTable>();

  /** What goes wrong with a file ends the work on it, and is reported. */
  async function attempt(file: string, line: number, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      const reason = withoutQuotes(error);
      const isOfView = isMessageOf(tableMessages, reason) && reason.code === 'view_refused';
      const at = isOfView ? reason.line : undefined;
      problems.push({ file, line: at ?? line, reason });
    }
  }

  async function read(file: string): Promise<void> {
    const name = basename(file, extname(file));
    if (!/^(?!__)[a-z_][a-z0-9_]{0,62}$/.test(name))
      throw new InputError(tableMessages.bad_table_name());
    if (tools.has(name) || views.has(name) || own.has(name))
      throw new InputError(tableMessages.name_taken({ name }));
    if (file.endsWith('.sql')) views.set(name, readView(folder, file));
    else {
      const path = pathOfTable(folder, name);
      const { description, columns, unread } = await readTable(path);
      const describe = () => describeOwn(description, Object.keys(columns));
      const kind = { kind: 'calls', arguments: [], columns } as const;
      own.set(name, { kind, describe, read: () => readTable(path) });
      if (unread) problems.push({ file, line: unread.rows[0]?.line ?? 1, reason: unread });
    }
  }

  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    problems.push({
      reason: tableMessages.no_such_folder({ setting: 'COMMERCE_DEFINITIONS', folder }),
    });
  for (const [part, ending] of Object.entries({ views: '.sql', tables: '.csv' }))
    await attempt(part, 1, async () => {
      for (const file of filesOf(folder, part, ending)) await attempt(file, 1, () => read(file));
    });
  const tables = new Map<string, StatementTable>();
  const kinds = new Map([...tools, ...views, ...own].map(([name, { kind }]) => [name, kind]));
  const results = await describeAll(engine, [...views.keys()], kinds);
  for (const [at, [name, { file, line, kind, description }]] of [...views].entries())
    await attempt(file, line, () => {
      const result = results[at];
      if (result?.status === 'rejected') throw result.reason;
      const { rows = [], shape } = result?.value ?? {};
      const columns = rows.map((row) => String(row.column_name));
      const parameters = Object.entries(kind.parameters).map((it) => it.join(' = '));
      const text = { ...describeOwn(description, columns), arguments: parameters.join('; ') };
      tables.set(name, { kind, describe: () => text, reads: shape?.tables ?? [] });
    });
  return { tables: new Map([...tables, ...own]), problems };
}

function describeOwn(description: string, columns: readonly string[]) {
  const names = columns.map((name) => quote(name, 64));
  return { holds: quote(description, 500), arguments: '', columns: listFirst(names, 60) };
}

const mostMs = 30_000;

/** Has the engine read all views in one turn, so that a busy one is waited for once. */
async function describeAll(
  engine: Pick<SqlEngine, 'runInOneTurn'>,
  names: readonly string[],
  tables: Tables,
): Promise<PromiseSettledResult<QueryResult>[]> {
  if (names.length === 0) return [];
  const provider = { tables, nowMs: Date.now(), load: async () => [] };
  const statements = names.map((name) => {
    return { sql: `DESCRIBE SELECT * FROM ${name}`, maxRows: 1000, provider };
  });
  // What the deadline ended says nothing of the definitions.
  const running = withDeadline({ ms: mostMs }, (signal) =>
    engine.runInOneTurn(statements, { caller: 'definitions', signal }),
  );
  return running.catch((cause: unknown) => {
    throw new QueryError(tableMessages.definitions_wait(), 'overloaded', { cause });
  });
}

const daysTable = 'days';

/** The days that a folder has notes on. */
export async function readDays(folder: string, readTable = tableReader()): Promise<NotedDays> {
  const path = pathOfTable(folder, daysTable);
  if (!existsSync(path)) return { notes: [] };
  const { rows, columns, unread } = await readTable(path);
  // Another table of that name is a table and no more.
  if (!('day' in columns && 'note' in columns)) return { notes: [] };
  const notes = rows.map(({ day, note, unusual, shop_id: shop }) => ({
    day: toText(day),
    note: toText(note),
    unusual: unusual === true || unusual === 1 ? (true as const) : undefined,
    shop_id: Number.isSafeInteger(shop) ? Number(shop) : undefined,
  }));
  return { notes, unread };
}

function pathOfTable(folder: string, name: string): string {
  return resolve(folder, 'tables', `${name}.csv`);
}

/** Reads tables of definitions, each once until its file changes. */
export function tableReader(): (path: string) => Promise<OwnTable> {
  return rememberFiles(async (path) => {
    const { dir, base, name } = parse(path);
    const { text } = readPlainFile(dirname(dir), `${basename(dir)}/${base}`, mostBytes['.csv']);
    const needed = name === daysTable ? ['day', 'note'] : [];
    return readOwnTable(name, text.replace('\uFEFF', ''), needed);
  });
}

/** Why a file cannot be used, without what its owner alone may read. */
function withoutQuotes(error: unknown): Message {
  const reason = reasonIn(error);
  if (!isMessageOf(queryMessages, reason)) return reason;
  switch (reason.code) {
    case 'syntax_error':
      return tableMessages.view_refused({
        flaw: 'no_sql',
        line: reason.place?.line,
        column: reason.place?.column,
      });
    case 'value_refused':
      return tableMessages.view_refused({ flaw: 'no_value' });
    case 'not_select':
    case 'not_one_select':
      return tableMessages.view_refused({ flaw: 'no_select' });
    // Nobody looks for a table among the names of all where a file is named.
    case 'unknown_table':
      return queryMessages.unknown_table({
        name: reason.name,
        nearest: reason.nearest,
        tables: [],
      });
    default:
      return reason;
  }
}

function filesOf(folder: string, part: string, ending: string): string[] {
  const path = resolve(folder, part);
  const names = existsSync(path) ? readdirSync(path) : [];
  const chosen = names.filter((name) => name.endsWith(ending)).sort();
  return chosen.map((name) => `${part}/${name}`);
}

/** `parameter period = last_month` */
const parameterForm = /^parameter\s+([a-z_]\w*)\s*=\s*(.*)$/i;

function readView(folder: string, file: string): View {
  const text = readPlainFile(folder, file, mostBytes['.sql']).text.replace('\uFEFF', '');
  const lines = text.split(/\r?\n/);
  const skip = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('--'));
  if (skip === -1) throw new InputError(tableMessages.only_comments());
  const parameters = new Map<string, string>();
  const description: string[] = [];
  for (const comment of lines.slice(0, skip).map((line) => line.replace('--', '').trim())) {
    const [, name, value = ''] = parameterForm.exec(comment) ?? [];
    if (name === undefined) description.push(comment);
    else parameters.set(name.toLowerCase(), literal(value));
  }
  const kind = { kind: 'view', sql: text, parameters: Object.fromEntries(parameters) } as const;
  return { file, line: skip + 1, description: description.join(' '), kind };
}

/** A default as SQL: numbers and truths as they are, anything else as text. */
function literal(raw: string): string {
  if (/^(-?\d+(\.\d+)?|true|false|null)$/i.test(raw)) return raw;
  return quoteText(raw.replace(/^'(.*)'$/, '$1'));
}
