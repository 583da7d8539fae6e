import type { ResultClaim, ResultStore } from './store.ts';

/**
 * A store as one of several callers sees it: what they keep is theirs, and what others kept is not
 * there. Nor is what came from a tool that they may no longer use.
 */
export function ownResults(
  store: ResultStore,
  owner: string,
  mayUse: (tool: string) => boolean,
): ResultStore {
  const isTheirs = (claim: ResultClaim) => claim.owner === owner && mayUse(claim.tool);
  return {
    keep: (rows, origin) => store.keep(rows, { ...origin, owner }),
    get: (id) => store.get(id, isTheirs),
    ids: () => store.ids(isTheirs),
  };
}
