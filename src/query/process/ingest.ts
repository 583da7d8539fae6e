/** A table of the rows that come in as JSON texts, which the engine itself reads into typed columns. */
import { noColumn, type SqlColumn, type TableColumn } from '../protocol/messages.ts';
import type { TypeHints } from '../provider.ts';
import type { Database } from './duckdb.ts';
import { quoteName, quoteText } from './sql.ts';

/** A table on its way in. */
export interface Ingest {
  /** Takes the values of some rows: a JSON object with a list for each column, as UTF-8. */
  rows(text: Uint8Array): Promise<void>;
  /**
   * Makes the table of all that was taken, and gives its columns.
   * @param values how many of each column are not null
   */
  end(values: readonly number[]): Promise<readonly SqlColumn[]>;
}

/** What is to become a table `loaded.<name>`. */
export interface NewTable {
  name: string;
  columns: readonly TableColumn[];
  /** Types in SQL's words for columns that come without a value, or not at all. */
  hints: TypeHints;
}

/** Text that one statement reads: each has costs of its own. */
const batchBytes = 1_000_000;

/** A table that is made with its first rows. */
export function createIngest(database: Database, { name, columns, hints }: NewTable): Ingest {
  const table = `loaded.${quoteName(name)}`;
  // Kept until the table holds them all: a type may have to be another one after all.
  const texts: Uint8Array[] = [];
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let isMade = false;
  let reading = readingOf(columns, hints);

  async function take(batch: readonly Uint8Array[]): Promise<void> {
    const places = batch.map((_, index) => `($${index + 1}::BLOB)`);
    const chunks = places.length > 0 ? places.join(', ') : '(NULL::BLOB)';
    const into = isMade ? `INSERT INTO ${table}` : `CREATE TABLE ${table} AS`;
    await database.run(`${into} ${reading} (VALUES ${chunks}) t(chunk)))`, ...batch);
    isMade = true;
  }

  async function flush(): Promise<void> {
    const batch = pending;
    pending = [];
    pendingBytes = 0;
    if (batch.length > 0 || !isMade) await take(batch);
  }

  return {
    async rows(text) {
      texts.push(text);
      pending.push(text);
      pendingBytes += text.length;
      if (pendingBytes >= batchBytes) await flush();
    },
    async end(values) {
      await flush();
      const lost = await lostColumns(database, table, columns, values);
      if (lost.size > 0) {
        await database.run(`DROP TABLE ${table}`);
        isMade = false;
        reading = readingOf(
          columns.map((it) => (lost.has(it) ? asText(it) : it)),
          hints,
        );
        for (const text of texts) await take([text]);
      }
      return columnsOf(database, table);
    },
  };
}

/** `SELECT ... FROM (SELECT from_json(...) FROM`: the rows of texts, up to where these stand. */
function readingOf(columns: readonly TableColumn[], hints: TypeHints): string {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  const extra = Object.entries(hints)
    .filter(([column]) => !names.has(column.toLowerCase()))
    .map(([column, hint]) => `CAST(NULL AS ${typeOf(hint)}) AS ${quoteName(column)}`);
  const held = columns.length > 0 ? columns : [noColumn];
  // A table has at least one column.
  const shown = columns.length > 0 || extra.length === 0 ? ['*', ...extra] : extra;
  const lists = held.map(({ name }) => `unnest(part.${quoteName(name)}) AS ${quoteName(name)}`);
  const structure = Object.fromEntries(held.map(({ name, type }) => [name, [type]]));
  const part = `from_json(decode(chunk), ${quoteText(JSON.stringify(structure))}) AS part`;
  return `SELECT ${shown.join(', ')} FROM (SELECT ${lists.join(', ')} FROM (SELECT ${part} FROM`;
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
  values: readonly number[],
): Promise<Set<TableColumn>> {
  if (columns.length === 0) return new Set();
  const counts = columns.map(({ name }) => `count(${quoteName(name)})`);
  const [text = '[]'] = await database.texts(`SELECT [${counts.join(', ')}]::JSON FROM ${table}`);
  const held: unknown[] = JSON.parse(text);
  return new Set(columns.filter((_, index) => held[index] !== values[index]));
}

function asText(column: TableColumn): TableColumn {
  return { ...column, type: column.holdsJson ? 'JSON' : 'VARCHAR' };
}

async function columnsOf(database: Database, table: string): Promise<SqlColumn[]> {
  const { columns } = await database.run(`FROM ${table} LIMIT 0`);
  return columns.map(({ name, type }) => ({ name, type: type.text }));
}
