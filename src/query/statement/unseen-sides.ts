/**
 * `FROM list_orders(...) ANTI JOIN list_orders(...) USING (shop_id)`: the right side of such a join is
 * not seen behind it. Its name would be the left one's as well, and the engine, which reads USING by
 * names, would take neither.
 */
import { type Node, nodeOf, textOf } from './tree/tree.ts';
import { walk } from './tree/walk.ts';

/** Gives the unnamed right sides of joins by equal column names, as far as nobody sees them, names of their own. */
export function nameUnseenSides(query: Node): void {
  walk(query, {
    table(join) {
      const right = nodeOf(join, 'right');
      const isUnseen = ['SEMI', 'ANTI'].includes(textOf(join, 'join_type')) && joinsByName(join);
      if (right === undefined || !isUnseen || textOf(right, 'alias') !== '') return;
      const called = nodeOf(right, 'function') ?? {};
      const name = textOf(right, 'table_name') || textOf(called, 'function_name');
      if (name !== '') right.alias = `${name}_unseen`;
    },
  });
}

/** Whether a join is by equal column names: USING or NATURAL. */
export function joinsByName(join: Node): boolean {
  const { using_columns: columns } = join;
  return join.ref_type === 'NATURAL' || (Array.isArray(columns) && columns.length > 0);
}
