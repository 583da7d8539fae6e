/**
 * Makes queries that ask for the calls of one table without naming its columns: over the tables that its arguments come
 * from, under the conditions that bind there. So rows can show unknown columns before the statement binds.
 */
import { queriesIn } from './columns.ts';
import type { Database } from './database.ts';
import { conjunction, conjuncts, type Node, nodeOf, nodesOf, queryIn, tableName } from './tree.ts';

/** A query around a table: the tables before it in FROM, and the conditions of WHERE. */
interface Frame {
  from: Node | undefined;
  conditions: readonly Node[];
}

/** An occurrence of a table. */
interface Place {
  table: Node;
  /** WITH steps that can be named there. */
  steps: readonly Node[];
  /** The innermost first. */
  frames: readonly Frame[];
}

/** Gives the query for the first place of a table where one binds. @param bind throws for a text that does not bind */
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
        (joinedTables, { from }) => joined(joinedTables, from),
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
  outerSteps: readonly Node[] = [],
  outer: readonly Frame[] = [],
): Generator<Place> {
  const ownSteps = nodesOf(nodeOf(query, 'cte_map'), 'map');
  const steps = [...outerSteps, ...ownSteps];
  for (const [at, step] of ownSteps.entries()) {
    const inner = queryIn({ subquery: nodeOf(nodeOf(step, 'value'), 'query') });
    if (inner) yield* placesOf(inner, name, [...outerSteps, ...ownSteps.slice(0, at)]);
  }
  const { cte_map: _, from_table: __, left: ___, right: ____, ...parts } = query;
  const [left, right] = [nodeOf(query, 'left'), nodeOf(query, 'right')];
  if (left) yield* placesOf(left, name, steps, outer);
  // In the right side of a recursion, its name stands for the left side.
  const value = { query: { node: left }, materialized: 'CTE_MATERIALIZE_DEFAULT' };
  const firstStep = { key: query.cte_name, value };
  const isRecursive = query.type === 'RECURSIVE_CTE_NODE';
  if (right) yield* placesOf(right, name, isRecursive ? [...steps, firstStep] : steps, outer);
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
