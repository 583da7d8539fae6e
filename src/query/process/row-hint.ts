/** What a query says about the rows of its answer. */
import { isRecord } from '../../core/json.ts';
import { columnNames, type Node, nodeOf, nodesOf, textOf } from './tree.ts';

/**
 * How many rows are all that a query can show of the one table in its FROM: `SELECT ... FROM t LIMIT n`
 * with nothing that looks at further rows.
 */
export function firstRows(select: Node): number | undefined {
  const table = nodeOf(select, 'from_table');
  const limit = limitOf(select);
  return table && limit !== undefined && readsRowByRow(select, table) ? limit : undefined;
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

/** Whether a query says in which order its rows are: an ORDER BY of its own, not one within it. */
export function isOrdered(query: Node): boolean {
  if (nodesOf(query, 'modifiers').some(({ type }) => type === 'ORDER_MODIFIER')) return true;
  // WITH steps may be around the query that they serve.
  const served = query.type === 'CTE_NODE' ? nodeOf(query, 'child') : undefined;
  return served !== undefined && isOrdered(served);
}

/** The names that the columns of an answer have, as far as its SELECT writes them: not those of `*`. */
export function shownColumns(query: Node): string[] {
  const inner = nodeOf(query, 'child') ?? nodeOf(query, 'left');
  if (inner !== undefined) return shownColumns(inner);
  return nodesOf(query, 'select_list').map(
    (item) => textOf(item, 'alias') || (columnNames(item).at(-1) ?? ''),
  );
}
