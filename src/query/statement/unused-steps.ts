/** Steps of WITH that nothing speaks of: the engine would not compute them, so nothing is read for them. */
import { type Node, nodeOf, textOf } from './tree/tree.ts';
import { type Cte, ctesOf, definitionOf, findCte, walk } from './tree/walk.ts';

/** Leaves out the CTEs that are used neither by the query nor by a CTE that is. Changes the query. */
export function dropUnusedSteps(query: Node): void {
  const used = usedSteps(query);
  walk(query, {
    query(within) {
      const map = nodeOf(within, 'cte_map');
      if (map !== undefined) map.map = ctesOf(within).filter((cte) => used.has(cte));
    },
  });
}

/** The CTEs that the query needs: those it names, those that these name, and so on. */
function usedSteps(query: Node): Set<Cte> {
  const owners = new Map<Node, Cte>();
  const named = new Map<Cte | undefined, Set<Cte>>();
  const around: (Cte | undefined)[] = [];
  walk(query, {
    query(within) {
      around.push(owners.get(within) ?? around.at(-1));
      for (const cte of ctesOf(within)) {
        const definition = definitionOf(cte);
        if (definition !== undefined) owners.set(definition, cte);
      }
    },
    table(table, scope) {
      const cte = table.type === 'BASE_TABLE' && findCte(scope, textOf(table, 'table_name'));
      if (!cte) return;
      const owner = around.at(-1);
      named.set(owner, (named.get(owner) ?? new Set()).add(cte));
    },
    afterQuery: () => void around.pop(),
  });
  const used = new Set<Cte>();
  const left = [...(named.get(undefined) ?? [])];
  for (let cte = left.pop(); cte !== undefined; cte = left.pop()) {
    if (used.has(cte)) continue;
    used.add(cte);
    left.push(...(named.get(cte) ?? []));
  }
  return used;
}
