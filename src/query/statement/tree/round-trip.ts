/**
 * Where the engine writes a tree as SQL that means something else, and how to see it. It writes
 * `a CROSS JOIN b ASOF JOIN c` as `a, b ASOF JOIN c`, where the comma binds less than the join, and
 * the DOUBLE 1e10 as 10000000000.0, which is read as a DECIMAL.
 */
import { isRecord } from '../../../core/json.ts';
import { numberText } from './lossless-json.ts';
import { become, copyOf, type Node, nodeOf, nodesOf, textOf } from './tree.ts';
import { walk } from './walk.ts';

/** Puts what the engine would write wrongly in a form that it writes rightly. Changes the query. */
export function makeWritable(query: Node): void {
  walk(query, {
    table(table) {
      if (table.type !== 'JOIN' || table.ref_type !== 'CROSS') return;
      table.ref_type = 'REGULAR';
      table.condition = cast('t', 'BOOLEAN');
    },
    expression(expression) {
      const value = expression.class === 'CONSTANT' ? nodeOf(expression, 'value') : undefined;
      if (value === undefined || nodeOf(value, 'type')?.id !== 'DOUBLE') return;
      become(expression, {
        ...cast(numberText(value.value), 'DOUBLE'),
        alias: expression.alias ?? '',
      });
    },
  });
}

function cast(text: string, type: string): Node {
  const value = { type: { id: 'VARCHAR' }, is_null: false, value: text };
  const child = { class: 'CONSTANT', type: 'VALUE_CONSTANT', value };
  return { class: 'CAST', type: 'OPERATOR_CAST', child, cast_type: { id: type } };
}

/** Whether two trees are the same statement, wherever its words stand. */
export function isSameStatement(one: Node, other: Node): boolean {
  return JSON.stringify(essence(copyOf(one))) === JSON.stringify(essence(copyOf(other)));
}

/** A tree without places and defaults, its keys in order. */
function essence(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essence);
  if (!isRecord(value)) return value;
  const node = simpler(value);
  const entries = Object.entries(node)
    .filter(([key]) => key !== 'query_location')
    .map(([key, held]) => [key, essence(held)] as const)
    .filter(([, held]) => !isDefault(held));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isDefault(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** `VALUES` comes back within a SELECT, and `(a AND b) AND c` as one AND of three. */
function simpler(node: Node): Node {
  if (node.class === 'CONJUNCTION') {
    const same = (child: Node): Node[] =>
      child.type === node.type && textOf(child, 'alias') === ''
        ? nodesOf(child, 'children').flatMap(same)
        : [child];
    return { ...node, children: nodesOf(node, 'children').flatMap(same) };
  }
  const query = nodeOf(nodeOf(node, 'subquery') ?? {}, 'node');
  const values = query && nodeOf(query, 'from_table');
  const isWrapped = node.class === undefined && values?.type === 'EXPRESSION_LIST';
  return isWrapped && node.alias === values.alias ? values : node;
}
