/**
 * The tree of a SELECT as DuckDB writes it (`json_serialize_sql`): reading its nodes, and making the
 * few that are put in. Absent keys stand for their defaults.
 */
import { isRecord, type JsonObject } from '../../../core/json.ts';

/** A node of the tree: a query, a table reference or an expression. Nodes are changed in place. */
export type Node = JsonObject;

/** A query: what a SELECT, a set operation or a recursive CTE is in the tree. */
export const queryTypes: ReadonlySet<string> = new Set([
  'SELECT_NODE',
  'SET_OPERATION_NODE',
  'RECURSIVE_CTE_NODE',
  'CTE_NODE',
]);

/** Everything that can stand in FROM. */
export const tableTypes: ReadonlySet<string> = new Set([
  'BASE_TABLE',
  'TABLE_FUNCTION',
  'SUBQUERY',
  'JOIN',
  'EMPTY',
  'EXPRESSION_LIST',
  'SHOW_REF',
  'PIVOT',
]);

/** A text of a node, empty where it is absent. */
export function textOf(node: Node, key: string): string {
  const value = node[key];
  return typeof value === 'string' ? value : '';
}

/** The nodes of a list, none where it is absent. */
export function nodesOf(node: Node, key: string): Node[] {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A node within a node. */
export function nodeOf(node: Node, key: string): Node | undefined {
  const value = node[key];
  return isRecord(value) ? value : undefined;
}

/** Turns a node into another one, for everybody who holds it. */
export function become(node: Node, other: Node): void {
  for (const key of Object.keys(node)) delete node[key];
  Object.assign(node, other);
}

/** A copy that shares nothing. */
export function copyOf(node: Node): Node {
  // A tree came as JSON; this takes half the time of structuredClone.
  return JSON.parse(JSON.stringify(node));
}

/** `name` or `table.name`. */
export function columnRef(...names: string[]): Node {
  return { class: 'COLUMN_REF', type: 'COLUMN_REF', column_names: names };
}

/** `left = right` */
export function equal(left: Node, right: Node): Node {
  return { class: 'COMPARISON', type: 'COMPARE_EQUAL', left, right };
}

/** All of the conditions; undefined when there is none. */
export function allOf(conditions: readonly (Node | undefined)[]): Node | undefined {
  const children = conditions.filter((condition) => condition !== undefined);
  if (children.length < 2) return children[0];
  return { class: 'CONJUNCTION', type: 'CONJUNCTION_AND', children };
}

/** `SELECT ... FROM ... WHERE ...` */
export function selectNode(list: readonly Node[], from?: Node, where?: Node): Node {
  return {
    type: 'SELECT_NODE',
    modifiers: [],
    cte_map: { map: [] },
    select_list: list,
    from_table: from ?? { type: 'EMPTY' },
    ...(where !== undefined && { where_clause: where }),
    aggregate_handling: 'STANDARD_HANDLING',
  };
}

/** `(query) AS alias(names)` in FROM. */
export function subqueryTable(query: Node, alias: string, names: readonly string[] = []): Node {
  return { type: 'SUBQUERY', alias, subquery: { node: query }, column_name_alias: names };
}

/** `*` */
export const star: Node = { class: 'STAR', type: 'STAR', exclude_list: [] };

/** A loaded table in place of the reference that asked for it, which keeps its alias and columns. */
export function loadedTable(reference: Node, name: string, alias: string): Node {
  const { sample, column_name_alias, query_location } = reference;
  return {
    type: 'BASE_TABLE',
    alias: textOf(reference, 'alias') || alias,
    ...(sample !== undefined && { sample }),
    ...(query_location !== undefined && { query_location }),
    schema_name: loadedSchema,
    table_name: name,
    ...(column_name_alias !== undefined && { column_name_alias }),
  };
}

/** The schema of the loaded tables: no name of a statement can mean one of them. */
export const loadedSchema = 'loaded';

/** The statement of a query, in the form that the engine takes back. */
export function statementOf(query: Node): Node {
  return { error: false, statements: [{ node: query }] };
}
