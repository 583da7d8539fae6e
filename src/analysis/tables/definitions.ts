/**
 * A business's own tables: each `views/NAME.sql` of a folder is a SELECT over the tools and other views,
 * each `tables/NAME.csv` a table. A problem is reported with file and line; the others work.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { quote, quoteText } from '../../core/text.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { QueryError } from '../../query/errors.ts';
import { isCodeName, type TableKind } from '../../query/provider.ts';
import { listColumns } from './describe-tables.ts';
import type { StatementTable } from './tables.ts';

/** A view or a file. */
export interface DefinedTable extends StatementTable {
  /** The tables that it reads: who lacks one of them does not have it. */
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

/** A definition as its file has it. */
interface Read {
  kind: Exclude<TableKind, { kind: 'calls' }>;
  description: string;
  /** Where its SELECT or its header is. */
  line: number;
}

/** Longest CSV file, in bytes. */
const maxCsv = 5_000_000;

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
  const read = new Map<string, Read & { file: string }>();
  for (const file of [...filesOf(folder, 'views', '.sql'), ...filesOf(folder, 'tables', '.csv')]) {
    const name = basename(file, extname(file));
    try {
      if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name) || name.startsWith('__'))
        throw new Error('Its name is no name of a table: small letters, digits and _.');
      if (tools.has(name) || read.has(name)) throw new Error(`There is a table ${name} already.`);
      const readIt = file.endsWith('.sql') ? readView : readCsv;
      read.set(name, { file, ...readIt(resolve(folder, file)) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      problems.push({ file, line: 1, reason });
    }
  }
  const known = new Map([...tools, ...[...read].map(([name, { kind }]) => [name, kind] as const)]);
  const tables = new Map<string, DefinedTable>();
  for (const [name, { file, kind, description, line }] of read) {
    try {
      const { rows, tables: reads } = await engine.run({
        sql: `DESCRIBE SELECT * FROM ${name}`,
        caller: 'definitions',
        provider: { tables: known, nowMs: Date.now(), load: async () => [] },
        maxRows: 1000,
        signal: AbortSignal.timeout(30_000),
      });
      const parameters = kind.kind === 'view' ? Object.entries(kind.parameters) : [];
      const text = {
        holds: quote(description, 500),
        arguments: parameters.map((parameter) => parameter.join(' = ')).join('; '),
        columns: listColumns(rows.map((row) => quote(String(row.column_name), 64))),
      };
      tables.set(name, { kind, describe: () => text, reads: reads.filter((it) => it !== name) });
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      const at = Number(/at line (\d+)/.exec(error.message)?.[1] ?? line);
      problems.push({ file, line: at, reason: error.message });
    }
  }
  return { tables, problems };
}

/** The files of one kind, by their paths within the folder. */
function filesOf(folder: string, part: string, ending: string): string[] {
  try {
    const names = readdirSync(resolve(folder, part)).filter((name) => name.endsWith(ending));
    return names.sort().map((name) => `${part}/${name}`);
  } catch {
    // A folder without views, or without tables, has none.
    return [];
  }
}

/** `-- parameter period = last_month` */
const parameterForm = /^--\s*parameter\s+([a-z_]\w*)\s*=\s*(.*)$/i;

function readView(path: string): Read {
  const sql = readFileSync(path, 'utf8');
  const lines = sql.split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('--'));
  if (first === -1) throw new Error('It has no SELECT.');
  const parameters: Record<string, string> = {};
  const description: string[] = [];
  for (const line of lines.slice(0, first)) {
    const [, parameter, value = ''] = parameterForm.exec(line) ?? [];
    if (parameter === undefined) description.push(line.replace(/^--\s?/, '').trim());
    else parameters[parameter.toLowerCase()] = literal(value.trim());
  }
  const kind = { kind: 'view', sql, parameters } as const;
  return { kind, description: description.filter(Boolean).join(' '), line: first + 1 };
}

/** A default as SQL: numbers and truths as they are, anything else as text. */
function literal(raw: string): string {
  if (/^(-?\d+(\.\d+)?|true|false|null)$/i.test(raw)) return raw;
  return quoteText(raw.replace(/^'(.*)'$/, '$1'));
}

function readCsv(path: string): Read {
  const bytes = readFileSync(path);
  if (bytes.length > maxCsv)
    throw new Error(`It has ${bytes.length} bytes; ${maxCsv} is the most.`);
  const lines = bytes.toString().replace('\uFEFF', '').split(/\r?\n/);
  const skip = lines.findIndex((line) => !line.startsWith('#'));
  const names = (lines[skip] ?? '').split(/[,;\t|]/).map((it) => it.replace(/^"|"$/g, '').trim());
  const description = lines.slice(0, skip).map((line) => line.replace(/^#\s*/, ''));
  return {
    kind: { kind: 'file', path, skip, texts: names.filter(isCodeName) },
    description: description.join(' '),
    line: skip + 1,
  };
}
