/**
 * Queries that ask for the calls of one table and need none of its columns: over what its arguments come from, with the
 * conditions that bind there. So a value is read of a table that nothing has shown, before the statement is bound.
 */
import { queriesIn } from './columns.ts';
import type { Database } from './database.ts';
import { conjunction, conjuncts, type Node, nodeOf, nodesOf, queryIn, tableName } from './tree.ts';

/** The tables that stand before a table in its own query, or in one around it. */
interface Frame {
  from: Node | undefined;
  /** The conditions of the query's WHERE, which all have to hold. */
  conditions: readonly Node[];
}

/** A place where a table stands. */
interface Place {
  table: Node;
  /** WITH steps that can be named there. */
  steps: readonly Node[];
  /** Its own first, then those around it. */
  frames: readonly Frame[];
}

/** Makes a query for the first place of a table where one binds. @param bind throws for a text that does not */
export async function probeFor(
  database: Database,
  query: Node,
  table: string,
  bind: (sql: string) => Promise<unknown>,
): Promise<string | undefined> {
  async function boundText(...parts: Parameters<typeof counted>): Promise<string | undefined> {
    const tree = JSON.stringify({ error: false, statements: [{ node: counted(...parts) }] });
    try {
      const [[sql] = []] = await database.rows('SELECT json_deserialize_sql($1::JSON)', tree);
      await bind(String(sql));
      return String(sql);
    } catch {
      return undefined;
    }
  }

  for (const { table: node, steps, frames } of placesOf(query, table.toLowerCase())) {
    for (let count = 0; count <= frames.length; count++) {
      const near = frames.slice(0, count);
      const left = near.reduceRight<Node | undefined>(
        (all, { from }) => joined(all, from),
        undefined,
      );
      if (count > 0 && left === undefined) continue;
      const whole = await boundText(steps, joined(left, node), []);
      if (whole === undefined) continue;
      const conditions: Node[] = [];
      for (const condition of left ? near.flatMap((frame) => frame.conditions) : [])
        if (await boundText(steps, left, [condition])) conditions.push(condition);
      return (await boundText(steps, joined(left, node), conditions)) ?? whole;
    }
  }
  return undefined;
}

function* placesOf(
  query: Node,
  name: string,
  around: readonly Node[] = [],
  outer: readonly Frame[] = [],
): Generator<Place> {
  const own = nodesOf(nodeOf(query, 'cte_map'), 'map');
  const steps = [...around, ...own];
  for (const [at, step] of own.entries()) {
    const inner = queryIn({ subquery: nodeOf(nodeOf(step, 'value'), 'query') });
    if (inner) yield* placesOf(inner, name, [...around, ...own.slice(0, at)]);
  }
  const { cte_map: _, from_table: __, left: ___, right: ____, ...parts } = query;
  const [left, right] = [nodeOf(query, 'left'), nodeOf(query, 'right')];
  if (left) yield* placesOf(left, name, steps, outer);
  // The step that a recursion names is what it begins with.
  const value = { query: { node: left }, materialized: 'CTE_MATERIALIZE_DEFAULT' };
  const begun = { key: query.cte_name, value };
  const isRecursive = query.type === 'RECURSIVE_CTE_NODE';
  if (right) yield* placesOf(right, name, isRecursive ? [...steps, begun] : steps, outer);
  const from = nodeOf(query, 'from_table');
  const conditions = conjuncts(nodeOf(query, 'where_clause'));
  if (from) yield* visitFrom(from, undefined);
  for (const inner of queriesIn(parts))
    yield* placesOf(inner, name, steps, [{ from, conditions }, ...outer]);

  function* visitFrom(node: Node, before: Node | undefined): Generator<Place> {
    const frames = [{ from: before, conditions }, ...outer];
    const inner = queryIn(node);
    if (inner) yield* placesOf(inner, name, steps, frames);
    if (node.type === 'JOIN') {
      const [first = {}, second = {}] = [nodeOf(node, 'left'), nodeOf(node, 'right')];
      yield* visitFrom(first, before);
      yield* visitFrom(second, joined(before, first));
      return;
    }
    const source = nodeOf(node, 'source');
    if (source) yield* visitFrom(source, before);
    for (const argument of queriesIn(nodeOf(node, 'function') ?? {}))
      yield* placesOf(argument, name, steps, frames);
    if (tableName(node).toLowerCase() === name) yield { table: node, steps, frames };
  }
}

function joined(left: Node | undefined, right: Node | undefined): Node | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return { type: 'JOIN', left, right, join_type: 'INNER', ref_type: 'CROSS' };
}

function counted(
  steps: readonly Node[],
  from: Node | undefined,
  conditions: readonly Node[],
): Node {
  const count = { class: 'FUNCTION', type: 'FUNCTION', function_name: 'count_star' };
  const where_clause = conjunction(conditions);
  return {
    type: 'SELECT_NODE',
    cte_map: { map: steps },
    select_list: [count],
    from_table: from,
    aggregate_handling: 'STANDARD_HANDLING',
    ...(where_clause && { where_clause }),
  };
}
