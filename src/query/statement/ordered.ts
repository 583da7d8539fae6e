import { type Node, nodeOf, nodesOf, textOf } from './tree/tree.ts';

/** Whether a query says in which order its rows stand: an ORDER BY of its own, not one within it. */
export function isOrdered(query: Node): boolean {
  if (nodesOf(query, 'modifiers').some((modifier) => textOf(modifier, 'type') === 'ORDER_MODIFIER'))
    return true;
  // WITH steps may stand around the query that they serve.
  const served = query.type === 'CTE_NODE' ? nodeOf(query, 'child') : undefined;
  return served !== undefined && isOrdered(served);
}
