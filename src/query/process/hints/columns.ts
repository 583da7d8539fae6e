/** Columns that do not hold what a statement takes them for: NULL, ids of something else, other values. */
import { quoteText } from '../database.ts';
import { columnNames, type Node, nodeOf, nodesOf, textOf } from '../tree.ts';
import { constantText, count, numbersOf, type Place, type TableColumn } from './places.ts';

/** `NOT IN` over values of which one is NULL: true of no row. */
export async function nullsInside(node: Node, place: Place): Promise<string | undefined> {
  const [inner] = node.type === 'OPERATOR_NOT' ? nodesOf(node, 'children') : [];
  const isIn = inner?.subquery_type === 'ANY' && inner.comparison_type === 'COMPARE_EQUAL';
  const query = isIn ? nodeOf(nodeOf(inner, 'subquery'), 'node') : undefined;
  if (query === undefined) return undefined;
  const values = await place.sqlOf(query);
  const [all = 0, held = 0] = await numbersOf(
    place,
    `SELECT count(*), count(v) FROM (${values}) s(v)`,
  );
  if (all === held) return undefined;
  const [item] = nodesOf(query, 'select_list');
  const name = (item && columnNames(item).at(-1)) ?? 'the value';
  return `NOT IN is true of no row, for ${count(all - held)} of the ${count(all)} values of ${name} in its subquery are NULL. Add WHERE ${name} IS NOT NULL there.`;
}

/** Ids of two kinds held against each other. */
export async function otherIds(node: Node, { columnOf }: Place): Promise<string | undefined> {
  if (node.type !== 'COMPARE_EQUAL' || node.class !== 'COMPARISON') return undefined;
  const [left, right] = [columnOf(nodeOf(node, 'left')), columnOf(nodeOf(node, 'right'))];
  const [a, b] = [idOf(left), idOf(right)];
  // A table held against itself is a search for such numbers.
  if (!a || !b || a === b || left?.table === right?.table) return undefined;
  return `${nameOf(left)} = ${nameOf(right)} holds ids of two kinds against each other: the first is ${a}, the second ${b}. Equal numbers there mean nothing; join each with its own.`;
}

/** Names of an answer's columns that say another kind of id than they hold. */
export async function otherNames(
  item: Node,
  { columnOf, select, tables }: Place,
): Promise<string | undefined> {
  const alias = textOf(item, 'alias').toLowerCase();
  if (alias === '' || alias === 'id' || !nodesOf(select, 'select_list').includes(item))
    return undefined;
  const found = columnOf(item);
  const a = idOf(found);
  const b = [...tables.values()].map(({ facts }) => facts?.ids[alias]).findLast(Boolean);
  if (a === undefined || b === undefined || a === b) return undefined;
  return `${nameOf(found)} AS ${alias} gives ids that are ${a} a name that says ${b}. Keep the name ${found?.column}.`;
}

function idOf(found: TableColumn | undefined): string | undefined {
  return found?.facts?.ids[found.column];
}

function nameOf(found: TableColumn | undefined): string {
  return `${found?.table}.${found?.column}`;
}

/** Most values of a column of few. */
const few = 12;

/** Constants that no row holds in a column of few values. */
export async function otherValues(
  node: Node,
  { columnOf, database }: Place,
): Promise<string | undefined> {
  const [operand, ...constants] = valuesIn(node);
  const found = columnOf(operand);
  if (found?.type !== 'VARCHAR') return undefined;
  const { table, column, sql, from } = found;
  const known = found.facts?.values[column] ?? [];
  const wanted = constants.flatMap((constant) => constantText(constant) ?? []);
  const others = wanted.filter((text) => !known.includes(text));
  if (others.length === 0) return undefined;
  const isFact = /^(measure|split)$/.test(column);
  const values = await database.rows(
    `SELECT ${sql}, count(*) FROM ${from} WHERE ${sql} IS NOT NULL GROUP BY 1 ORDER BY jaro_winkler_similarity(lower(${sql}), lower(${quoteText(others[0] ?? '')})) DESC, 1 LIMIT ${isFact ? 1000 : few + 1}`,
  );
  const rows = values.reduce((sum, [, own]) => sum + Number(own), 0);
  const held = values.map(([value]) => String(value));
  const missing = others.filter((text) => !held.includes(text));
  const isFew = isFact || (held.length <= few && rows >= 4 * held.length);
  if (missing.length === 0 || held.length === 0 || !isFew) return undefined;
  const order = held.length > few ? ', the nearest first' : '';
  return `No row of ${table} has ${column} ${missing.map(quoteText).join(' or ')}. The values there are${order}: ${held.slice(0, few).join(', ')}.`;
}

function valuesIn(node: Node): (Node | undefined)[] {
  if (node.type === 'COMPARE_IN' && node.class === 'OPERATOR') return nodesOf(node, 'children');
  if (node.class !== 'COMPARISON' || node.type !== 'COMPARE_EQUAL') return [];
  const [left, right] = [nodeOf(node, 'left'), nodeOf(node, 'right')];
  return constantText(left) === undefined ? [left, right] : [right, left];
}

/** Conditions on rows that the platform leaves out unless it is asked for them. */
export async function leftOut(node: Node, place: Place): Promise<string | undefined> {
  const where = nodeOf(place.select, 'where_clause');
  const isFlag = node === where || nodesOf(where, 'children').includes(node);
  const text = node.class === 'COMPARISON' ? constantText(nodeOf(node, 'right')) : undefined;
  const isTrue = node.type === 'COMPARE_EQUAL' && /^(1|true|t)$/.test(text ?? '');
  const isCompared = isTrue || (node.type === 'COMPARE_LESSTHAN' && text === '0');
  const found = place.columnOf(isCompared ? nodeOf(node, 'left') : isFlag ? node : undefined);
  const out = found?.facts?.leftOut[found.column];
  if (found === undefined || out === undefined) return undefined;
  const { table, sql, from } = found;
  const [rows = 0, held] = await numbersOf(
    place,
    `SELECT count(${sql}), count(*) FILTER (${out.condition}) FROM ${from}`,
  );
  if (held !== 0 || rows === 0) return undefined;
  return `${out.condition} holds in none of the ${count(rows)} rows of ${table}: the platform leaves such rows out unless asked. Ask with ${table}(..., ${out.argument} := true).`;
}
