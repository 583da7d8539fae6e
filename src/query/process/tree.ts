/**
 * The tree of a SELECT as DuckDB writes it (`json_serialize_sql`). Absent keys mean their
 * defaults. It is read, never changed.
 */
import { isRecord, type JsonObject } from '../../core/json.ts';

/** A node of the tree: a query, a table reference or an expression. */
export type Node = JsonObject;

/** Whether a node is a query: a SELECT, a set operation or a recursive CTE. */
export function isQuery({ type }: Node): boolean {
  return /^(SELECT|SET_OPERATION|RECURSIVE_CTE)_NODE$/.test(String(type));
}

/** A text of a node, empty where it is absent. */
export function textOf(node: Node | undefined, key: string): string {
  const value = node?.[key];
  return typeof value === 'string' ? value : '';
}

/** The nodes of a list, none where it is absent. */
export function nodesOf(node: Node | undefined, key: string): Node[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A node within a node. */
export function nodeOf(node: Node | undefined, key: string): Node | undefined {
  const value = node?.[key];
  return isRecord(value) ? value : undefined;
}

/** The texts of a list, none where it is absent. */
export function namesIn(node: Node | undefined, key: string): string[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.map(String) : [];
}

/** The names of a column: `['o', 'id']`; none of what is no column. */
export function columnNames(node: Node): string[] {
  return node.class === 'COLUMN_REF' ? namesIn(node, 'column_names') : [];
}

/** The name of a table, or of the function that makes it. */
export function tableName(table: Node): string {
  return textOf(table, 'table_name') || textOf(nodeOf(table, 'function'), 'function_name');
}

/** The same with the catalogue and the schema that stand before it. */
export function qualifiedName(table: Node): string {
  const qualifiers = [table, nodeOf(table, 'function')].flatMap((node) =>
    ['catalog_name', 'schema_name', 'catalog', 'schema'].map((key) => textOf(node, key)),
  );
  return [...qualifiers, tableName(table)].filter((text) => text !== '').join('.');
}

/**
 * All nodes of a part of the tree in their order.
 * @param options.ownOnly without those in its queries and WITH steps
 */
export function* nodesIn(part: unknown, { ownOnly = false } = {}): Generator<Node> {
  const left = [part];
  while (left.length > 0) {
    const next = left.pop();
    if (isRecord(next)) yield next;
    const isEnd = ownOnly && next !== part && isRecord(next) && isQuery(next);
    if (typeof next !== 'object' || next === null || isEnd) continue;
    left.push(...Object.values(ownOnly ? { ...next, cte_map: null } : next).reverse());
  }
}
