/** Tables of the rows that come in as JSON texts: the engine reads each as the type that was found. */
import { type ColumnType, callColumn } from '../rows/table-text.ts';
import { type Database, quoteName, quoteText } from './database.ts';

/** Text that one statement reads: each has costs of its own. */
const batchLength = 2_000_000;

export class Ingest {
  readonly #database: Database;
  readonly #table: string;
  readonly #reading: string;
  #texts: string[] = [];
  #length = 0;
  #isMade = false;

  /** Loads the table `loaded.<name>`. */
  constructor(
    database: Database,
    name: string,
    columns: readonly (readonly [string, ColumnType])[],
  ) {
    this.#database = database;
    this.#table = `loaded.${quoteName(name)}`;
    const all = [[callColumn, 'INTEGER'] as const, ...columns];
    if (columns.length === 0) all.push(['nothing', 'VARCHAR']);
    const structure = JSON.stringify(
      Object.fromEntries(all.map(([column, type]) => [column, [readAs(type)]])),
    );
    const values = all.map(([column, type]) => {
      const quoted = quoteName(column);
      return `CAST(unnest(part.${quoted}) AS ${sqlType(type)}) AS ${quoted}`;
    });
    this.#reading = `SELECT ${values.join(', ')} FROM (SELECT from_json(text, ${quoteText(structure)}) AS part FROM`;
  }

  async rows(text: string): Promise<void> {
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#length >= batchLength) await this.#flush();
  }

  async end(): Promise<void> {
    if (this.#texts.length > 0 || !this.#isMade) await this.#flush();
    // A table without rows would keep its calls from being asked for.
    await this.#database.run(`INSERT INTO ${this.#table} (${callColumn}) VALUES (-1)`);
  }

  async #flush(): Promise<void> {
    const texts = this.#texts.length === 0 ? ['{}'] : this.#texts;
    this.#texts = [];
    this.#length = 0;
    const values = texts.map((_, index) => `($${index + 1}::VARCHAR)`).join(', ');
    const into = this.#isMade ? `INSERT INTO ${this.#table}` : `CREATE TABLE ${this.#table} AS`;
    await this.#database.run(`${into} ${this.#reading} (VALUES ${values}) t(text))`, ...texts);
    this.#isMade = true;
  }
}

function isList(type: ColumnType): type is readonly [ColumnType] {
  return Array.isArray(type);
}

/** What the engine reads a value as: days and amounts first as the text that they are written as. */
function readAs(type: ColumnType): unknown {
  if (typeof type === 'string')
    return /^(BIGINT|BOOLEAN|DOUBLE|JSON)$/.test(type) ? type : 'VARCHAR';
  if (isList(type)) return [readAs(type[0])];
  return Object.fromEntries(Object.entries(type).map(([key, inner]) => [key, readAs(inner)]));
}

/** A type in SQL's words. */
export function sqlType(type: ColumnType): string {
  if (typeof type === 'string') return type;
  if (isList(type)) return `${sqlType(type[0])}[]`;
  const fields = Object.entries(type).map(([key, inner]) => `${quoteName(key)} ${sqlType(inner)}`);
  return `STRUCT(${fields.join(', ')})`;
}
