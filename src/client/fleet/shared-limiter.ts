import { randomUUID } from 'node:crypto';
import {
  type BudgetState,
  type BudgetView,
  expectedMs,
  nextLookMs,
  type Permit,
  type Priority,
  probePatienceMs,
  type Settlement,
  unknownBudget,
  viewOf,
} from '../rate-limit/budget.ts';
import type { Ceiling } from '../rate-limit/headers.ts';
import { LocalLimiter, type RateLimiter } from '../rate-limit/limiter.ts';
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

/** A request under way: its name in Redis, and which limiter knows it. */
interface Held {
  id: string;
  isAlone: boolean;
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
  #numbers = 0;
  #budget: BudgetState = unknownBudget();
  #ceilings: Ceiling[] = [];
  #replicas = assumedReplicas;
  #alone: LocalLimiter | undefined;
  #sentAlone = 0;
  #lastReplyMs = Number.NEGATIVE_INFINITY;

  constructor(settings: SharedLimiterSettings) {
    this.#settings = settings;
    this.#keys = budgetKeys.map((name) => `${settings.prefix}${name}`);
    this.#alone = this.#limiterAlone();
    this.#beating = setInterval(() => void this.beat(), beatMs).unref();
  }

  get status(): FleetStatus {
    return { state: this.#alone ? 'alone' : 'shared', replicas: this.#replicas };
  }

  acquire(priority: Priority): Permit | undefined | Promise<Permit | undefined> {
    return this.#alone ? this.#acquireAlone(this.#alone, priority) : this.#take(priority);
  }

  release(permit: Permit, ended: Settlement): void {
    const held = this.#held.get(permit);
    if (ended.kind === 'answered' && ended.report?.ceilings.length) {
      this.#ceilings = ended.report.ceilings;
    }
    if (!this.#alone && held) return void this.#settle(permit, held, ended);
    this.#held.delete(permit);
    this.#alone?.release(permit, ended);
  }

  nextLookMs(priority: Priority): number {
    if (this.#alone) return this.#alone.nextLookMs(priority);
    const now = this.#settings.elapsed();
    const atMs = nextLookMs(this.#budget, now, priority);
    return this.#budget.inFlight > this.#held.size ? Math.min(atMs, now + pollMs) : atMs;
  }

  expectedMs(ahead: number): number {
    const now = this.#settings.elapsed();
    return this.#alone?.expectedMs(ahead) ?? expectedMs(this.#budget, now, ahead);
  }

  view(): BudgetView | undefined {
    if (this.#alone) return this.#alone.view();
    return viewOf({ ...this.#budget, ceilings: this.#ceilings }, this.#settings.elapsed());
  }

  /** Registers this replica and what it has under way; shares again where Redis is back. */
  async beat(): Promise<void> {
    const { elapsed, onChange } = this.#settings;
    if (!this.#alone && elapsed() - this.#lastReplyMs < beatMs / 2) return;
    try {
      await this.#register();
      if (!this.#alone) return;
      this.#alone = undefined;
      this.#sentAlone = 0;
      // Once more, for what left while the first was on its way.
      void this.#register().catch(() => {});
      onChange(this.status);
    } catch (error) {
      this.#fallBack(error);
    }
  }

  /** Gives back what it holds. Never rejects. */
  async leave(): Promise<void> {
    clearInterval(this.#beating);
    if (this.#alone) return;
    const ids = [...this.#held.values()].map(({ id }) => id);
    const [, flight = '', , replicas = ''] = this.#keys;
    const script = `redis.call('ZREM', KEYS[1], unpack(ARGV)) redis.call('ZREM', KEYS[2], ARGV[1]) return {}`;
    await this.#settings.redis.run(script, [flight, replicas], [this.#me, ...ids]).catch(() => {});
  }

  async #register(): Promise<void> {
    const known = this.#alone && this.#lastReplyMs > 0 ? this.#replicas : '';
    const back = this.#alone ? [known, this.#sentAlone, this.#budget.window] : ['', '', ''];
    const under = [...this.#held.values()].filter(({ isSettling }) => !isSettling);
    await this.#run(takeScript, ['', '', ...back, ...under.map(({ id }) => id)]);
  }

  async #take(priority: Priority): Promise<Permit | undefined> {
    const number = String(++this.#numbers);
    const sentAtMs = this.#settings.elapsed();
    try {
      const { isGranted, isProbe } = await this.#run(takeScript, [priority, number, '', '', '']);
      if (!isGranted) return undefined;
      const { window } = this.#budget;
      const permit = { sentAtMs, window, isProbe };
      const id = `${window}:${this.#me}:${number}`;
      this.#held.set(permit, { id, isAlone: false, isSettling: false });
      return permit;
    } catch (error) {
      return this.#acquireAlone(this.#fallBack(error), priority);
    }
  }

  async #settle(permit: Permit, held: Held, ended: Settlement): Promise<void> {
    held.isSettling = true;
    const agoMs = Math.max(0, Math.round(this.#settings.elapsed() - permit.sentAtMs));
    const window = held.isAlone ? -1 : permit.window;
    const given = [held.id, window, permit.isProbe ? 1 : 0, agoMs, ...answerOf(ended)];
    try {
      await this.#run(settleScript, given);
      this.#held.delete(permit);
    } catch (error) {
      const alone = this.#fallBack(error);
      this.#held.delete(permit);
      alone.release(permit, ended);
    }
  }

  #acquireAlone(limiter: LocalLimiter, priority: Priority): Permit | undefined {
    const permit = limiter.acquire(priority);
    if (permit === undefined) return undefined;
    this.#sentAlone++;
    const id = `alone:${this.#me}:${++this.#numbers}`;
    this.#held.set(permit, { id, isAlone: true, isSettling: false });
    return permit;
  }

  #fallBack(reason: unknown): LocalLimiter {
    if (this.#alone) return this.#alone;
    this.#alone = this.#limiterAlone();
    this.#settings.onChange(this.status, reason instanceof Error ? reason : undefined);
    return this.#alone;
  }

  /** An equal share of what was left, with its own requests under way. */
  #limiterAlone(): LocalLimiter {
    const replicas = this.#replicas;
    const own = [...this.#held.keys()];
    // As many requests as are under way here may have left elsewhere since the others were heard of.
    const unheard = (replicas - 1) * own.length;
    const free = this.#budget.remaining - this.#budget.inFlight - unheard;
    const share = Math.floor(Math.max(0, free) / replicas) + own.length;
    const budget: BudgetState = {
      ...this.#budget,
      limit: Math.max(1, Math.floor(this.#budget.limit / replicas)),
      remaining: share,
      counted: share,
      inFlight: own.length,
      probesSentMs: own.filter(({ isProbe }) => isProbe).map(({ sentAtMs }) => sentAtMs),
      ceilings: this.#ceilings,
    };
    return new LocalLimiter(this.#settings.elapsed, budget, replicas);
  }

  /** Runs a script, and takes in the state that it answers with. */
  async #run(script: string, given: readonly (string | number)[]) {
    const { redis, elapsed } = this.#settings;
    const reply = await redis.run(script, this.#keys, [this.#me, ...given]);
    const numbers = reply.map((value) => Number(value));
    const [granted, isProbe, , limit = 1, windowMs = 60_000, remaining = 0, leftMs = 0] = numbers;
    const [window = 0, inFlight = 0, probeLeftMs = 0, replicas = 1] = numbers.slice(7);
    const meter = String(reply[2]);
    const now = elapsed();
    this.#lastReplyMs = now;
    this.#replicas = Math.max(1, replicas);
    this.#budget = {
      ...unknownBudget(),
      meter: meter === 'on' || meter === 'off' ? meter : 'unknown',
      limit,
      windowMs,
      remaining,
      counted: remaining,
      resetAtMs: now + leftMs,
      window,
      inFlight,
      probesSentMs: probeLeftMs > 0 ? [now + probeLeftMs - probePatienceMs] : [],
    };
    return { isGranted: granted === 1, isProbe: isProbe === 1 };
  }
}

/** What an answer said, as the settling script expects it. */
function answerOf(ended: Settlement): (string | number)[] {
  if (ended.kind === 'unused') return ['', '', '', '', '', ''];
  if (ended.kind === 'lost') return [0, '', '', '', '', ''];
  const {
    status,
    retryAfterMs,
    report: { limit, remaining, resetSeconds, windowSeconds } = {},
  } = ended;
  const inMs = (seconds: number | undefined) => (seconds === undefined ? '' : seconds * 1000);
  return [
    status,
    limit ?? '',
    remaining ?? '',
    inMs(resetSeconds),
    inMs(windowSeconds),
    retryAfterMs ?? '',
  ];
}
