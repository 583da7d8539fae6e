import { createHash } from 'node:crypto';
import { openRedis, openSharedValues, type Redis } from './redis.ts';
import { SharedBudget } from './shared-budget.ts';

/** What the replicas on one key have in common. Each keeps a token of its own. */
export type Fleet = Awaited<ReturnType<typeof joinFleet>>;

export interface FleetSettings {
  /** `redis://` or `rediss://`. */
  redisUrl: string;
  baseUrl: string;
  clientId: string;
  /** Keeps answers and results apart of several on one key, who share its budget alone. */
  account?: string | undefined;
  /** Is called with each value that Redis has no room for. */
  onFull?: () => void;
}

const maxResultBytes = 32 * 2 ** 20;
const maxAnswerBytes = 4 * 2 ** 20;

/**
 * Joins the replicas on a key, or goes on alone until Redis answers; ready within a second or two.
 * @param shared a connection for several keys, closed by its maker
 */
export async function joinFleet(settings: FleetSettings, shared?: Redis) {
  const redis = shared ?? openRedis(settings.redisUrl);
  const { account: _, ...key } = settings;
  const prefix = prefixOf(settings);
  const budget = new SharedBudget(redis, prefixOf(key), () => performance.now());
  await redis.settled;
  await budget.beat();
  return {
    budget,
    answers: openSharedValues(redis, `${prefix}answer:`, maxAnswerBytes, settings.onFull),
    /** Kept results. */
    results: openSharedValues(redis, `${prefix}result:`, maxResultBytes, settings.onFull),
    redis,
    close() {
      budget.leave();
      if (shared === undefined) redis.close();
    },
  };
}

/** Begins the keys of one API key: a hash of the key's id and where it is good, never the id itself. */
export function prefixOf({ baseUrl, clientId, account }: Omit<FleetSettings, 'redisUrl'>): string {
  const text = JSON.stringify([baseUrl, clientId, ...(account ? [account] : [])]);
  const hash = createHash('sha256').update(text).digest('hex');
  return `commerce-mcp:4:${hash.slice(0, 24)}:`;
}
