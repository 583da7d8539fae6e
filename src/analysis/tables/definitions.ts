/**
 * A business's own tables: each `views/NAME.sql` of a folder is a SELECT over the tools and other views,
 * each `tables/NAME.csv` a table. A problem is reported with file and line; the others work.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SqlEngine } from '../../query/engine.ts';
import { QueryError } from '../../query/errors.ts';
import type { SqlColumn } from '../../query/messages.ts';
import { isCodeName, type TableKind } from '../../query/provider.ts';

/** A view or a file, as statements and `tables` know it. */
export interface DefinedTable {
  kind: 'view' | 'file';
  description: string;
  table: Exclude<TableKind, { kind: 'calls' }>;
  columns: readonly SqlColumn[];
  /** The tables that it reads. */
  reads: readonly string[];
}

/** A file that defines nothing, and why. */
export interface DefinitionProblem {
  /** Within the folder: `views/regulars.sql`. */
  file: string;
  line: number;
  reason: string;
}

export interface Definitions {
  tables: ReadonlyMap<string, DefinedTable>;
  problems: readonly DefinitionProblem[];
}

/** Longest CSV file, in bytes. */
const maxCsv = 5_000_000;

/** A definition as its file has it. */
interface Read {
  name: string;
  file: string;
  description: string;
  table: DefinedTable['table'];
  /** Where its SELECT begins. */
  line: number;
}

/**
 * Reads a folder and has the engine read each definition over the given tables; no rows are read.
 * @param tools every tool's table by name: a definition takes none of these names
 */
export async function readDefinitions(
  folder: string,
  engine: Pick<SqlEngine, 'run'>,
  tools: ReadonlyMap<string, TableKind>,
): Promise<Definitions> {
  const problems: DefinitionProblem[] = [];
  const read = new Map<string, Read>();
  for (const { file, name, path } of [
    ...filesOf(folder, 'views', 'sql'),
    ...filesOf(folder, 'tables', 'csv'),
  ]) {
    try {
      if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name) || name.startsWith('__'))
        throw new DefinitionError('Its name is no name of a table: small letters, digits and _.');
      if (tools.has(name) || read.has(name))
        throw new DefinitionError(`There is a table ${name} already.`);
      read.set(
        name,
        file.endsWith('.sql') ? readView(name, file, path) : readFile(name, file, path),
      );
    } catch (error) {
      problems.push({
        file,
        line: error instanceof DefinitionError ? error.line : 1,
        reason: messageOf(error),
      });
    }
  }
  const tables = new Map<string, DefinedTable>();
  const known = new Map([
    ...tools,
    ...[...read].map(([name, { table }]) => [name, table] as const),
  ]);
  for (const [name, { file, description, table, line }] of read) {
    try {
      const { rows, tables: reads } = await engine.run({
        sql: `DESCRIBE SELECT * FROM ${name}`,
        caller: 'definitions',
        provider: { tables: known, nowMs: Date.now(), load: async () => [] },
        maxRows: 1000,
        signal: AbortSignal.timeout(30_000),
      });
      const columns = rows.map((row) => ({
        name: String(row.column_name),
        type: String(row.column_type),
      }));
      const { kind } = table;
      tables.set(name, {
        kind,
        description,
        table,
        columns,
        reads: reads.filter((it) => it !== name),
      });
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      const at = Number(/at line (\d+)/.exec(error.message)?.[1] ?? line);
      problems.push({ file, line: at, reason: error.message });
    }
  }
  return { tables, problems };
}

class DefinitionError extends Error {
  readonly line: number;

  constructor(message: string, line = 1) {
    super(message);
    this.line = line;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function filesOf(folder: string, part: string, ending: string) {
  let names: string[] = [];
  try {
    names = readdirSync(join(folder, part));
  } catch {
    // A folder without views, or without tables, has none.
  }
  return names
    .filter((file) => file.endsWith(`.${ending}`))
    .sort()
    .map((file) => ({
      file: `${part}/${file}`,
      name: file.slice(0, -ending.length - 1),
      path: resolve(folder, part, file),
    }));
}

/** `-- parameter period = last_month` */
const parameterForm = /^--\s*parameter\s+([a-z_]\w*)\s*=\s*(.*)$/i;

function readView(name: string, file: string, path: string): Read {
  const sql = readFileSync(path, 'utf8');
  const lines = sql.split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('--'));
  if (first === -1) throw new DefinitionError('It has no SELECT.');
  const parameters: Record<string, string> = {};
  const description: string[] = [];
  for (const [index, line] of lines.slice(0, first).entries()) {
    const [, parameter, value = ''] = parameterForm.exec(line) ?? [];
    if (parameter !== undefined) parameters[parameter.toLowerCase()] = literal(value.trim());
    else if (/^--\s*parameter\b/i.test(line))
      throw new DefinitionError(
        'A parameter is written so: -- parameter period = last_month',
        index + 1,
      );
    else description.push(line.replace(/^--\s?/, '').trim());
  }
  const text = description.filter(Boolean).join(' ');
  return {
    name,
    file,
    description: text,
    table: { kind: 'view', sql, parameters },
    line: first + 1,
  };
}

/** A default as SQL: numbers and truths as they are, anything else as text. */
function literal(raw: string): string {
  if (/^(-?\d+(\.\d+)?|true|false|null)$/i.test(raw)) return raw;
  return `'${raw.replace(/^'(.*)'$/, '$1').replaceAll("'", "''")}'`;
}

function readFile(name: string, file: string, path: string): Read {
  const bytes = readFileSync(path);
  if (bytes.length > maxCsv)
    throw new DefinitionError(`It has ${bytes.length} bytes; ${maxCsv} is the most.`);
  const lines = bytes.toString().replace('\uFEFF', '').split(/\r?\n/);
  const skip = lines.findIndex((line) => !line.startsWith('#'));
  const description = lines.slice(0, skip).map((line) => line.replace(/^#\s*/, ''));
  const names = (lines[skip] ?? '')
    .split(/[,;\t|]/)
    .map((cell) => cell.replace(/^"|"$/g, '').trim());
  const texts = names.filter(isCodeName);
  const table = { kind: 'file', path, skip, texts } as const;
  return { name, file, description: description.join(' '), table, line: skip + 1 };
}
