/**
 * Rows into a table. The text of each chunk is looked through once, to see what its values have in
 * common; the engine itself then reads the text into typed columns.
 */
import { isRecord } from '../../core/json.ts';
import type { SqlColumn } from '../protocol/messages.ts';
import type { TypeHints } from '../provider.ts';
import { isStruct, type SqlType, type StructField, structFields } from './column-type.ts';
import type { Database } from './duckdb.ts';
import { needsRewrite, rewrite } from './rewrite.ts';
import { emptyShape, observe, type Shape } from './shape.ts';
import { quoteName, quoteText } from './sql.ts';

/** A table on its way in. */
export interface Ingest {
  /** Takes a JSON array of row objects. @throws {TypeError} when it is none */
  rows(text: string): Promise<void>;
  /** Makes the table of all that was taken, and gives its columns. */
  end(): Promise<readonly SqlColumn[]>;
}

/**
 * A new table `loaded.<name>`. `hints` are types in SQL's words for columns that come without a
 * value, or not at all.
 */
export async function createIngest(
  database: Database,
  name: string,
  hints: TypeHints,
): Promise<Ingest> {
  const columns = new Map<string, Shape>();
  const table = `loaded.${quoteName(name)}`;
  const staged = `loaded.${quoteName(`${name} staged`)}`;
  await database.run(`CREATE TABLE ${staged} (chunk VARCHAR)`);

  async function load(fields: readonly StructField[]): Promise<void> {
    const missing = Object.entries(hints).filter(
      ([column]) => !fields.some(({ name }) => name.toLowerCase() === column.toLowerCase()),
    );
    const extra = missing.map(
      ([column, hint]) => `CAST(NULL AS ${typeOf(hint)}) AS ${quoteName(column)}`,
    );
    if (fields.length === 0) {
      // A table has at least one column.
      const empty = extra.length > 0 ? extra : ['NULL::VARCHAR AS nothing'];
      await database.run(
        `CREATE TABLE ${table} AS SELECT ${empty.join(', ')} FROM
         (SELECT unnest(from_json(chunk, '["JSON"]')) FROM ${staged})`,
      );
      return;
    }
    const structure = quoteText(JSON.stringify([structureOf({ fields })]));
    await database.run(
      `CREATE TABLE ${table} AS SELECT ${['*', ...extra].join(', ')} FROM
       (SELECT unnest(from_json(chunk, ${structure}), max_depth := 2) FROM ${staged})`,
    );
  }

  return {
    async rows(text) {
      const rows: unknown = JSON.parse(text);
      if (!Array.isArray(rows)) throw new TypeError('Rows have to come as an array.');
      for (const row of rows) observeRow(columns, row);
      await database.run(`INSERT INTO ${staged} VALUES ($1)`, text);
    },
    async end() {
      const fields = structFields(columns, 0).filter((field) => !isHinted(field, hints));
      if (fields.some(isRewritten)) await rewriteStaged(database, staged, fields);
      await load(fields);
      const lost = await lostColumns(database, table, fields);
      if (lost.size > 0) {
        await database.run(`DROP TABLE ${table}`);
        await load(fields.map((field) => (lost.has(field) ? asText(field) : field)));
      }
      await database.run(`DROP TABLE ${staged}`);
      return columnsOf(database, table);
    },
  };
}

function observeRow(columns: Map<string, Shape>, row: unknown): void {
  if (!isRecord(row)) throw new TypeError('A row has to be an object.');
  for (const key of Object.keys(row)) {
    let shape = columns.get(key);
    if (shape === undefined) {
      shape = emptyShape();
      columns.set(key, shape);
    }
    observe(shape, row[key]);
  }
}

/** A column without a value gets its type from the hint, and nothing has to be read for it. */
function isHinted({ name, shape }: StructField, hints: TypeHints): boolean {
  return shape.values === 0 && Object.hasOwn(hints, name);
}

function typeOf(hint: string | TypeHints): string {
  if (typeof hint === 'string') return hintForm.test(hint) ? hint : 'VARCHAR';
  const fields = Object.entries(hint).map(([name, inner]) => `${quoteName(name)} ${typeOf(inner)}`);
  return fields.length === 0 ? 'JSON' : `STRUCT(${fields.join(', ')})`;
}

/** Plain types and lists of them: a hint becomes a part of a statement. */
const hintForm = /^[a-z][a-z0-9_ ]*(\(\d+(, ?\d+)?\))?(\[\])*$/i;

function isRewritten({ key, name, type, shape }: StructField): boolean {
  return key !== name || needsRewrite(type, shape);
}

async function rewriteStaged(
  database: Database,
  staged: string,
  fields: readonly StructField[],
): Promise<void> {
  const texts = await database.texts(`SELECT chunk FROM ${staged}`);
  await database.run(`DELETE FROM ${staged}`);
  for (const text of texts) {
    const rows: unknown[] = JSON.parse(text);
    const rewritten = rows.map((row) => rewrite(row, { fields }, emptyShape()));
    await database.run(`INSERT INTO ${staged} VALUES ($1)`, JSON.stringify(rewritten));
  }
}

/** The columns of which the engine could not read every value: it leaves those empty. */
async function lostColumns(
  database: Database,
  table: string,
  fields: readonly StructField[],
): Promise<Set<StructField>> {
  if (fields.length === 0) return new Set();
  const counts = fields.map(({ name }) => `count(${quoteName(name)})`);
  const [text = '[]'] = await database.texts(`SELECT [${counts.join(', ')}]::JSON FROM ${table}`);
  const held: unknown[] = JSON.parse(text);
  return new Set(fields.filter(({ shape }, index) => held[index] !== shape.values));
}

function asText(field: StructField): StructField {
  return { ...field, type: field.shape.objects + field.shape.lists > 0 ? 'JSON' : 'VARCHAR' };
}

/** The type in the form of `from_json`. */
function structureOf(type: SqlType): unknown {
  if (isStruct(type)) {
    return Object.fromEntries(type.fields.map(({ name, type }) => [name, structureOf(type)]));
  }
  return typeof type === 'string' ? type : [structureOf(type[0])];
}

async function columnsOf(database: Database, table: string): Promise<SqlColumn[]> {
  const { columns } = await database.run(`FROM ${table} LIMIT 0`);
  return columns.map(({ name, type }) => ({ name, type: type.text }));
}
