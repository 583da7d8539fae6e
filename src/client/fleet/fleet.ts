import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Sharing } from '../request/get.ts';
import { openRedis } from './redis.ts';
import { type FleetStatus, SharedLimiter } from './shared-limiter.ts';
import { openSharedValues, type SharedValues, shareAnswers } from './shared-values.ts';

export type { FleetStatus };

/** What the replicas on one key have in common. Each keeps a token of its own. */
export interface Fleet extends Sharing {
  /** Kept results. */
  results: SharedValues;
  status(): FleetStatus;
  /** Calls back with each change of the status, and the reason for being alone. */
  onChange(listener: (status: FleetStatus, reason: string | undefined) => void): void;
  close(): void;
}

export interface FleetSettings {
  /** `redis://` or `rediss://`. */
  redisUrl: string;
  baseUrl: string;
  clientId: string;
}

/** Largest entry of each kind, compressed. */
const maxResultBytes = 32 * 2 ** 20;
const maxAnswerBytes = 4 * 2 ** 20;

/** Joins the replicas on a key, or goes on alone until Redis answers; ready within a second or two. */
export async function joinFleet(settings: FleetSettings): Promise<Fleet> {
  const redis = openRedis(settings.redisUrl);
  const prefix = prefixOf(settings);
  const events = new EventEmitter();
  const valuesOf = (kind: string, maxBytes: number) =>
    openSharedValues({ redis, prefix: `${prefix}${kind}:`, maxBytes });
  const limiter = new SharedLimiter({
    redis,
    prefix,
    elapsed: () => performance.now(),
    onChange: (status, reason) => events.emit('change', status, reason?.message),
  });
  await redis.settled;
  await limiter.beat();
  return {
    limiter,
    answers: shareAnswers(valuesOf('answer', maxAnswerBytes)),
    results: valuesOf('result', maxResultBytes),
    status: () => limiter.status,
    onChange: (listener) => void events.on('change', listener),
    close() {
      limiter.leave();
      redis.close();
    },
  };
}

/**
 * Begins the keys of one API key: a hash of the key's id and where it is good, never the id itself.
 * The braces keep them on one node of a cluster.
 */
export function prefixOf({ baseUrl, clientId }: Omit<FleetSettings, 'redisUrl'>): string {
  const text = JSON.stringify([baseUrl, clientId]);
  const hash = createHash('sha256').update(text).digest('hex');
  return `commerce-mcp:2:{${hash.slice(0, 24)}}:`;
}
