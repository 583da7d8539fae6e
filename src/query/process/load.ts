/** Tables of the rows that came in as JSON texts: the engine reads each value as the type that was found. */
import { quoteText } from '../../core/text.ts';
import { type ColumnType, callColumn, type TableText } from '../table-text.ts';
import { type Database, quoteName } from './database.ts';

/** Texts that one statement reads: each has costs of its own. */
const batchTexts = 20;

/** Makes the table `loaded.<name>`. */
export async function loadTable(
  database: Database,
  name: string,
  { columns, unseen, texts }: TableText,
): Promise<void> {
  const table = `loaded.${quoteName(name)}`;
  const own = [[callColumn, 'INTEGER'] as const, ...columns];
  const all = [...own, ...unseen];
  // A table has one column at least.
  if (all.length === 1) all.push(['nothing', 'VARCHAR']);
  const typed = all.map(([column, type]) => `${quoteName(column)} ${sqlType(type)}`);
  await database.rows(`CREATE TABLE ${table} (${typed.join(', ')})`);
  // A table without rows would keep its calls from being asked for.
  await database.rows(`INSERT INTO ${table} (${callColumn}) VALUES (-1)`);
  const structure = Object.fromEntries(own.map(([column, type]) => [column, [readAs(type)]]));
  const names = own.map(([column]) => quoteName(column));
  const values = names.map((column) => `unnest(part.${column})`);
  const read = `from_json(text, ${quoteText(JSON.stringify(structure))})`;
  for (let from = 0; from < texts.length; from += batchTexts) {
    const batch = texts.slice(from, from + batchTexts);
    const rows = batch.map((_, index) => `($${index + 1}::VARCHAR)`).join(', ');
    await database.rows(
      `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM (SELECT ${read} AS part FROM (VALUES ${rows}) t(text))`,
      ...batch,
    );
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
function sqlType(type: ColumnType): string {
  if (typeof type === 'string') return type;
  if (isList(type)) return `${sqlType(type[0])}[]`;
  const fields = Object.entries(type).map(([key, inner]) => `${quoteName(key)} ${sqlType(inner)}`);
  return `STRUCT(${fields.join(', ')})`;
}
