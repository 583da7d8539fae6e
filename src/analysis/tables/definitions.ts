/**
 * A business's own tables: each `views/NAME.sql` of a folder is a SELECT over the tools and other views,
 * each `tables/NAME.csv` a table. A problem is reported with file and line; the others work.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
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
interface Definition {
  kind: Exclude<TableKind, { kind: 'calls' }>;
  description: string;
  /** Its parameters with their defaults, as `tables` shows them. */
  parameters: string;
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
  tools: ReadonlyMap<string, StatementTable>,
): Promise<Definitions> {
  const problems: DefinitionProblem[] = [];
  const found = new Map<string, Definition & { file: string }>();
  for (const file of [...filesOf(folder, 'views', '.sql'), ...filesOf(folder, 'tables', '.csv')]) {
    const name = basename(file, extname(file));
    try {
      if (!/^[a-z][a-z0-9_]{0,62}$/.test(name))
        throw new Error('Its name is no name of a table: small letters, digits and _.');
      if (tools.has(name) || found.has(name)) throw new Error(`There is a table ${name} already.`);
      const read = file.endsWith('.sql') ? readView : readCsv;
      found.set(name, { file, ...read(join(folder, file)) });
    } catch (error) {
      problems.push({ file, line: 1, reason: error instanceof Error ? error.message : '' });
    }
  }
  const kinds = new Map([...tools, ...found].map(([name, { kind }]) => [name, kind]));
  const provider = { tables: kinds, nowMs: Date.now(), load: async () => [] };
  const tables = new Map<string, DefinedTable>();
  for (const [name, { file, kind, description, parameters, line }] of found) {
    try {
      const { rows, tables: reads } = await engine.run({
        ...{ sql: `DESCRIBE SELECT * FROM ${name}`, caller: 'definitions', provider },
        ...{ maxRows: 1000, signal: AbortSignal.timeout(30_000) },
      });
      const columns = listColumns(rows.map((row) => quote(String(row.column_name), 64)));
      const text = { holds: quote(description, 500), arguments: parameters, columns };
      tables.set(name, { kind, describe: () => text, reads: reads.filter((it) => it !== name) });
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      const [, at = line] = /at line (\d+)/.exec(error.message) ?? [];
      problems.push({ file, line: Number(at), reason: error.message });
    }
  }
  return { tables, problems };
}

/** The files of one kind, by their paths within the folder. */
function filesOf(folder: string, part: string, ending: string): string[] {
  const place = join(folder, part);
  const names = existsSync(place) ? readdirSync(place) : [];
  return names
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => `${part}/${name}`);
}

/** `-- parameter period = last_month` */
const parameterForm = /^--\s*parameter\s+([a-z_]\w*)\s*=\s*(.*)$/i;

/** Comment lines, the parameters among them, and a SELECT. */
function readView(path: string): Definition {
  const sql = readFileSync(path, 'utf8');
  const lines = sql.split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('--'));
  if (first === -1) throw new Error('It has no SELECT.');
  const comments = lines.slice(0, first);
  const declared = comments.flatMap((line) => {
    const [, name, value = ''] = parameterForm.exec(line) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), literal(value.trim())] as const];
  });
  const about = comments.filter((line) => !parameterForm.test(line));
  return {
    kind: { kind: 'view', sql, parameters: Object.fromEntries(declared) },
    description: about.map((line) => line.replace(/^--\s?/, '').trim()).join(' '),
    parameters: declared.map((parameter) => parameter.join(' = ')).join('; '),
    line: first + 1,
  };
}

/** A default as SQL: numbers and truths as they are, anything else as text. */
function literal(raw: string): string {
  if (/^(-?\d+(\.\d+)?|true|false|null)$/i.test(raw)) return raw;
  return quoteText(raw.replace(/^'(.*)'$/, '$1'));
}

/** Lines that begin with `#`, a header and rows. */
function readCsv(path: string): Definition {
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
    parameters: '',
    line: skip + 1,
  };
}
