import { createHash } from 'node:crypto';
import { openRedis, openSharedValues, type Redis, type SharedValues } from './redis.ts';
import { type FleetStatus, SharedBudget } from './shared-budget.ts';

export { openRedis } from './redis.ts';

/** What the replicas on one key have in common. Each keeps a token of its own. */
export interface Fleet {
  budget: SharedBudget;
  answers: SharedValues;
  /** Kept results. */
  results: SharedValues;
  status(): FleetStatus;
  /** Whether Redis had no room for the last value. */
  isFull(): boolean;
  /** Calls back with each change of the status, and the reason for being alone. */
  onChange(listener: SharedBudget['onChange']): void;
  /** Calls back with each value that Redis has no room for. */
  onFull(listener: () => void): void;
  close(): void;
}

export interface FleetSettings {
  /** `redis://` or `rediss://`. */
  redisUrl: string;
  baseUrl: string;
  clientId: string;
  /** Keeps answers and results apart of several on one key, who share its budget alone. */
  part?: string | undefined;
}

/** Largest entry of each kind, compressed. */
const maxResultBytes = 32 * 2 ** 20;
const maxAnswerBytes = 4 * 2 ** 20;

/**
 * Joins the replicas on a key, or goes on alone until Redis answers; ready within a second or two.
 * @param shared a connection for several keys, closed by its maker
 */
export async function joinFleet(settings: FleetSettings, shared?: Redis): Promise<Fleet> {
  const redis = shared ?? openRedis(settings.redisUrl);
  const { part: _, ...key } = settings;
  const prefix = prefixOf(settings);
  const budget = new SharedBudget(redis, prefixOf(key), () => performance.now());
  let onFull = () => {};
  const sayFull = () => onFull();
  await redis.settled;
  await budget.beat();
  return {
    budget,
    answers: openSharedValues(redis, `${prefix}answer:`, maxAnswerBytes, sayFull),
    results: openSharedValues(redis, `${prefix}result:`, maxResultBytes, sayFull),
    status: () => budget.status,
    isFull: redis.isFull,
    onFull(listener) {
      onFull = listener;
    },
    onChange(listener) {
      budget.onChange = listener;
    },
    close() {
      budget.leave();
      if (shared === undefined) redis.close();
    },
  };
}

/** Begins the keys of one API key: a hash of the key's id and where it is good, never the id itself. */
export function prefixOf({ baseUrl, clientId, part }: Omit<FleetSettings, 'redisUrl'>): string {
  const text = JSON.stringify([baseUrl, clientId, ...(part ? [part] : [])]);
  const hash = createHash('sha256').update(text).digest('hex');
  return `commerce-mcp:3:${hash.slice(0, 24)}:`;
}
