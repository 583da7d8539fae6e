/** A table of the rows that come in as JSON texts, which the engine itself reads into typed columns. */
import type { EngineType, SqlColumn, TableColumn } from '../protocol/messages.ts';
import type { TypeHints } from '../provider.ts';
import type { Database } from './duckdb.ts';
import { quoteName, quoteText } from './sql.ts';

/** A table on its way in. */
export interface Ingest {
  /** Takes a JSON array of row objects, as UTF-8. */
  rows(text: Uint8Array): Promise<void>;
  /** Makes the table of all that was taken, and gives its columns. */
  end(): Promise<readonly SqlColumn[]>;
}

/** What is to become a table `loaded.<name>`. */
export interface NewTable {
  name: string;
  columns: readonly TableColumn[];
  /** Types in SQL's words for columns that come without a value, or not at all. */
  hints: TypeHints;
}

/** Text that one statement reads: each has costs of its own. */
const batchBytes = 4_000_000;

/** An empty table, to be filled. */
export async function createIngest(
  database: Database,
  { name, columns, hints }: NewTable,
): Promise<Ingest> {
  const table = `loaded.${quoteName(name)}`;
  // Kept until the table holds them all: a type may have to be another one after all.
  const texts: Uint8Array[] = [];
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;

  async function create(typed: readonly TableColumn[]): Promise<string> {
    const reading = readingOf(typed, hints);
    await database.run(`CREATE TABLE ${table} AS ${reading} (VALUES (NULL::BLOB)) t(chunk))`);
    return reading;
  }

  async function insert(reading: string, batch: readonly Uint8Array[]): Promise<void> {
    if (batch.length === 0) return;
    const places = batch.map((_, index) => `($${index + 1}::BLOB)`).join(', ');
    await database.run(`INSERT INTO ${table} ${reading} (VALUES ${places}) t(chunk))`, ...batch);
  }

  const reading = await create(columns);

  async function flush(): Promise<void> {
    const batch = pending;
    pending = [];
    pendingBytes = 0;
    await insert(reading, batch);
  }

  return {
    async rows(text) {
      texts.push(text);
      pending.push(text);
      pendingBytes += text.length;
      if (pendingBytes >= batchBytes) await flush();
    },
    async end() {
      await flush();
      const lost = await lostColumns(database, table, columns);
      if (lost.size > 0) {
        await database.run(`DROP TABLE ${table}`);
        const safe = await create(columns.map((it) => (lost.has(it) ? asText(it) : it)));
        for (const text of texts) await insert(safe, [text]);
      }
      return columnsOf(database, table);
    },
  };
}

/** `SELECT ... FROM (SELECT unnest(...) FROM`: the rows of texts, up to where these stand. */
function readingOf(columns: readonly TableColumn[], hints: TypeHints): string {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  const extra = Object.entries(hints)
    .filter(([column]) => !names.has(column.toLowerCase()))
    .map(([column, hint]) => `CAST(NULL AS ${typeOf(hint)}) AS ${quoteName(column)}`);
  if (columns.length === 0) {
    // A table has at least one column.
    const empty = extra.length > 0 ? extra : ['NULL::VARCHAR AS nothing'];
    return `SELECT ${empty.join(', ')} FROM (SELECT unnest(from_json(decode(chunk), '["JSON"]')) FROM`;
  }
  const structure: EngineType = [Object.fromEntries(columns.map(({ name, type }) => [name, type]))];
  const rows = `from_json(decode(chunk), ${quoteText(JSON.stringify(structure))})`;
  return `SELECT ${['*', ...extra].join(', ')} FROM (SELECT unnest(${rows}, max_depth := 2) FROM`;
}

function typeOf(hint: string | TypeHints): string {
  if (typeof hint === 'string') return hintForm.test(hint) ? hint : 'VARCHAR';
  const fields = Object.entries(hint).map(([name, inner]) => `${quoteName(name)} ${typeOf(inner)}`);
  return fields.length === 0 ? 'JSON' : `STRUCT(${fields.join(', ')})`;
}

/** Plain types and lists of them: a hint becomes a part of a statement. */
const hintForm = /^[a-z][a-z0-9_ ]*(\(\d+(, ?\d+)?\))?(\[\])*$/i;

/** The columns of which the engine could not read every value: it leaves those empty. */
async function lostColumns(
  database: Database,
  table: string,
  columns: readonly TableColumn[],
): Promise<Set<TableColumn>> {
  if (columns.length === 0) return new Set();
  const counts = columns.map(({ name }) => `count(${quoteName(name)})`);
  const [text = '[]'] = await database.texts(`SELECT [${counts.join(', ')}]::JSON FROM ${table}`);
  const held: unknown[] = JSON.parse(text);
  return new Set(columns.filter(({ values }, index) => held[index] !== values));
}

function asText(column: TableColumn): TableColumn {
  return { ...column, type: column.holdsJson ? 'JSON' : 'VARCHAR' };
}

async function columnsOf(database: Database, table: string): Promise<SqlColumn[]> {
  const { columns } = await database.run(`FROM ${table} LIMIT 0`);
  return columns.map(({ name, type }) => ({ name, type: type.text }));
}
