import type { SharedCache } from '../../client/fleet/shared-cache.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import type { KeptResult, ResultArchive, ResultClaim } from './store.ts';

/** Results in the cache that all replicas reach. */
export function openArchive(cache: SharedCache): ResultArchive {
  return {
    async put(result, forMs) {
      const { tool, owner } = result;
      await cache.put(result.id, result, forMs, JSON.stringify({ tool, owner }));
    },
    async get(id) {
      const kept = await cache.get(id);
      return isKeptResult(kept) && kept.id === id ? kept : undefined;
    },
    async list() {
      return new Map([...(await cache.list())].map(([id, label]) => [id, claimOf(label)]));
    },
  };
}

function isKeptResult(value: unknown): value is KeptResult {
  return (
    isRecord(value) &&
    typeof value.tool === 'string' &&
    typeof value.expiresAtMs === 'number' &&
    Array.isArray(value.rows) &&
    Array.isArray(value.columns) &&
    isRecord(value.context)
  );
}

/** A claim that cannot be read belongs to nobody and comes from no tool. */
function claimOf(label: string): ResultClaim {
  const claim = parseJson(label);
  if (!isRecord(claim) || typeof claim.tool !== 'string') return { tool: '', owner: '' };
  const { tool, owner } = claim;
  return { tool, ...(typeof owner === 'string' && { owner }) };
}
