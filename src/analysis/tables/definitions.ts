/**
 * A business's own tables: each `views/NAME.sql` of a folder is a SELECT over the tools and other views,
 * each `tables/NAME.csv` a table. A problem is reported with file and line; the others work.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { isDay } from '../../core/calendar.ts';
import { isCodeName } from '../../core/column-name.ts';
import { messageOf } from '../../core/errors.ts';
import { readPlainFile } from '../../core/files.ts';
import { type JsonObject, toText } from '../../core/json.ts';
import { listFirst, quote, quoteText } from '../../core/text.ts';
import type { QueryResult, SqlEngine } from '../../query/engine.ts';
import { QueryError, type QueryErrorCode } from '../../query/errors.ts';
import type { TableKind, TableProvider } from '../../query/provider.ts';
import type { DayNote } from '../answer.ts';
import type { StatementTable } from './tables.ts';

/** What a folder defines, and its files that define nothing. */
export interface Definitions {
  tables: ReadonlyMap<string, StatementTable>;
  problems: readonly DefinitionProblem[];
  /** What `tables/days.csv` notes of days. */
  days: readonly DayNote[];
}

/**
 * What is wrong with a file within the folder, such as `views/regulars.sql`, or with the folder itself; for its
 * owner, never for callers.
 */
export interface DefinitionProblem {
  /** Empty for the folder. */
  file: string;
  line?: number;
  /** Quotes names, and nothing else of what stands there. */
  reason: string;
}

/** Largest files, in bytes. */
const mostBytes = { '.sql': 100_000, '.csv': 5_000_000 };

/**
 * Reads a folder and has the engine read each definition over the given tables; no rows are read. A column that only
 * rows can show is no problem.
 * @param tools every tool's table by name: a definition takes none of these names
 * @throws {QueryError} `overloaded` when the engine has no turn for them
 */
export async function readDefinitions(
  folder: string,
  engine: Pick<SqlEngine, 'runInOneTurn'>,
  tools: ReadonlyMap<string, StatementTable>,
): Promise<Definitions> {
  const problems: DefinitionProblem[] = [];
  const found = new Map<string, ReturnType<typeof readDefinition>>();
  const tables = new Map<string, StatementTable>();
  const days: DayNote[] = [];

  /** What goes wrong with a file ends the work on it, and is said. */
  async function attempt(file: string, line: number, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      // Nobody looks for a table among the names of all where a file is named.
      const reason = reasonOf(error).replace(/ The tables: .*$/s, '');
      const [, at = line] = /at line (\d+)/.exec(reason) ?? [];
      problems.push({ file, line: Number(at), reason });
    }
  }

  function read(file: string): void {
    const name = basename(file, extname(file));
    if (!/^(?!__)[a-z_][a-z0-9_]{0,62}$/.test(name))
      throw new Error('Its name is no name of a table: small letters, digits and _.');
    if (tools.has(name) || found.has(name)) throw new Error(`There is a table ${name} already.`);
    found.set(name, readDefinition(folder, file));
  }

  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    problems.push({ file: '', reason: 'There is no such folder.' });
  for (const [part, ending] of Object.entries({ views: '.sql', tables: '.csv' }))
    await attempt(part, 1, async () => {
      for (const file of filesOf(folder, part, ending)) await attempt(file, 1, () => read(file));
    });
  const kinds = new Map([...tools, ...found].map(([name, { kind }]) => [name, kind]));
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), mostMs);
  const { signal } = deadline;
  const noted = found.get(daysTable);
  try {
    const describing = [...found.keys()].map((name) => `DESCRIBE SELECT * FROM ${name}`);
    const asked = noted ? [...describing, `FROM ${daysTable}`] : describing;
    const results = await runAll(engine, asked, kinds, signal);
    const resultOf = (at: number) => {
      const result = results[at];
      if (result?.status === 'rejected') throw result.reason;
      return result?.value;
    };
    for (const [at, [name, { file, kind, description, line }]] of [...found].entries())
      await attempt(file, line, () => {
        const { rows = [], shape } = resultOf(at) ?? {};
        const parameters = kind.kind === 'view' ? Object.entries(kind.parameters) : [];
        const named = rows.map((row) => quote(String(row.column_name), 64));
        const text = {
          holds: quote(description, 500),
          arguments: parameters.map((parameter) => parameter.join(' = ')).join('; '),
          columns: listFirst(named, 60),
        };
        tables.set(name, { kind, describe: () => text, reads: shape?.tables ?? [] });
      });
    const table = tables.get(daysTable);
    if (noted && table)
      await attempt(noted.file, noted.line, () => {
        const { rows = [], columns: given = [] } = resultOf(found.size) ?? {};
        const names = given.map((column) => column.name);
        // Another table of that name is a table and no more.
        if (!names.includes('day') || !names.includes('note')) return;
        tables.delete(daysTable);
        days.push(...rows.map((row, nth) => readDayNote(row, noted.line + 1 + nth)));
        tables.set(daysTable, table);
      });
    return { tables, problems, days };
  } finally {
    clearTimeout(timer);
  }
}

const mostMs = 30_000;

function busy(cause?: unknown): never {
  const sentence =
    'The query engine is busy: no turn came in which to read the definitions. Try again.';
  throw new QueryError('overloaded', sentence, { cause });
}

/** Runs all statements in one turn of the engine, so that a busy one is waited for once. */
async function runAll(
  engine: Pick<SqlEngine, 'runInOneTurn'>,
  statements: readonly string[],
  tables: TableProvider['tables'],
  signal: AbortSignal,
): Promise<PromiseSettledResult<QueryResult>[]> {
  const provider = { tables, nowMs: Date.now(), load: async () => [] };
  const running = statements.map((sql) => ({ sql, maxRows: maxDays, provider }));
  const results = await engine.runInOneTurn(running, { caller: 'definitions', signal }).catch(busy);
  // What the deadline ended says nothing of the definitions.
  if (signal.aborted) busy();
  return results;
}

/** The table of days with a story, and how many of them are read. */
const [daysTable, maxDays] = ['days', 10_000];

/** Whether a folder notes days. */
export function hasDays(folder: string): boolean {
  return folder !== '' && existsSync(resolve(folder, 'tables', `${daysTable}.csv`));
}

/** @throws {Error} for a row without a day or a note, with its line */
function readDayNote(row: JsonObject, line: number): DayNote {
  const [day = '', note = '', shop = ''] = [row.day, row.note, row.shop_id].map(toText);
  const isUnusual = row.unusual === true || /^(true|1)$/i.test(toText(row.unusual));
  if (!isDay(day) || note.trim() === '')
    throw new Error(`at line ${line}: columns day (YYYY-MM-DD) and note are needed in every row.`);
  const id = Number(shop);
  return {
    ...{ day, note: note.trim(), ...(isUnusual && { unusual: true }) },
    ...(shop !== '' && Number.isSafeInteger(id) && { shop_id: id }),
  };
}

/** What is said of errors whose texts quote the statement or its values; their place goes with it. */
const withoutQuotes: Partial<Record<QueryErrorCode, string>> = {
  syntax: 'It is no SQL',
  not_select: 'It is no SELECT',
  bad_value: 'A value in it cannot be converted or computed',
};

function reasonOf(error: unknown): string {
  const message = messageOf(error);
  const sentence = error instanceof QueryError ? withoutQuotes[error.code] : undefined;
  const [place = ''] = / at line \d+, column \d+/.exec(message) ?? [];
  return sentence === undefined ? message : `${sentence}${place}.`;
}

function filesOf(folder: string, part: string, ending: string): string[] {
  const path = resolve(folder, part);
  const names = existsSync(path) ? readdirSync(path) : [];
  const chosen = names.filter((name) => name.endsWith(ending)).sort();
  return chosen.map((name) => `${part}/${name}`);
}

/** `parameter period = last_month` */
const parameterForm = /^parameter\s+([a-z_]\w*)\s*=\s*(.*)$/i;

/** A view or a CSV file, with the comments before its SELECT or its header and the line of that. */
function readDefinition(folder: string, file: string) {
  const isView = file.endsWith('.sql');
  const read = readPlainFile(folder, file, mostBytes[isView ? '.sql' : '.csv']);
  const text = read.text.replace('\uFEFF', '');
  const lines = text.split(/\r?\n/);
  const mark = isView ? '--' : '#';
  const skip = lines.findIndex((line) => line.trim() !== '' && !line.startsWith(mark));
  const header = lines[skip];
  if (header === undefined) throw new Error('It holds nothing but comments.');
  const parameters = new Map<string, string>();
  const description: string[] = [];
  for (const comment of lines.slice(0, skip).map((line) => line.replace(mark, '').trim())) {
    const [, name, value = ''] = parameterForm.exec(comment) ?? [];
    if (name === undefined) description.push(comment);
    else parameters.set(name.toLowerCase(), literal(value));
  }
  const names = header.split(/[,;\t|]/).map((it) => it.replace(/^"|"$/g, '').trim());
  const rows = isView || !header.includes(';') ? [] : lines.slice(skip + 1);
  const kind: Exclude<TableKind, { kind: 'calls' }> = isView
    ? { kind: 'view', sql: text, parameters: Object.fromEntries(parameters) }
    : {
        ...{ kind: 'file', path: read.path, skip },
        texts: names.filter(isCodeName),
        dutch: dutchColumns(names, rows),
      };
  return { file, kind, description: description.join(' '), line: skip + 1 };
}

/** Digits in threes, or without points; decimals behind a comma. */
const dutchNumber = /^(?:€\s*)?-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,9}))?$/;

/**
 * The columns of a file of a Dutch Excel (`;` between cells) that hold nothing but its numbers, with their decimals;
 * `1.000` is a thousand only where a comma in the file says so.
 */
function dutchColumns(names: readonly string[], lines: readonly string[]): [string, number][] {
  const rows = lines.filter((line) => line.trim() !== '').map((line) => line.split(';'));
  const columns = names.map((name, at) => {
    const cells = rows.map((row) => (row[at] ?? '').replace(/^"(.*)"$/, '$1').trim());
    const read = cells.filter((cell) => cell !== '').map((cell) => dutchNumber.exec(cell));
    const isDutch = !isCodeName(name) && read.length > 0 && read.every((found) => found !== null);
    const decimals = read.reduce((most, found) => Math.max(most, found?.[1]?.length ?? 0), 0);
    return { name, decimals, isDutch, hasPoints: cells.some((cell) => cell.includes('.')) };
  });
  const written = columns.filter(({ isDutch }) => isDutch);
  if (!written.some(({ decimals }) => decimals > 0)) return [];
  return written
    .filter(({ decimals, hasPoints }) => decimals > 0 || hasPoints)
    .map(({ name, decimals }) => [name, decimals]);
}

/** A default as SQL: numbers and truths as they are, anything else as text. */
function literal(raw: string): string {
  if (/^(-?\d+(\.\d+)?|true|false|null)$/i.test(raw)) return raw;
  return quoteText(raw.replace(/^'(.*)'$/, '$1'));
}
