/**
 * Tables without rows. While rows are missing, columns are missing as well: those that the statement
 * names are taken on trust, and take another type where it cannot be read with the one they have.
 */
import type { ColumnType } from '../table-text.ts';
import type { EngineFailure } from './advice.ts';
import type { Database } from './database.ts';
import { loadTable } from './load.ts';

/** The type of a column of which nothing is known: it is taken for almost anything. */
export const anyType = 'VARIANT';

export class OpenTables {
  /** Columns that were taken on trust. */
  readonly guesses = new Set<string>();
  readonly #database: Database;
  /** The columns of each table with their types. */
  readonly #tables = new Map<string, Map<string, ColumnType>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Makes a table of the columns that are known. */
  async add(table: string, columns: Map<string, ColumnType>): Promise<void> {
    this.#tables.set(table, columns);
    await this.#make(table);
  }

  /** Makes a column be there, or be read otherwise, over which a statement stumbles. Gives whether it can. */
  async mend(sql: string, failure: EngineFailure, missing: string | undefined): Promise<boolean> {
    if (missing === undefined) return this.#retype(sql, failure);
    this.guesses.add(missing);
    const lacking = [...this.#tables].filter(([, columns]) => !columns.has(missing));
    for (const [table, columns] of lacking) {
      columns.set(missing, anyType);
      await this.#make(table);
    }
    return lacking.length > 0;
  }

  /** The column that is named next in the text takes the type that is missed there. */
  async #retype(sql: string, { type, message, position }: EngineFailure): Promise<boolean> {
    if (type !== 'Binder') return false;
    const after = sql.slice(position).toLowerCase();
    // Functions of days are the ones that must know what they are given.
    const isOfDays = message.startsWith('Could not choose a best candidate');
    const wanted = /unnest/i.test(message) ? `${anyType}[]` : isOfDays ? 'TIMESTAMPTZ' : undefined;
    const found = [...this.#tables].flatMap(([table, columns]) =>
      [...columns].flatMap(([name, now]) => {
        const to = now === anyType ? wanted : anyType;
        const at = after.indexOf(name.toLowerCase());
        const isLast = now === `${anyType}[]` || now === 'TIMESTAMPTZ';
        return at === -1 || to === undefined || isLast ? [] : [{ at, table, columns, name, to }];
      }),
    );
    const [next] = found.sort((a, b) => a.at - b.at);
    if (next === undefined) return false;
    next.columns.set(next.name, next.to);
    await this.#make(next.table);
    return true;
  }

  #make(table: string): Promise<void> {
    const columns = [...(this.#tables.get(table) ?? [])];
    return loadTable(this.#database, table, { columns });
  }
}
