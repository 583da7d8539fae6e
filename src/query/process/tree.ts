/**
 * The tree of a SELECT as DuckDB writes it (`json_serialize_sql`). Absent keys stand for their
 * defaults. It is read, never changed.
 */
import { isRecord, type JsonObject } from '../../core/json.ts';

/** A node of the tree: a query, a table reference or an expression. */
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

/** The names of a column: `['o', 'id']`; none of what is no column. */
export function columnNames({ class: kind, column_names: names }: Node): string[] {
  return kind === 'COLUMN_REF' && Array.isArray(names) ? names.map(String) : [];
}

/** Goes through an expression, subqueries included. */
export function* within(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* within(item);
  if (!isRecord(value)) return;
  yield value;
  for (const inner of Object.values(value)) if (typeof inner === 'object') yield* within(inner);
}
