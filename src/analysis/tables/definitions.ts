/**
 * A business's own tables: each `views/NAME.sql` of a folder is a SELECT over the tools and other views,
 * each `tables/NAME.csv` a table. A problem is reported with file and line; the others work.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { quote, quoteText } from '../../core/text.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { QueryError } from '../../query/errors.ts';
import { isCodeName, type TableKind } from '../../query/provider.ts';
import { listColumns, type StatementTable } from './tables.ts';

/** What a folder defines, and its files that define nothing. */
export interface Definitions {
  tables: ReadonlyMap<string, StatementTable>;
  /** The file within the folder, such as `views/regulars.sql`, and why. */
  problems: readonly { file: string; line: number; reason: string }[];
}

/** A definition as its file has it. */
interface Definition {
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
  tools: ReadonlyMap<string, StatementTable>,
): Promise<Definitions> {
  const problems: Definitions['problems'][number][] = [];
  const found = new Map<string, Definition & { file: string }>();
  for (const file of [...filesOf(folder, 'views', '.sql'), ...filesOf(folder, 'tables', '.csv')]) {
    const name = basename(file, extname(file));
    try {
      if (!/^(?!__)[a-z_][a-z0-9_]{0,62}$/.test(name))
        throw new Error('Its name is no name of a table: small letters, digits and _.');
      if (tools.has(name) || found.has(name)) throw new Error(`There is a table ${name} already.`);
      const read = file.endsWith('.sql') ? readView : readCsv;
      found.set(name, { file, ...read(resolve(folder, file)) });
    } catch (error) {
      problems.push({ file, line: 1, reason: error instanceof Error ? error.message : '' });
    }
  }
  const kinds = new Map([...tools, ...found].map(([name, { kind }]) => [name, kind]));
  const provider = { tables: kinds, nowMs: Date.now(), load: async () => [] };
  const tables = new Map<string, StatementTable>();
  for (const [name, { file, kind, description, line }] of found) {
    try {
      const { rows, tables: reads } = await engine.run({
        ...{ sql: `DESCRIBE SELECT * FROM ${name}`, caller: 'definitions', provider },
        ...{ maxRows: 1000, signal: AbortSignal.timeout(30_000) },
      });
      const parameters = kind.kind === 'view' ? Object.entries(kind.parameters) : [];
      const text = {
        holds: quote(description, 500),
        arguments: parameters.map((parameter) => parameter.join(' = ')).join('; '),
        columns: listColumns(rows.map((row) => quote(String(row.column_name), 64))),
      };
      tables.set(name, { kind, describe: () => text, reads });
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
  const place = resolve(folder, part);
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
  const parameters: Record<string, string> = {};
  const description: string[] = [];
  for (const line of lines.slice(0, first)) {
    const [, parameter, value = ''] = parameterForm.exec(line) ?? [];
    if (parameter === undefined) description.push(line.replace(/^--\s?/, ''));
    else parameters[parameter.toLowerCase()] = literal(value.trim());
  }
  const kind = { kind: 'view', sql, parameters } as const;
  return { kind, description: description.join(' '), line: first + 1 };
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
    line: skip + 1,
  };
}
