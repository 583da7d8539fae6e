/**
 * `FROM o, i LEFT JOIN s ON s.id = o.shop_id` is `o` and, for each of its rows, a join: the comma binds
 * less. The engine cannot compute an outer join so; `(o, i) LEFT JOIN s` is the same and it can.
 */
import { aliasesIn, columnsIn } from './tree/columns.ts';
import { become, type Node, nodeOf, textOf } from './tree/tree.ts';
import { walk } from './tree/walk.ts';

/** Joins what stands before a comma first, where a join behind the comma speaks of it. */
export function joinCommasFirst(query: Node): void {
  walk(query, {
    table(table) {
      joinFirst(table, (join, first) => {
        const isComma = table.ref_type === 'CROSS';
        return isComma && speaksOf(join, new Set(aliasesIn(first)));
      });
    },
  });
}

/**
 * The same where a join behind a comma has USING a column that the tables behind the comma lack: only
 * the engine knows. Gives whether there is such a join.
 */
export function joinUsingCommasFirst(query: Node, column: string): boolean {
  let isChanged = false;
  walk(query, {
    table(table) {
      joinFirst(table, (join) => {
        const found = staysTrue(table, join) && usesColumn(join, column);
        isChanged ||= found;
        return found;
      });
    },
  });
  return isChanged;
}

function joinFirst(table: Node, reachesOver: (join: Node, first: Node) => boolean): void {
  const [first, join] = [nodeOf(table, 'left'), nodeOf(table, 'right')];
  if (table.type !== 'JOIN' || !first || !join) return;
  if (!isMovable(join) || !reachesOver(join, first)) return;
  const inner = { ...table, right: join.left };
  become(table, { ...join, left: inner });
  joinFirst(inner, reachesOver);
}

/** Whether a comma, or the condition that an argument became behind it, can do without the right side of the join. */
function staysTrue(table: Node, join: Node): boolean {
  const isInner = table.ref_type === 'CROSS' || table.join_type === 'INNER';
  const right = new Set(aliasesIn(nodeOf(join, 'right') ?? {}));
  const named = columnsIn(table.condition).map(([first = '']) => first.toLowerCase());
  return isInner && !named.some((name) => right.has(name));
}

/** Joins that keep, drop or extend each row of their left side by itself. */
function isMovable(join: Node): boolean {
  const keepsRows = ['INNER', 'LEFT', 'SEMI', 'ANTI'].includes(textOf(join, 'join_type'));
  const isByCondition = ['REGULAR', 'ASOF'].includes(textOf(join, 'ref_type'));
  return join.type === 'JOIN' && keepsRows && isByCondition;
}

/** Whether it, or a join on its left that can be moved as well, has USING this column. */
function usesColumn(join: Node, column: string): boolean {
  const { using_columns: columns } = join;
  const isUsing = Array.isArray(columns) && columns.some((name) => isSameName(name, column));
  const left = nodeOf(join, 'left');
  return isUsing || (left !== undefined && isMovable(left) && usesColumn(left, column));
}

function isSameName(name: unknown, other: string): boolean {
  return String(name).toLowerCase() === other.toLowerCase();
}

/** Whether its condition, or one of a join on its left that can be moved as well, names one of these. */
function speaksOf(join: Node, aliases: ReadonlySet<string>): boolean {
  const named = columnsIn(join.condition).some(
    ([table = '', ...column]) => column.length > 0 && aliases.has(table.toLowerCase()),
  );
  const left = nodeOf(join, 'left');
  return named || (left !== undefined && isMovable(left) && speaksOf(left, aliases));
}
