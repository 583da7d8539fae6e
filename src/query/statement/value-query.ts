/** An argument of a table as a query of its own, which the engine can run before the statement. */

import { isRecord } from '../../core/json.ts';
import { quoted } from '../../core/text.ts';
import { QueryError } from '../errors.ts';
import type { CountCopy } from './size.ts';
import {
  copyOf,
  type Node,
  nodeOf,
  queryTypes,
  selectNode,
  star,
  subqueryTable,
  textOf,
} from './tree/tree.ts';
import { type Cte, isRecursion, type Scope, walk } from './tree/walk.ts';

/** A query whose rows are the values of an argument. */
export interface ValueQuery {
  query: Node;
  /** `expression`: one row with the value. `subquery`, `lateral`: a row for each distinct value. */
  kind: 'expression' | 'subquery' | 'lateral';
}

/** Marks the subquery that stands for a column of a table before it in FROM. */
export const lateralMark = 'is_lateral';

/**
 * The query that computes an argument. It sees the CTEs that are in sight where the argument stands.
 * @throws {QueryError} when it depends on a recursive CTE that is still being computed
 */
export function valueQuery(value: Node, scope: Scope, countCopy: CountCopy): ValueQuery {
  countCopy(value);
  const subquery = value.subquery_type === 'SCALAR' ? nodeOf(value, 'subquery') : undefined;
  const query = subquery && nodeOf(subquery, 'node');
  if (query === undefined) {
    const expression = { ...copyOf(value), alias: 'value' };
    return { query: within(selectNode([expression]), scope, countCopy), kind: 'expression' };
  }
  const distinct = {
    ...selectNode([star], subqueryTable(copyOf(query), 'asked')),
    modifiers: [{ type: 'DISTINCT_MODIFIER' }],
  };
  const kind = value[lateralMark] === true ? 'lateral' : 'subquery';
  return { query: within(distinct, scope, countCopy), kind };
}

/** The query within the WITHs that it needs, the innermost nearest to it. */
function within(query: Node, scope: Scope, countCopy: CountCopy): Node {
  const wanted = tableNames(query);
  return scope.reduceRight((inner, layer) => {
    const needed = neededOf(layer, wanted);
    if (needed.length === 0) return inner;
    needed.forEach(countCopy);
    const outer = selectNode([star], subqueryTable(inner, 'inner_query'));
    return { ...outer, cte_map: { map: needed.map(copyOf) } };
  }, query);
}

/** The CTEs of one WITH that are used, in their order. Adds the names that they use to `wanted`. */
function neededOf(layer: readonly Cte[], wanted: Set<string>): Cte[] {
  const needed: Cte[] = [];
  for (const cte of layer.toReversed()) {
    if (!wanted.has(textOf(cte, 'key').toLowerCase())) continue;
    if (isRecursion(cte)) {
      throw new QueryError(
        'bad_argument',
        `An argument of a table cannot be computed from ${quoted(textOf(cte, 'key'))} within its own recursion. Read the table before, in a CTE of its own, and join it.`,
      );
    }
    needed.unshift(cte);
    for (const name of tableNames(cte)) wanted.add(name);
  }
  return needed;
}

/** The plain names in FROM, anywhere below a node. */
function tableNames(node: Node): Set<string> {
  const names = new Set<string>();
  for (const query of queriesBelow(node)) {
    walk(query, {
      table(table) {
        if (table.type !== 'BASE_TABLE') return;
        const schema = textOf(table, 'schema_name');
        const name = textOf(table, 'table_name').toLowerCase();
        if (schema === '' || schema === 'recurring') names.add(name);
      },
    });
  }
  return names;
}

/** The outermost queries within a node, itself included: of expressions, their subqueries. */
export function queriesBelow(node: unknown): Node[] {
  if (Array.isArray(node)) return node.flatMap(queriesBelow);
  if (!isRecord(node)) return [];
  if (queryTypes.has(textOf(node, 'type'))) return [node];
  return Object.values(node).flatMap(queriesBelow);
}
