import { randomUUID } from 'node:crypto';
import { expectedAt, looksAgainAt, type Permit, unknownPace } from '../rate-limit/budget-state.ts';
import { type Ledger, type OwnLedger, openLedger, viewOf } from '../rate-limit/limiter.ts';
import type { Board } from './cas-cell.ts';
import { assumedReplicas, learnAlone, shareOfPace } from './fallback-share.ts';
import { isExpecting, strayPermit } from './lease.ts';
import type { Deed } from './operations.ts';
import { type Peak, peakOf } from './peak.ts';
import { openSharedBook } from './shared-record.ts';
import { shiftedPace, shiftedPermit } from './shifted.ts';

/** Whether a replica shares one budget with the others. */
export interface FleetStatus {
  /** `alone` while Redis is away, and until it is safe to share again: it keeps to its own share. */
  state: 'shared' | 'alone';
  /** Replicas on the key as far as known, this one included. */
  replicas: number;
}

/** A ledger that several processes share. */
export interface FleetLedger extends Ledger {
  status(): FleetStatus;
  /** Reads the board, and shares where that is possible. Never rejects. */
  join(): Promise<void>;
  /** Gives back what it holds. Never rejects. */
  leave(): Promise<void>;
}

export interface FleetLedgerSettings {
  board: Board;
  /** A clock in milliseconds that never jumps: the client's own. */
  elapsed: () => number;
  /** Waits between two signs of life; rejects when the ledger is to end. */
  pause: (ms: number) => Promise<void>;
  /** Told of each change of state, and of the reason for being alone. */
  onChange?: (status: FleetStatus, reason?: unknown) => void;
}

/** How often a replica shows that it lives, or looks whether the board is back. */
const beatMs = 1000;

/** An answer to somebody else can free budget: how often a replica looks while they wait for one. */
const pollMs = 25;

/**
 * A replica's hand on the ledger that all share. When the board is away it goes on alone, with its
 * share of what was left, and shares again as soon as the others do or a new window begins.
 */
export function openFleetLedger(settings: FleetLedgerSettings): FleetLedger {
  const { board, elapsed, pause, onChange = () => {} } = settings;
  const me = randomUUID().slice(0, 8);
  const book = openSharedBook(board, me, elapsed);
  /** What was given, in the terms of the ledger that it will be settled in. */
  const held = new Map<Permit, Permit>();
  const deeds: Deed[] = [];
  let alone: OwnLedger | undefined = openLedger(elapsed, unknownPace, learnAlone(assumedReplicas));
  let peak: Peak | undefined;
  let lostAtMs = elapsed();
  let reachedAtMs = Number.NEGATIVE_INFINITY;
  let turnedAtMs = Number.NEGATIVE_INFINITY;
  let working: Promise<void> | undefined;

  const replicas = () => peak?.count ?? assumedReplicas;
  const now = () => elapsed() + book.offsetMs();

  function perform(...more: Deed[]): Promise<void> {
    deeds.push(...more);
    working ??= work();
    return working;
  }

  async function work(): Promise<void> {
    // Deeds that arrive in the same moment take the same turn.
    await Promise.resolve();
    while (deeds.length > 0 && alone === undefined) {
      const batch = deeds.splice(0);
      try {
        const permits = await book.perform(batch);
        turnedAtMs = elapsed();
        countReplicas();
        batch.forEach((deed, index) => {
          if (deed.kind === 'take') deed.give(hold(permits[index]));
        });
      } catch (error) {
        fallBack([...batch, ...deeds.splice(0)], error);
      }
    }
    working = undefined;
  }

  function countReplicas(): void {
    peak = peakOf(peak, Object.keys(book.record().members).length, elapsed());
  }

  function hold(permit: Permit | undefined): Permit | undefined {
    if (permit) held.set(permit, permit);
    return permit;
  }

  /** Goes on alone, beginning with what could not be done together. */
  function fallBack(undone: readonly Deed[], reason: unknown): void {
    const shiftMs = -book.offsetMs();
    const settling = undone.flatMap((deed) => (deed.kind === 'settle' ? [deed] : []));
    const under = [...held.values(), ...settling.map(({ permit }) => permit)];
    const own = { count: under.length, probes: under.filter(({ probe }) => probe).length };
    const pace = shareOfPace(shiftedPace(book.record().pace, shiftMs), replicas(), own);
    const ledger = openLedger(elapsed, pace, learnAlone(replicas()));
    alone = ledger;
    lostAtMs = elapsed();
    reachedAtMs = Number.NEGATIVE_INFINITY;
    for (const [given, permit] of held) held.set(given, shiftedPermit(permit, shiftMs));
    for (const { permit, ended } of settling) ledger.settle(shiftedPermit(permit, shiftMs), ended);
    for (const deed of undone)
      if (deed.kind === 'take') deed.give(hold(ledger.take(deed.priority)));
    onChange(status(), reason);
  }

  /** Between two windows nobody relies on a share; and where the others share, so can we. */
  function maySettleIn(ledger: OwnLedger): boolean {
    if (elapsed() - reachedAtMs > 2 * beatMs) return false;
    const view = ledger.view();
    const isBetweenWindows = view === undefined || view.resetsInSeconds === 0;
    return isBetweenWindows || othersCarriedOn();
  }

  function othersCarriedOn(): boolean {
    return Object.entries(book.record().members).some(
      ([name, { seenAtMs }]) => name !== me && seenAtMs > lostAtMs + book.offsetMs(),
    );
  }

  function comeBack(): void {
    alone = undefined;
    for (const [given, permit] of held) held.set(given, strayPermit(permit, book.offsetMs()));
    const count = held.size;
    void perform({ kind: 'rejoin', count, replicas: peak?.count ?? 0, lostAtMs });
    onChange(status());
  }

  async function join(): Promise<void> {
    try {
      await book.look();
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
      replicas: Math.max(1, Object.keys(book.record().members).length),
    };
  }

  live().catch(() => {
    // The ledger is to end.
  });

  return {
    take(priority) {
      if (alone && maySettleIn(alone)) comeBack();
      if (alone) return hold(alone.take(priority));
      return new Promise((give) => void perform({ kind: 'take', priority, give }));
    },
    settle(permit, ended) {
      const mine = held.get(permit) ?? permit;
      held.delete(permit);
      if (alone) alone.settle(mine, ended);
      else void perform({ kind: 'settle', permit: mine, ended, atMs: elapsed() });
    },
    looksAgainAtMs(priority) {
      if (alone) return alone.looksAgainAtMs(priority);
      const record = book.record();
      const atMs = looksAgainAt(record.pace, now(), priority) - book.offsetMs();
      const mayChange = record.pace.inFlight > held.size || isExpecting(record, now());
      return mayChange ? Math.min(atMs, elapsed() + pollMs) : atMs;
    },
    expectedAtMs: (ahead) =>
      alone?.expectedAtMs(ahead) ?? expectedAt(book.record().pace, now(), ahead) - book.offsetMs(),
    view() {
      if (alone) return alone.view();
      const { pace, policy } = book.record();
      return viewOf(pace, policy, now());
    },
    status,
    join,
    async leave() {
      if (alone === undefined) await perform({ kind: 'leave' });
    },
  };
}
