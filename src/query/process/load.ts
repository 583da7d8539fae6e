/** Tables of the rows that came in as JSON texts: the engine reads each value as the type that was found. */
import { quoteText } from '../../core/text.ts';
import { callColumn, type SqlType, type TableText } from '../table-text.ts';
import { type Database, quoteName } from './database.ts';

/** Makes the table `loaded.<name>`. */
export async function loadTable(
  database: Database,
  name: string,
  { columns, unseen, texts }: TableText,
): Promise<void> {
  const table = `loaded.${quoteName(name)}`;
  const own = [[callColumn, 'INTEGER'] as const, ...columns];
  const typed = own.map(([column, type]) => `${quoteName(column)} ${sqlType(type)}`);
  const empty = unseen.map((column) => `${quoteName(column)} VARCHAR`);
  // A table has one column at least.
  if (typed.length + empty.length === 1) empty.push('nothing VARCHAR');
  await database.rows(`CREATE TABLE ${table} (${[...typed, ...empty].join(', ')})`);
  // A table without rows would keep its calls from being asked for.
  await database.rows(`INSERT INTO ${table} (${callColumn}) VALUES (-1)`);
  const structure = Object.fromEntries(own.map(([column, type]) => [column, [readAs(type)]]));
  const names = own.map(([column]) => quoteName(column));
  const values = names.map((column) => `unnest(part.${column})`).join(', ');
  const part = `(SELECT from_json($1::VARCHAR, ${quoteText(JSON.stringify(structure))}) AS part)`;
  for (const text of texts)
    await database.rows(`INSERT INTO ${table} (${names}) SELECT ${values} FROM ${part}`, text);
}

function isList(type: SqlType): type is readonly [SqlType] {
  return Array.isArray(type);
}

/** What the engine reads a value as. As text first: amounts to the last digit, moments by Amsterdam's clock. */
function readAs(type: SqlType): unknown {
  if (typeof type === 'string')
    return /^(DECIMAL|TIMESTAMPTZ|VARIANT)/.test(type) ? 'VARCHAR' : type;
  if (isList(type)) return [readAs(type[0])];
  return Object.fromEntries(Object.entries(type).map(([key, inner]) => [key, readAs(inner)]));
}

/** A type in SQL's words. */
function sqlType(type: SqlType): string {
  if (typeof type === 'string') return type;
  if (isList(type)) return `${sqlType(type[0])}[]`;
  const fields = Object.entries(type).map(([key, inner]) => `${quoteName(key)} ${sqlType(inner)}`);
  return `STRUCT(${fields.join(', ')})`;
}
