/**
 * `FROM o, i LEFT JOIN s ON s.id = o.shop_id` is `o` and, for each of its rows, a join: the comma binds
 * less. The engine cannot compute an outer join so; `(o, i) LEFT JOIN s` is the same and it can.
 */
import { aliasesIn, columnsIn } from './tree/columns.ts';
import { become, type Node, nodeOf, textOf } from './tree/tree.ts';
import { walk } from './tree/walk.ts';

/** Joins what stands before a comma first, where a join behind the comma speaks of it. */
export function joinCommasFirst(query: Node): void {
  walk(query, { table: joinFirst });
}

function joinFirst(table: Node): void {
  const [first, join] = [nodeOf(table, 'left'), nodeOf(table, 'right')];
  if (table.type !== 'JOIN' || table.ref_type !== 'CROSS' || !first || !join) return;
  if (!isMovable(join) || !speaksOf(join, new Set(aliasesIn(first)))) return;
  const inner = { ...table, right: join.left };
  become(table, { ...join, left: inner });
  joinFirst(inner);
}

/** Joins that keep, drop or extend each row of their left side by itself. */
function isMovable(join: Node): boolean {
  const keepsRows = ['INNER', 'LEFT', 'SEMI', 'ANTI'].includes(textOf(join, 'join_type'));
  const isByCondition = ['REGULAR', 'ASOF'].includes(textOf(join, 'ref_type'));
  return join.type === 'JOIN' && keepsRows && isByCondition;
}

/** Whether its condition, or one of a join on its left that can be moved as well, names one of these. */
function speaksOf(join: Node, aliases: ReadonlySet<string>): boolean {
  const named = columnsIn(join.condition).some(
    ([table = '', ...column]) => column.length > 0 && aliases.has(table.toLowerCase()),
  );
  const left = nodeOf(join, 'left');
  return named || (left !== undefined && isMovable(left) && speaksOf(left, aliases));
}
