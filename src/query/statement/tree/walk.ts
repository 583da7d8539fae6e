/** Goes through a tree and says, at each table, which CTEs are in sight there. */
import { isRecord } from '../../../core/json.ts';
import { type Node, nodeOf, nodesOf, queryTypes, tableTypes, textOf } from './tree.ts';

/** One CTE: `key` is its name, `value` its definition. */
export type Cte = Node;

/** The CTEs in sight, the outermost WITH first; within each, in their order. */
export type Scope = readonly (readonly Cte[])[];

/** What is done at the nodes of a tree, before what is below them is visited. */
export interface Visitor {
  /** A table reference. */
  table?(table: Node, scope: Scope): void;
  /** An expression: anything with a `class`. */
  expression?(expression: Node, scope: Scope): void;
  /** A query, before its CTEs. */
  query?(query: Node, scope: Scope): void;
  /** The same query, after everything in it. */
  afterQuery?(query: Node, scope: Scope): void;
}

/** Visits the query and everything in it. */
export function walk(query: Node, visitor: Visitor, scope: Scope = []): void {
  visitor.query?.(query, scope);
  const own: Cte[] = [];
  const inner = [...scope, own];
  for (const cte of ctesOf(query)) {
    const defined = definitionOf(cte);
    // What is visited must not see later additions to `own`: a scope may be kept.
    if (defined !== undefined) walk(defined, visitor, snapshot(inner));
    own.push(cte);
  }
  const visible = recursion(query, snapshot(inner));
  for (const [key, value] of Object.entries(query)) {
    if (key !== 'cte_map') visit(value, visitor, visible);
  }
  visitor.afterQuery?.(query, scope);
}

/** The CTE with this name that is in sight, case ignored. */
export function findCte(scope: Scope, name: string): Cte | undefined {
  const folded = name.toLowerCase();
  return scope.flat().findLast((cte) => textOf(cte, 'key').toLowerCase() === folded);
}

/** The query that a CTE stands for. */
export function definitionOf(cte: Cte): Node | undefined {
  return nodeOf(nodeOf(nodeOf(cte, 'value') ?? {}, 'query') ?? {}, 'node');
}

/** The CTEs that a query defines, in their order. */
export function ctesOf(query: Node): Cte[] {
  return nodesOf(nodeOf(query, 'cte_map') ?? {}, 'map');
}

/** Marks the CTE that a recursive query is, within itself: it has a name and no definition. */
export function isRecursion(cte: Cte): boolean {
  return cte.value === undefined;
}

function recursion(query: Node, scope: Scope): Scope {
  if (query.type !== 'RECURSIVE_CTE_NODE') return scope;
  return [...scope, [{ key: textOf(query, 'cte_name') }]];
}

function visit(value: unknown, visitor: Visitor, scope: Scope): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, visitor, scope);
    return;
  }
  if (!isRecord(value)) return;
  const type = textOf(value, 'type');
  if (queryTypes.has(type)) {
    walk(value, visitor, scope);
    return;
  }
  if (textOf(value, 'class') !== '') visitor.expression?.(value, scope);
  else if (tableTypes.has(type)) visitor.table?.(value, scope);
  // The name and the arguments of a table function read like a call in an expression, but are none.
  const below = type === 'TABLE_FUNCTION' ? (nodeOf(value, 'function') ?? {}) : value;
  for (const child of Object.values(below)) visit(child, visitor, scope);
}

function snapshot(scope: Scope): Scope {
  return scope.map((layer) => [...layer]);
}
