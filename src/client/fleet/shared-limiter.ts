import { randomUUID } from 'node:crypto';
import {
  expectedAt,
  looksAgainAt,
  type Permit,
  unknownBudget,
} from '../rate-limit/budget-state.ts';
import { type OwnLimiter, openLimiter, type RateLimiter, viewOf } from '../rate-limit/limiter.ts';
import type { CasCell } from './cas-cell.ts';
import { shiftedBudget, shiftedPermit } from './clock.ts';
import { assumedReplicas, shareOfBudget, updateAlone } from './fallback-share.ts';
import { isExpecting, strayPermit } from './lease.ts';
import type { Operation } from './operations.ts';
import { openSharedRecord } from './shared-record.ts';

/** Whether a replica shares one budget with the others. */
export interface FleetStatus {
  /** `alone` while Redis is away, and until it is safe to share again: it keeps to its own share. */
  state: 'shared' | 'alone';
  /** Replicas on the key as far as known, this one included. */
  replicas: number;
}

/** A limiter that several processes share. */
export interface SharedLimiter extends RateLimiter {
  status(): FleetStatus;
  /** Reads the cell, and shares where that is possible. Never rejects. */
  join(): Promise<void>;
  /** Gives back what it holds. Never rejects. */
  leave(): Promise<void>;
}

export interface SharedLimiterSettings {
  cell: CasCell;
  /** A clock in milliseconds that never jumps: the client's own. */
  elapsed: () => number;
  /** Waits between two signs of life; rejects when the limiter is to end. */
  pause: (ms: number) => Promise<void>;
  /** Told of each change of state, and of the reason for being alone. */
  onChange?: (status: FleetStatus, reason?: unknown) => void;
  /** Hears of a record in the cell that is none of ours. */
  onForeign?: () => void;
}

/** How often a replica shows that it lives, or looks whether the cell is back. */
const beatMs = 1000;

/** An answer to somebody else can free budget: how often a replica looks while they wait for one. */
const pollMs = 25;

/**
 * A replica's hand on the limiter that all share. When the cell is away it goes on alone, with its
 * share of what was left, and shares again as soon as the others do or a new window begins.
 */
export function openSharedLimiter(settings: SharedLimiterSettings): SharedLimiter {
  const { cell, elapsed, pause, onChange = () => {}, onForeign } = settings;
  const me = randomUUID().slice(0, 8);
  const shared = openSharedRecord(cell, me, elapsed, onForeign);
  /** What was given, in the terms of the limiter that it will be settled in. */
  const held = new Map<Permit, Permit>();
  const operations: Operation[] = [];
  let alone: OwnLimiter | undefined = openLimiter(
    elapsed,
    unknownBudget,
    updateAlone(assumedReplicas),
  );
  let peak: Peak | undefined;
  let lostAtMs = elapsed();
  let reachedAtMs = Number.NEGATIVE_INFINITY;
  let turnedAtMs = Number.NEGATIVE_INFINITY;
  let working: Promise<void> | undefined;

  const replicas = () => peak?.count ?? assumedReplicas;
  const now = () => elapsed() + shared.offsetMs();

  function perform(...more: Operation[]): Promise<void> {
    operations.push(...more);
    working ??= work();
    return working;
  }

  async function work(): Promise<void> {
    // Operations that arrive in the same moment are applied together.
    await Promise.resolve();
    while (operations.length > 0 && alone === undefined) {
      const batch = operations.splice(0);
      try {
        const permits = await shared.perform(batch);
        turnedAtMs = elapsed();
        countReplicas();
        batch.forEach((operation, index) => {
          if (operation.kind === 'take') operation.give(hold(permits[index]));
        });
      } catch (error) {
        fallBack([...batch, ...operations.splice(0)], error);
      }
    }
    working = undefined;
  }

  function countReplicas(): void {
    peak = peakOf(peak, Object.keys(shared.record().members).length, elapsed());
  }

  function hold(permit: Permit | undefined): Permit | undefined {
    if (permit) held.set(permit, permit);
    return permit;
  }

  /** Goes on alone, beginning with what could not be done together. */
  function fallBack(undone: readonly Operation[], reason: unknown): void {
    const shiftMs = -shared.offsetMs();
    const settling = undone.flatMap((operation) =>
      operation.kind === 'settle' ? [operation] : [],
    );
    const under = [...held.values(), ...settling.map(({ permit }) => permit)];
    const own = { count: under.length, probes: under.filter(({ probe }) => probe).length };
    const budget = shareOfBudget(shiftedBudget(shared.record().pace, shiftMs), replicas(), own);
    const limiter = openLimiter(elapsed, budget, updateAlone(replicas()));
    alone = limiter;
    lostAtMs = elapsed();
    reachedAtMs = Number.NEGATIVE_INFINITY;
    for (const [given, permit] of held) held.set(given, shiftedPermit(permit, shiftMs));
    for (const { permit, ended } of settling)
      limiter.release(shiftedPermit(permit, shiftMs), ended);
    for (const operation of undone)
      if (operation.kind === 'take') operation.give(hold(limiter.acquire(operation.priority)));
    onChange(status(), reason);
  }

  /** Between two windows nobody relies on a share; and where the others share, so can we. */
  function maySettleIn(limiter: OwnLimiter): boolean {
    if (elapsed() - reachedAtMs > 2 * beatMs) return false;
    const view = limiter.view();
    const isBetweenWindows = view === undefined || view.resetsInSeconds === 0;
    return isBetweenWindows || othersCarriedOn();
  }

  function othersCarriedOn(): boolean {
    return Object.entries(shared.record().members).some(
      ([name, { seenAtMs }]) => name !== me && seenAtMs > lostAtMs + shared.offsetMs(),
    );
  }

  function comeBack(): void {
    alone = undefined;
    for (const [given, permit] of held) held.set(given, strayPermit(permit, shared.offsetMs()));
    const count = held.size;
    void perform({ kind: 'rejoin', count, replicas: peak?.count ?? 0, lostAtMs });
    onChange(status());
  }

  async function join(): Promise<void> {
    try {
      await shared.look();
      reachedAtMs = elapsed();
      countReplicas();
      if (alone && maySettleIn(alone)) comeBack();
    } catch {
      reachedAtMs = Number.NEGATIVE_INFINITY;
    }
  }

  async function live(): Promise<never> {
    for (;;) {
      await pause(beatMs);
      if (alone) await join();
      else if (elapsed() - turnedAtMs >= beatMs / 2) await perform({ kind: 'beat' });
    }
  }

  function status(): FleetStatus {
    if (alone) return { state: 'alone', replicas: replicas() };
    return {
      state: 'shared',
      replicas: Math.max(1, Object.keys(shared.record().members).length),
    };
  }

  live().catch(() => {
    // The limiter is to end.
  });

  return {
    acquire(priority) {
      if (alone && maySettleIn(alone)) comeBack();
      if (alone) return hold(alone.acquire(priority));
      return new Promise((give) => void perform({ kind: 'take', priority, give }));
    },
    release(permit, ended) {
      const mine = held.get(permit) ?? permit;
      held.delete(permit);
      if (alone) alone.release(mine, ended);
      else void perform({ kind: 'settle', permit: mine, ended, atMs: elapsed() });
    },
    looksAgainAtMs(priority) {
      if (alone) return alone.looksAgainAtMs(priority);
      const record = shared.record();
      const atMs = looksAgainAt(record.pace, now(), priority) - shared.offsetMs();
      const mayChange = record.pace.inFlight > held.size || isExpecting(record, now());
      return mayChange ? Math.min(atMs, elapsed() + pollMs) : atMs;
    },
    expectedAtMs: (ahead) =>
      alone?.expectedAtMs(ahead) ??
      expectedAt(shared.record().pace, now(), ahead) - shared.offsetMs(),
    view() {
      if (alone) return alone.view();
      const { pace: budget, policy } = shared.record();
      return viewOf(budget, policy, now());
    },
    status,
    join,
    async leave() {
      if (alone === undefined) await perform({ kind: 'leave' });
    },
  };
}

/** The most replicas seen together lately. */
interface Peak {
  count: number;
  /** When so many were seen last. */
  atMs: number;
}

/** A replica that is not seen any more counts for so long: it may live, and miss Redis as well. */
const staysMs = 60_000;

/** The peak after `count` replicas were seen at `now`. */
export function peakOf(held: Peak | undefined, count: number, now: number): Peak {
  const isLower = held !== undefined && count < held.count && now - held.atMs <= staysMs;
  return isLower ? held : { count: Math.max(1, count), atMs: now };
}
