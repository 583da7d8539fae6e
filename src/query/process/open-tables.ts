/**
 * Tables without rows. While rows are missing, columns are missing as well: those that the statement
 * names are taken on trust, and take another type where it cannot be read with the one they have.
 */
import { callColumn } from '../table-text.ts';
import type { EngineFailure } from './advice.ts';
import { type Database, quoteName } from './database.ts';

/** The type of a column of which nothing is known: it is taken for almost anything. */
const anyType = 'VARIANT';

export class OpenTables {
  readonly names = new Set<string>();
  /** Columns that were taken on trust. */
  readonly guesses = new Set<string>();
  readonly #database: Database;
  readonly #sql: string;

  constructor(database: Database, sql: string) {
    this.#database = database;
    this.#sql = sql;
  }

  /** Adds a column to a table that lacks it. Gives whether it did. */
  async add(table: string, column: string): Promise<boolean> {
    const columns = await this.#columns(table);
    if (columns.some(({ name }) => name.toLowerCase() === column.toLowerCase())) return false;
    await this.#alter(table, `ADD COLUMN ${quoteName(column)} ${anyType}`);
    return true;
  }

  /** Makes a column be there, or be read otherwise, over which the engine stumbles. Gives whether it can. */
  async mend(failure: EngineFailure, missing: string | undefined): Promise<boolean> {
    if (missing === undefined) return this.#retype(failure);
    this.guesses.add(missing);
    const added = [];
    for (const table of this.names) added.push(await this.add(table, missing));
    return added.includes(true);
  }

  async #retype({ type, message, position }: EngineFailure): Promise<boolean> {
    const after = this.#sql.slice(position).toLowerCase();
    // Functions of days are the ones that must know what they are given.
    const isOfDays = message.startsWith('Could not choose a best candidate');
    const wanted = /unnest/i.test(message) ? `${anyType}[]` : isOfDays && 'TIMESTAMPTZ';
    let nearest = { at: Number.POSITIVE_INFINITY, table: '', name: '', to: '' };
    for (const table of type === 'Binder' ? this.names : []) {
      for (const { name, type: now } of await this.#columns(table)) {
        const at = after.indexOf(name.toLowerCase());
        const to = now === anyType ? wanted : anyType;
        const isLast = /^(VARIANT\[\]|TIMESTAMP WITH TIME ZONE)$/.test(now);
        if (at !== -1 && at < nearest.at && to && !isLast) nearest = { at, table, name, to };
      }
    }
    const { table, name, to } = nearest;
    if (to !== '') await this.#alter(table, `ALTER COLUMN ${quoteName(name)} TYPE ${to}`);
    return to !== '';
  }

  async #alter(table: string, change: string): Promise<void> {
    await this.#database.rows(`ALTER TABLE loaded.${quoteName(table)} ${change}`);
  }

  async #columns(table: string): Promise<{ name: string; type: string }[]> {
    const rows = await this.#database.rows(`DESCRIBE loaded.${quoteName(table)}`);
    const columns = rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
    return columns.filter(({ name }) => name !== callColumn);
  }
}
