import { type Node, nodeOf, nodesOf, textOf } from './tree/tree.ts';

/** The names that the columns of an answer have, as far as its SELECT writes them: not those of `*`. */
export function shownColumns(query: Node): string[] {
  // WITH steps and the sides of a UNION stand around the SELECT that names the columns.
  const within = nodeOf(query, 'child') ?? nodeOf(query, 'left');
  if (within !== undefined) return shownColumns(within);
  return nodesOf(query, 'select_list').map((item) => textOf(item, 'alias') || ownName(item));
}

/** `shop_id` of `o.shop_id`; empty for what is no column. */
function ownName({ column_names: names }: Node): string {
  return Array.isArray(names) ? String(names.at(-1)) : '';
}
