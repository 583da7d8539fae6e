/** Reads the tree of a SELECT as DuckDB writes it (`json_serialize_sql`). Absent keys mean their defaults. */
import { isDay } from '../../core/calendar.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import type { StatementShape } from '../provider.ts';

/** A node of the tree: a query, a table reference or an expression. */
export type Node = JsonObject;

export function isQuery({ type }: Node): boolean {
  return /^(SELECT|SET_OPERATION|RECURSIVE_CTE)_NODE$/.test(String(type));
}

export function textOf(node: Node | undefined, key: string): string {
  const value = node?.[key];
  return typeof value === 'string' ? value : '';
}

export function nodesOf(node: Node | undefined, key: string): Node[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function nodeOf(node: Node | undefined, key: string): Node | undefined {
  const value = node?.[key];
  return isRecord(value) ? value : undefined;
}

/** The query of a subquery, which is an expression or a table. */
export function queryIn(node: Node | undefined): Node | undefined {
  return nodeOf(nodeOf(node, 'subquery'), 'node');
}

export function namesIn(node: Node | undefined, key: string): string[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.map(String) : [];
}

/** `['o', 'id']` for a column; empty for other expressions. */
export function columnNames(node: Node): string[] {
  return node.class === 'COLUMN_REF' ? namesIn(node, 'column_names') : [];
}

/** The name of a table or of a table function. */
export function tableName(table: Node): string {
  return textOf(table, 'table_name') || textOf(nodeOf(table, 'function'), 'function_name');
}

/** Like {@link tableName}, with catalogue and schema. */
export function qualifiedName(table: Node): string {
  const qualifiers = [table, nodeOf(table, 'function')].flatMap((node) =>
    ['catalog_name', 'schema_name', 'catalog', 'schema'].map((key) => textOf(node, key)),
  );
  return [...qualifiers, tableName(table)].filter((text) => text !== '').join('.');
}

/**
 * All nodes of a part of the tree in order.
 * @param options.ownOnly leaves out nodes within its queries and WITH steps
 */
export function* nodesIn(part: unknown, { ownOnly = false } = {}): Generator<Node> {
  const pending = [part];
  while (pending.length > 0) {
    const next = pending.pop();
    if (isRecord(next)) yield next;
    const isEnd = ownOnly && next !== part && isRecord(next) && isQuery(next);
    if (typeof next !== 'object' || next === null || isEnd) continue;
    pending.push(...Object.values(ownOnly ? { ...next, cte_map: null } : next).reverse());
  }
}

/** The conditions that AND joins. */
export function conjuncts(condition: Node | undefined): Node[] {
  if (condition === undefined) return [];
  return condition.type === 'CONJUNCTION_AND'
    ? nodesOf(condition, 'children').flatMap(conjuncts)
    : [condition];
}

/** Joins conditions by AND. */
export function conjunction(conditions: readonly Node[]): Node | undefined {
  const all = { class: 'CONJUNCTION', type: 'CONJUNCTION_AND', children: conditions };
  return conditions.length > 1 ? all : conditions[0];
}

export function uncast(item: Node): Node {
  const inner = nodeOf(item, 'child');
  return item.class === 'CAST' && inner ? uncast(inner) : item;
}

/** The text of a constant, casts included. */
export function constantText(expression: Node | undefined): string | undefined {
  const item = uncast(expression ?? {});
  const value = item.class === 'CONSTANT' ? nodeOf(item, 'value')?.value : undefined;
  return typeof value === 'object' || value === undefined ? undefined : String(value);
}

/** The number of a constant; DuckDB writes a decimal as a whole number and a scale. */
export function numberOf(item: unknown): number | undefined {
  if (typeof item === 'number') return item;
  if (!isRecord(item) || item.class !== 'CONSTANT') return undefined;
  const { value, type } = nodeOf(item, 'value') ?? {};
  const scale = isRecord(type) ? (nodeOf(type, 'type_info')?.scale ?? 0) : 0;
  return typeof value === 'number' ? value / 10 ** Number(scale) : undefined;
}

/** Collects the names of tables and columns in queries, in lower case, and their uses. */
export function shapeOf(queries: readonly Node[]): Omit<StatementShape, 'tables' | 'shown'> {
  const mentioned = new Set<string>();
  const aliases = new Set<string>();
  const columnPaths = new Set<string>();
  const groupedBy = new Set<string>();
  const comparedWith = new Map<string, string[]>();
  const comparedOtherwise = new Set<string>();
  let meansAll = false;
  for (const node of nodesIn(queries)) {
    const isOfAll = /^(STAR|POSITIONAL_REFERENCE|PIVOT|SHOW_REF)$/.test(textOf(node, 'type'));
    const isRenamed = Array.isArray(node.column_name_alias) && node.column_name_alias.length > 0;
    meansAll ||= isOfAll || isRenamed || node.ref_type === 'NATURAL';
    const using = namesIn(node, 'using_columns').map((name) => name.toLowerCase());
    for (const path of [...pathsOf(node), ...using]) mentioned.add(path);
    columnPaths.add(columnNames(node).join('.').toLowerCase());
    const isSource = textOf(node, 'class') === '';
    if (isSource) aliases.add((textOf(node, 'alias') || tableName(node)).toLowerCase());
    // GROUP BY ALL groups by the columns of the select list.
    const isByAll = node.aggregate_handling === 'FORCE_AGGREGATES';
    const keys = isByAll ? node.select_list : node.group_expressions;
    for (const name of columnsIn([...nodesIn(keys, { ownOnly: true })])) groupedBy.add(name);
    const compared = comparedIn(node);
    const texts = compared.flatMap((part) => constantText(part) ?? []);
    const isEqual = /^COMPARE_(EQUAL|IN)$/.test(textOf(node, 'type'));
    for (const name of columnsIn(compared)) {
      comparedWith.set(name, [...(comparedWith.get(name) ?? []), ...texts]);
      if (!isEqual || texts.length === 0) comparedOtherwise.add(name);
    }
  }
  // The name of a table as an expression means its whole row.
  meansAll ||= [...columnPaths].some((name) => name !== '' && aliases.has(name));
  const equalTo = new Map([...comparedWith].filter(([name]) => !comparedOtherwise.has(name)));
  const comparedDays = daysCompared(nodesIn(queries));
  return { mentioned, equalTo, meansAll, groupedBy, comparedWith, comparedDays };
}

/** The first and the last day that conditions allow; the last may be open. */
function daysCompared(nodes: Iterable<Node>): StatementShape['comparedDays'] {
  const lower: string[] = [];
  const upper: string[] = [];
  for (const node of nodes) {
    const type = textOf(node, 'type');
    if (!type.startsWith('COMPARE_')) continue;
    const texts = comparedIn(node).flatMap((part) => constantText(part) ?? []);
    const days = texts.map((text) => text.slice(0, '2026-11-20'.length)).filter(isDay);
    if (!type.includes('LESSTHAN')) lower.push(...days);
    if (!type.includes('GREATERTHAN')) upper.push(...days);
  }
  const from = lower.sort()[0];
  return from === undefined ? {} : { from, to: upper.sort().at(-1) };
}

/** The operands of a comparison or a function such as LIKE, and the operands of these. */
function comparedIn(node: Node): Node[] {
  const isCompared = node.class === 'FUNCTION' || textOf(node, 'type').startsWith('COMPARE_');
  if (!isCompared) return [];
  const partsOf = (whole: Node) => Object.values(whole).flat().filter(isRecord);
  return partsOf(node).flatMap((part) => [part, ...partsOf(part)]);
}

function columnsIn(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => columnNames(node).at(-1)?.toLowerCase() ?? []);
}

/** `o.address.city` may mean `o`, `address`, `city` or a path of them. */
function pathsOf(node: Node): string[] {
  const steps = columnNames(node).flatMap((name) => name.toLowerCase().split('.'));
  return steps.flatMap((_, from) =>
    steps.slice(from).map((__, more) => steps.slice(from, from + more + 1).join('.')),
  );
}
