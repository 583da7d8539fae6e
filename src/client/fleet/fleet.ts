import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sharing } from '../request/sharing.ts';
import { openCasCell } from './cas-cell.ts';
import { openRedis } from './redis.ts';
import { shareAnswers } from './response-cache.ts';
import { openSharedCache, type SharedCache } from './shared-cache.ts';
import { type FleetStatus, openSharedLimiter } from './shared-limiter.ts';

export type { FleetStatus };

/** What the replicas on one key have in common. Each keeps a token of its own. */
export interface Fleet extends Sharing {
  /** Where kept results lie, for whoever is asked for them. */
  results: SharedCache;
  status(): FleetStatus;
  /** Calls back with each change of the status, and the reason for being alone. */
  onChange(listener: (status: FleetStatus, reason: string | undefined) => void): void;
  /** Calls back with each entry in Redis that is none of ours: it counts as not being there. */
  onForeign(listener: (entry: string, reason: string) => void): void;
  /** Gives back what this replica holds, and hangs up. */
  close(): Promise<void>;
}

export interface FleetSettings {
  /** `redis://` or `rediss://`. */
  redisUrl: string;
  baseUrl: string;
  clientId: string;
}

/** How a ledger that is none of ours is told of. */
const foreignLedger = ['ledger', 'not of the expected form'] as const;

/** How much is kept in Redis of each kind, compressed. */
const room = {
  results: { maxBytes: 128 * 2 ** 20, maxValues: 2000 },
  answers: { maxBytes: 32 * 2 ** 20, maxValues: 500 },
};

/** Joins the replicas on a key, or goes on alone until Redis answers; ready within a second or two. */
export async function joinFleet(settings: FleetSettings): Promise<Fleet> {
  const redis = openRedis(settings.redisUrl);
  const prefix = prefixOf(settings);
  const ending = new AbortController();
  const listeners: Parameters<Fleet['onChange']>[0][] = [];
  const strangers: Parameters<Fleet['onForeign']>[0][] = [];
  let isLedgerForeign = false;
  const onForeign = (entry: string, reason: string) => {
    for (const listener of strangers) listener(entry, reason);
  };
  const limiter = openSharedLimiter({
    cell: openCasCell(redis, `${prefix}ledger`),
    elapsed: () => performance.now(),
    pause: (ms) => sleep(ms, undefined, { ref: false, signal: ending.signal }),
    onChange(status, reason) {
      const text = reason instanceof Error ? reason.message : undefined;
      for (const listener of listeners) listener(status, text);
    },
    onForeign() {
      // Told once, as other entries are; whoever listens later hears of it then.
      if (!isLedgerForeign) onForeign(...foreignLedger);
      isLedgerForeign = true;
    },
  });
  await redis.settled;
  await limiter.join();
  return {
    limiter: limiter,
    answers: shareAnswers(
      openSharedCache({ redis, prefix: `${prefix}answer:`, onForeign, ...room.answers }),
    ),
    results: openSharedCache({ redis, prefix: `${prefix}result:`, onForeign, ...room.results }),
    status: limiter.status,
    onChange: (listener) => void listeners.push(listener),
    onForeign(listener) {
      if (isLedgerForeign) listener(...foreignLedger);
      strangers.push(listener);
    },
    async close() {
      ending.abort();
      await limiter.leave();
      redis.close();
    },
  };
}

/**
 * Begins the keys of one API key: a hash of whose it is and where it is good, never the id itself.
 * The braces keep them on one node of a cluster.
 */
export function prefixOf({ baseUrl, clientId }: Omit<FleetSettings, 'redisUrl'>): string {
  const whose = createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId]))
    .digest('hex');
  return `commerce-mcp:1:{${whose.slice(0, 24)}}:`;
}
