/**
 * Makes probes: queries that ask for the calls of one table without naming its columns, so that its rows can show these
 * before the statement binds. A probe joins the tables that arguments come from, under the conditions that bind there.
 */
import { joinTables, outputOf, type Place } from './columns.ts';
import type { Database } from './database.ts';
import { conjunction, conjuncts, type Node, nodeOf, tableName } from './tree.ts';

/** The probe for the first place of a table where one binds. @param bind throws for a text that does not bind */
export async function probeFor(
  database: Database,
  query: Node,
  table: string,
  bind: (sql: string) => Promise<unknown>,
): Promise<string | undefined> {
  async function bindingText(...parts: Parameters<typeof countQuery>): Promise<string | undefined> {
    const tree = JSON.stringify({ error: false, statements: [{ node: countQuery(...parts) }] });
    try {
      const [[sql] = []] = await database.rows('SELECT json_deserialize_sql($1::JSON)', tree);
      await bind(String(sql));
      return String(sql);
    } catch {
      return undefined;
    }
  }

  const places: { node: Node; steps: readonly Node[]; frames: readonly Place[] }[] = [];
  outputOf(query, {
    onTable(node, isStep, { definitions, place }) {
      if (isStep || tableName(node).toLowerCase() !== table.toLowerCase()) return;
      const frames: Place[] = [];
      for (let frame = place; frame; frame = frame.outer) frames.push(frame);
      places.push({ node, steps: [...definitions], frames });
    },
  });
  for (const { node, steps, frames } of places) {
    // First without other tables, then with those of ever more enclosing queries.
    for (let count = 0; count <= frames.length; count++) {
      const innerFrames = frames.slice(0, count);
      const argumentTables = innerFrames.reduceRight<Node | undefined>(
        (all, { from }) => joinTables(all, from),
        undefined,
      );
      if (count > 0 && argumentTables === undefined) continue;
      const unfiltered = await bindingText(steps, joinTables(argumentTables, node), []);
      if (unfiltered === undefined) continue;
      const conditions: Node[] = [];
      for (const frame of argumentTables ? innerFrames : [])
        for (const condition of conjuncts(nodeOf(frame.query, 'where_clause')))
          if (await bindingText(steps, argumentTables, [condition])) conditions.push(condition);
      return (await bindingText(steps, joinTables(argumentTables, node), conditions)) ?? unfiltered;
    }
  }
  return undefined;
}

function countQuery(
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
