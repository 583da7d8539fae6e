/** Columns that do not hold what a statement takes them for: NULL, ids of something else, other values. */
import type { Database } from '../database.ts';
import { quoteName, quoteText } from '../database.ts';
import { columnNames, type Node, nodeOf, nodesOf, textOf } from '../tree.ts';
import {
  constantText,
  count,
  type LoadedTable,
  type Place,
  rowsOf,
  type TableColumn,
} from './places.ts';

/** `NOT IN` over values of which one is NULL: true of no row. */
export async function nullsInside(database: Database, { nodes, sqlOf }: Place): Promise<string[]> {
  const said: string[] = [];
  for (const node of nodes) {
    const [inner] = node.type === 'OPERATOR_NOT' ? nodesOf(node, 'children') : [];
    const query = queryIn(inner);
    if (query === undefined) continue;
    const sql = await sqlOf(query);
    const [[all, held] = []] = await database.rows(`SELECT count(*), count(v) FROM (${sql}) s(v)`);
    if (all === held) continue;
    const [item] = nodesOf(query, 'select_list');
    const name = (item && columnNames(item).at(-1)) ?? 'the value';
    said.push(
      `NOT IN is true of no row, for ${count(Number(all) - Number(held))} of the ${count(all)} values of ${name} in its subquery are NULL. Add WHERE ${name} IS NOT NULL there.`,
    );
  }
  return said;
}

/** The query of `x IN (SELECT ...)`. */
function queryIn(node: Node | undefined): Node | undefined {
  const isIn = node?.subquery_type === 'ANY' && node.comparison_type === 'COMPARE_EQUAL';
  return isIn ? nodeOf(nodeOf(node, 'subquery'), 'node') : undefined;
}

/** Ids of two kinds held against each other, and names that say another kind. */
export function otherIds(
  tables: ReadonlyMap<string, LoadedTable>,
  { select, nodes, columnOf }: Place,
): string[] {
  const kindOf = (found: TableColumn | undefined) =>
    found && tables.get(found.table)?.facts?.ids[found.column];
  const said: string[] = [];
  for (const node of nodes) {
    const isEqual = node.class === 'COMPARISON' && node.type === 'COMPARE_EQUAL';
    const [left, right] = [columnOf(nodeOf(node, 'left')), columnOf(nodeOf(node, 'right'))];
    const [a, b] = [kindOf(left), kindOf(right)];
    // A table held against itself is a search for such numbers.
    if (!isEqual || !a || !b || a === b || left?.table === right?.table) continue;
    said.push(
      `${nameOf(left)} = ${nameOf(right)} holds ids of two kinds against each other: the first is ${a}, the second ${b}. Equal numbers there mean nothing; join each with its own.`,
    );
  }
  const known = new Map(
    [...tables.values()].flatMap(({ facts }) => Object.entries(facts?.ids ?? {})),
  );
  for (const item of nodesOf(select, 'select_list')) {
    const alias = textOf(item, 'alias').toLowerCase();
    const found = columnOf(item);
    const [a, b] = [kindOf(found), alias === 'id' ? undefined : known.get(alias)];
    if (a === undefined || b === undefined || a === b) continue;
    said.push(
      `${nameOf(found)} AS ${alias} gives ids that are ${a} a name that says ${b}. Keep the name ${found?.column}.`,
    );
  }
  return said;
}

function nameOf(found: TableColumn | undefined): string {
  return `${found?.table}.${found?.column}`;
}

/** Most values of a column of few. */
const few = 12;

/** Constants that no row holds in a column of few values. */
export async function otherValues(
  database: Database,
  tables: ReadonlyMap<string, LoadedTable>,
  { nodes, columnOf }: Place,
): Promise<string[]> {
  const said: string[] = [];
  for (const node of nodes) {
    const [column, ...constants] = valuesIn(node);
    const found = columnOf(column);
    if (found?.type !== 'VARCHAR') continue;
    const isFact = /^(measure|split)$/.test(found.column);
    const known = tables.get(found.table)?.facts?.values[found.column] ?? [];
    const texts = constants.flatMap((constant) => constantText(constant) ?? []);
    const wanted = texts.filter((text) => !known.includes(text));
    if (wanted.length === 0) continue;
    const name = quoteName(found.column);
    const values = await database.rows(
      `SELECT ${name}, count(*) FROM ${rowsOf(found.table)} WHERE ${name} IS NOT NULL GROUP BY 1 ORDER BY jaro_winkler_similarity(lower(${name}), lower(${quoteText(wanted[0] ?? '')})) DESC, 1 LIMIT ${isFact ? 1000 : few + 1}`,
    );
    const rows = values.reduce((sum, [, own]) => sum + Number(own), 0);
    const held = new Set(values.map(([value]) => String(value)));
    const missing = wanted.filter((text) => !held.has(text));
    const isFew = isFact || (values.length <= few && rows >= 4 * values.length);
    if (missing.length === 0 || held.size === 0 || !isFew) continue;
    said.push(
      `No row of ${found.table} has ${found.column} ${missing.map(quoteText).join(' or ')}. The values there are${held.size > few ? ', the nearest first' : ''}: ${[...held].slice(0, few).join(', ')}.`,
    );
  }
  return said;
}

function valuesIn(node: Node): (Node | undefined)[] {
  if (node.type === 'COMPARE_IN' && node.class === 'OPERATOR') return nodesOf(node, 'children');
  if (node.class !== 'COMPARISON' || node.type !== 'COMPARE_EQUAL') return [];
  const [left, right] = [nodeOf(node, 'left'), nodeOf(node, 'right')];
  return constantText(left) === undefined ? [left, right] : [right, left];
}

/** Conditions on rows that the platform leaves out unless it is asked for them. */
export async function leftOut(
  database: Database,
  tables: ReadonlyMap<string, LoadedTable>,
  { select, nodes, columnOf }: Place,
): Promise<string[]> {
  const condition = nodeOf(select, 'where_clause');
  const parts =
    condition?.type === 'CONJUNCTION_AND' ? nodesOf(condition, 'children') : [condition];
  const flags = parts.filter((part) => part?.class === 'COLUMN_REF');
  const compared = nodes.flatMap((node) => {
    const [left, right] = [nodeOf(node, 'left'), nodeOf(node, 'right')];
    const text = node.class === 'COMPARISON' ? constantText(right) : undefined;
    const isTrue = node.type === 'COMPARE_EQUAL' && /^(1|true|t)$/.test(text ?? '');
    return isTrue || (node.type === 'COMPARE_LESSTHAN' && text === '0') ? [left] : [];
  });
  const said: string[] = [];
  for (const node of [...flags, ...compared]) {
    const found = columnOf(node);
    const out = found && tables.get(found.table)?.facts?.leftOut[found.column];
    if (found === undefined || out === undefined) continue;
    const [[rows, held] = []] = await database.rows(
      `SELECT count(${quoteName(found.column)}), count(*) FILTER (${out.condition}) FROM ${rowsOf(found.table)}`,
    );
    if (Number(held) > 0 || Number(rows) === 0) continue;
    said.push(
      `${out.condition} holds in none of the ${count(rows)} rows of ${found.table}: the platform leaves such rows out unless asked. Ask with ${found.table}(..., ${out.argument} := true).`,
    );
  }
  return said;
}
