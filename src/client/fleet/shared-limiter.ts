import { randomUUID } from 'node:crypto';
import {
  type BudgetView,
  leavingOf,
  type Permit,
  type Priority,
  RateBudget,
  type Settlement,
} from '../rate-limit/budget.ts';
import type { RateLimiter } from '../rate-limit/queue.ts';
import type { Redis } from './redis.ts';
import { beatMs, budgetKeys, settleScript, takeScript } from './scripts.ts';

/** Whether a replica shares one budget with the others. */
export interface FleetStatus {
  /** `alone` while Redis is away: the replica keeps to its own share. */
  state: 'shared' | 'alone';
  /** Replicas on the key as far as known, this one included. */
  replicas: number;
}

export interface SharedLimiterSettings {
  redis: Redis;
  /** Begins every key. */
  prefix: string;
  /** The client's elapsed clock. */
  elapsed: () => number;
  /** Called with each change of state, and the reason for being alone. */
  onChange: (status: FleetStatus, reason?: Error) => void;
}

/** How many replicas a replica reckons with that has never seen the others. */
const assumedReplicas = 4;

/** An answer to another replica can free budget: how often to look while they wait for one. */
const pollMs = 25;

/** A request under way, by its name in Redis. */
interface Held {
  id: string;
  isSettling: boolean;
}

/**
 * One replica's access to the budget that all share in Redis. While Redis is away it paces itself on
 * its share of what was left and of each later window, and shares again as soon as Redis is back.
 */
export class SharedLimiter implements RateLimiter {
  readonly #settings: SharedLimiterSettings;
  readonly #keys: string[];
  readonly #me = randomUUID().slice(0, 8);
  readonly #held = new Map<Permit, Held>();
  readonly #beating: NodeJS.Timeout;
  /** As Redis answered last; while alone, what this replica makes of it. */
  readonly #budget: RateBudget;
  #isAlone = true;
  #replicas = assumedReplicas;
  #numbers = 0;
  #lastReplyMs = Number.NEGATIVE_INFINITY;

  constructor(settings: SharedLimiterSettings) {
    this.#settings = settings;
    this.#keys = budgetKeys.map((name) => `${settings.prefix}${name}`);
    this.#budget = new RateBudget(settings.elapsed);
    this.#budget.replicas = assumedReplicas;
    this.#beating = setInterval(() => void this.beat(), beatMs).unref();
  }

  get status(): FleetStatus {
    return { state: this.#isAlone ? 'alone' : 'shared', replicas: this.#replicas };
  }

  acquire(priority: Priority): Permit | undefined | Promise<Permit | undefined> {
    return this.#isAlone ? this.#acquireAlone(priority) : this.#take(priority);
  }

  release(permit: Permit, ended: Settlement): void {
    const held = this.#held.get(permit);
    if (this.#isAlone || !held) this.#releaseAlone(permit, ended);
    else void this.#settle(permit, held, ended);
  }

  nextLookMs(priority: Priority): number {
    const atMs = this.#budget.nextLookMs(priority);
    const mayChange = !this.#isAlone && this.#budget.inFlight > this.#held.size;
    return mayChange ? Math.min(atMs, this.#settings.elapsed() + pollMs) : atMs;
  }

  expectedMs(ahead: number): number {
    return this.#budget.expectedMs(ahead);
  }

  get backgroundShare(): number {
    return this.#budget.backgroundShare;
  }

  set backgroundShare(share: number) {
    this.#budget.backgroundShare = share;
  }

  view(): BudgetView | undefined {
    return this.#budget.view();
  }

  /** Registers this replica and what it has under way; shares again where Redis is back. */
  async beat(): Promise<void> {
    const { elapsed, onChange } = this.#settings;
    if (!this.#isAlone && elapsed() - this.#lastReplyMs < beatMs / 2) return;
    try {
      const wasAlone = this.#isAlone;
      await this.#register();
      if (!wasAlone) return;
      // Once more, for what left while the first was on its way.
      void this.#register().catch(() => {});
      onChange(this.status);
    } catch (error) {
      this.#fallBack(error);
    }
  }

  /** Ends the signs of life: in five seconds the others go on without this replica. */
  leave(): void {
    clearInterval(this.#beating);
  }

  async #register(): Promise<void> {
    const under = [...this.#held.values()].filter(({ isSettling }) => !isSettling);
    await this.#run(takeScript, ['', '', '', '', ...under.map(({ id }) => id)], true);
  }

  async #take(priority: Priority): Promise<Permit | undefined> {
    const id = this.#newId();
    const sentAtMs = this.#settings.elapsed();
    const isPrefetch = priority === 'prefetch' ? 1 : 0;
    try {
      const { kept, melting } = leavingOf(priority, this.backgroundShare);
      const given = [melting, kept, isPrefetch, id];
      const { isGranted, isProbe } = await this.#run(takeScript, given);
      return isGranted ? this.#hold({ sentAtMs, isProbe }, id) : undefined;
    } catch (error) {
      this.#fallBack(error);
      return this.#acquireAlone(priority);
    }
  }

  async #settle(permit: Permit, held: Held, ended: Settlement): Promise<void> {
    held.isSettling = true;
    const agoMs = Math.max(0, Math.round(this.#settings.elapsed() - permit.sentAtMs));
    const ceilings = ended.kind === 'answered' ? (ended.report?.ceilings ?? []) : [];
    if (ceilings.length > 0) this.#budget.ceilings = ceilings;
    try {
      const given = [held.id, permit.isProbe ? 1 : 0, agoMs, ...answerOf(ended)];
      await this.#run(settleScript, given);
      this.#held.delete(permit);
    } catch (error) {
      this.#fallBack(error);
      this.#releaseAlone(permit, ended);
    }
  }

  #newId(): string {
    return `${this.#me}:${++this.#numbers}`;
  }

  #hold(permit: Permit, id: string): Permit {
    this.#held.set(permit, { id, isSettling: false });
    return permit;
  }

  #acquireAlone(priority: Priority): Permit | undefined {
    const permit = this.#budget.acquire(priority);
    return permit && this.#hold(permit, this.#newId());
  }

  #releaseAlone(permit: Permit, ended: Settlement): void {
    this.#held.delete(permit);
    this.#budget.release(permit, ended);
  }

  /** Goes on with an equal share of what was left, and its own requests under way. */
  #fallBack(reason: unknown): void {
    if (this.#isAlone) return;
    const budget = this.#budget;
    const own = [...this.#held.keys()];
    // As many requests as are under way here may have left elsewhere since the others were heard of.
    const unheard = (this.#replicas - 1) * own.length;
    const free = Math.max(0, budget.remaining - budget.inFlight - unheard);
    budget.replicas = this.#replicas;
    budget.limit = Math.max(1, Math.floor(budget.limit / this.#replicas));
    budget.remaining = Math.floor(free / this.#replicas) + own.length;
    budget.inFlight = own.length;
    budget.probe = own.find(({ isProbe }) => isProbe);
    this.#isAlone = true;
    this.#settings.onChange(this.status, reason instanceof Error ? reason : undefined);
  }

  /** Runs a script, and takes in the state that it answers with. */
  async #run(script: string, given: readonly (string | number)[], isJoining = false) {
    const { redis, elapsed } = this.#settings;
    const reply = await redis.run(script, this.#keys, [this.#me, ...given]);
    if (this.#isAlone && !isJoining) throw new Error('Redis was away meanwhile');
    const numbers = reply.map(Number);
    const [granted, isProbe, , limit = 1, windowMs = 60_000, remaining = 0, leftMs = 0] = numbers;
    const [inFlight = 0, probeAgoMs = -1, replicas = 1] = numbers.slice(7);
    const meter = String(reply[2]);
    const now = elapsed();
    this.#lastReplyMs = now;
    this.#isAlone = false;
    this.#replicas = replicas;
    Object.assign(this.#budget, {
      ...{ limit, windowMs, remaining, inFlight, lost: 0, slackMs: 0 },
      meter: meter === 'on' || meter === 'off' ? meter : 'unknown',
      openedAtMs: now,
      resetAtMs: now + leftMs,
      probe: probeAgoMs < 0 ? undefined : { sentAtMs: now - probeAgoMs, isProbe: true },
    } satisfies Partial<RateBudget>);
    return { isGranted: granted === 1, isProbe: isProbe === 1 };
  }
}

/** What an answer said, as the settling script expects it. */
function answerOf(ended: Settlement): (string | number)[] {
  if (ended.kind !== 'answered') return [ended.kind === 'lost' ? 0 : '', '', '', '', '', ''];
  const { limit, remaining, resetSeconds, windowSeconds } = ended.report ?? {};
  const inMs = (seconds: number | undefined) => seconds && seconds * 1000;
  const { status, retryAfterMs } = ended;
  const parts = [status, limit, remaining, inMs(resetSeconds), inMs(windowSeconds), retryAfterMs];
  return parts.map((part) => part ?? '');
}
