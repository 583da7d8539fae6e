/**
 * A business's own tables: each `views/NAME.sql` of a folder is a SELECT over the tools and other views, each
 * `tables/NAME.csv` a table. A broken file is reported, with its line, and leaves the others working.
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
import { QueryError, queryMessages } from '../../query/messages.ts';
import type { Tables, ViewKind } from '../../query/provider.ts';
import type { NotedDays } from '../services.ts';
import { tableMessages } from './messages.ts';
import { type OwnTable, readOwnTable } from './own-tables.ts';
import type { StatementTable } from './tables.ts';

export interface Definitions {
  tables: ReadonlyMap<string, StatementTable>;
  problems: readonly DefinitionProblem[];
}

/** Shown to the owner of the folder, never to callers. */
export interface DefinitionProblem {
  /** `views/regulars.sql`; absent for a problem of the folder. */
  file?: string;
  line?: number;
  /** Quotes nothing of the file but names. */
  reason: Message;
}

const maxBytes = { '.sql': 100_000, '.csv': 5_000_000 };

interface View {
  file: string;
  /** The line of its SELECT. */
  line: number;
  /** The comments before its SELECT. */
  description: string;
  kind: ViewKind;
}

/**
 * Reads a folder, and lets the engine parse each view without reading rows. A column that only rows can show is no
 * problem.
 * @param tools the tables of all tools by name; no definition may have one of these names
 * @param readTable reads the table in a file, once until the file changes
 * @throws {QueryError} `overloaded` when the engine has no turn for it
 */
export async function readDefinitions(
  folder: string,
  engine: Pick<SqlEngine, 'runInOneTurn'>,
  tools: ReadonlyMap<string, StatementTable>,
  readTable = tableReader(),
): Promise<Definitions> {
  const problems: DefinitionProblem[] = [];
  const views = new Map<string, View>();
  const ownTables = new Map<string, StatementTable>();

  /** Reports a failure of the work on a file as a problem. */
  async function reportFailure(file: string, line: number, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      const reason = publicReason(error);
      const isOfView = isMessageOf(tableMessages, reason) && reason.code === 'view_refused';
      const at = isOfView ? reason.line : undefined;
      problems.push({ file, line: at ?? line, reason });
    }
  }

  async function addDefinition(file: string): Promise<void> {
    const name = basename(file, extname(file));
    if (!/^(?!__)[a-z_][a-z0-9_]{0,62}$/.test(name))
      throw new InputError(tableMessages.bad_table_name());
    if (tools.has(name) || views.has(name) || ownTables.has(name))
      throw new InputError(tableMessages.name_taken({ name }));
    if (file.endsWith('.sql')) views.set(name, readView(folder, file));
    else {
      const path = pathOfTable(folder, name);
      const { description, columns, unread } = await readTable(path);
      const describe = () => describeOwn(description, Object.keys(columns));
      const kind = { kind: 'calls', arguments: [], columns } as const;
      const read = async () => {
        const { rows, unread } = await readTable(path);
        return { rows, report: { warnings: unread ? [unread] : [] } };
      };
      ownTables.set(name, { kind, describe, read });
      if (unread) problems.push({ file, line: unread.rows[0]?.line ?? 1, reason: unread });
    }
  }

  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    problems.push({
      reason: tableMessages.no_such_folder({ setting: 'COMMERCE_DEFINITIONS', folder }),
    });
  for (const [part, ending] of Object.entries({ views: '.sql', tables: '.csv' }))
    await reportFailure(part, 1, async () => {
      for (const file of filesOf(folder, part, ending))
        await reportFailure(file, 1, () => addDefinition(file));
    });
  const tables = new Map<string, StatementTable>();
  const kinds = new Map([...tools, ...views, ...ownTables].map(([name, { kind }]) => [name, kind]));
  const results = await describeAll(engine, [...views.keys()], kinds);
  for (const [at, [name, { file, line, kind, description }]] of [...views].entries())
    await reportFailure(file, line, () => {
      const result = results[at];
      if (result?.status === 'rejected') throw result.reason;
      const { rows = [], shape } = result?.value ?? {};
      const columns = rows.map((row) => String(row.column_name));
      const parameters = Object.entries(kind.parameters).map((pair) => pair.join(' = '));
      const text = { ...describeOwn(description, columns), arguments: parameters.join('; ') };
      tables.set(name, { kind, describe: () => text, reads: shape?.tables ?? [] });
    });
  return { tables: new Map([...tables, ...ownTables]), problems };
}

function describeOwn(description: string, columns: readonly string[]) {
  const names = columns.map((name) => quote(name, 64));
  return { holds: quote(description, 500), arguments: '', columns: listFirst(names, 60) };
}

const maxMs = 30_000;

/** Lets the engine parse all views in one turn, to wait only once for a busy engine. */
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
  const running = withDeadline({ ms: maxMs }, (signal) =>
    engine.runInOneTurn(statements, { caller: 'definitions', signal }),
  );
  return running.catch((cause: unknown) => {
    throw new QueryError(tableMessages.definitions_wait(), 'overloaded', { cause });
  });
}

const daysTable = 'days';

export async function readDays(folder: string, readTable = tableReader()): Promise<NotedDays> {
  const path = pathOfTable(folder, daysTable);
  if (!existsSync(path)) return { notes: [] };
  const { rows, columns, unread } = await readTable(path);
  // A table of this name need not hold notes.
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

/** Reads each table once until its file changes. */
export function tableReader(): (path: string) => Promise<OwnTable> {
  return rememberFiles(async (path) => {
    const { dir, base, name } = parse(path);
    const { text } = readPlainFile(dirname(dir), `${basename(dir)}/${base}`, maxBytes['.csv']);
    const needed = name === daysTable ? ['day', 'note'] : [];
    return readOwnTable(name, text.replace('\uFEFF', ''), needed);
  });
}

/** The reason of a failure, without quotations of the file. */
function publicReason(error: unknown): Message {
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
    // A list of all tables would not help the owner of the file.
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
  const text = readPlainFile(folder, file, maxBytes['.sql']).text.replace('\uFEFF', '');
  const lines = text.split(/\r?\n/);
  const firstLine = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('--'));
  if (firstLine === -1) throw new InputError(tableMessages.only_comments());
  const parameters = new Map<string, string>();
  const description: string[] = [];
  for (const comment of lines.slice(0, firstLine).map((line) => line.replace('--', '').trim())) {
    const [, name, value = ''] = parameterForm.exec(comment) ?? [];
    if (name === undefined) description.push(comment);
    else parameters.set(name.toLowerCase(), literal(value));
  }
  const kind = { kind: 'view', sql: text, parameters: Object.fromEntries(parameters) } as const;
  return { file, line: firstLine + 1, description: description.join(' '), kind };
}

/** A default in SQL: a number, true, false or null, else a text. */
function literal(raw: string): string {
  if (/^(-?\d+(\.\d+)?|true|false|null)$/i.test(raw)) return raw;
  return quoteText(raw.replace(/^'(.*)'$/, '$1'));
}
