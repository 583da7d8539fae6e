/** Steps of WITH that nothing speaks of: the engine would not compute them, so nothing is read for them. */
import { type Node, nodeOf, textOf } from './tree/tree.ts';
import { type Cte, ctesOf, findCte, walk } from './tree/walk.ts';

/** Leaves out the CTEs that are used neither by the query nor by a CTE that is. Changes the query. */
export function dropUnusedSteps(query: Node): void {
  while (dropUnspokenOf(query)) {
    // What only they spoke of is spoken of no more.
  }
}

function dropUnspokenOf(query: Node): boolean {
  const used = new Set<Cte>();
  walk(query, {
    table(table, scope) {
      const cte = table.type === 'BASE_TABLE' && findCte(scope, textOf(table, 'table_name'));
      if (cte) used.add(cte);
    },
  });
  let isChanged = false;
  walk(query, {
    query(within) {
      const map = nodeOf(within, 'cte_map');
      const own = ctesOf(within);
      const kept = own.filter((cte) => used.has(cte));
      if (map === undefined || kept.length === own.length) return;
      map.map = kept;
      isChanged = true;
    },
  });
  return isChanged;
}
