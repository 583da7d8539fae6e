/** Statements that show the first rows of a table and need no others. */
import { isRecord } from '../../core/json.ts';
import { type Node, nodeOf, nodesOf, textOf } from './tree/tree.ts';
import { walk } from './tree/walk.ts';

/**
 * For each table that is read for its first rows alone, how many: `SELECT ... FROM t LIMIT n` with
 * nothing that looks at further rows.
 */
export function rowHints(query: Node): Map<Node, number> {
  const hints = new Map<Node, number>();
  walk(query, {
    query(select) {
      const table = select.type === 'SELECT_NODE' ? nodeOf(select, 'from_table') : undefined;
      const limit = limitOf(select);
      const isPlain = textOf(table ?? {}, 'type').match(/^(?:TABLE_FUNCTION|BASE_TABLE)$/);
      if (table && isPlain && limit !== undefined && readsRowByRow(select, table)) {
        hints.set(table, limit);
      }
    },
  });
  return hints;
}

/** Rows up to the limit, those skipped by OFFSET included, where LIMIT is all that follows FROM. */
function limitOf(select: Node): number | undefined {
  const [limit, ...more] = nodesOf(select, 'modifiers');
  if (limit === undefined || more.length > 0 || limit.type !== 'LIMIT_MODIFIER') return undefined;
  const [count, offset] = [constant(limit.limit), constant(limit.offset ?? 0)];
  return count === undefined || offset === undefined ? undefined : count + offset;
}

function constant(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const held = isRecord(value) && value.class === 'CONSTANT' ? nodeOf(value, 'value') : undefined;
  const number = held?.value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

const clauses = ['where_clause', 'having', 'qualify', 'sample'] as const;

function readsRowByRow(select: Node, table: Node): boolean {
  const isBare =
    clauses.every((clause) => nodeOf(select, clause) === undefined) &&
    nodeOf(table, 'sample') === undefined &&
    nodesOf(select, 'group_expressions').length === 0 &&
    textOf(select, 'aggregate_handling') === 'STANDARD_HANDLING';
  return isBare && nodesOf(select, 'select_list').every(isOfOneRow);
}

/** Any call may be an aggregate: only operators, columns and constants are known to be none. */
function isOfOneRow(expression: unknown): boolean {
  if (Array.isArray(expression)) return expression.every(isOfOneRow);
  if (!isRecord(expression)) return true;
  const kind = textOf(expression, 'class');
  if (kind === 'FUNCTION' && expression.is_operator !== true) return false;
  if (kind === 'WINDOW' || kind === 'SUBQUERY') return false;
  return Object.values(expression).every(isOfOneRow);
}
