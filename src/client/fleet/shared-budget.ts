import { randomUUID } from 'node:crypto';
import { messageOf } from '../../core/errors.ts';
import {
  leavingOf,
  newsOf,
  type Permit,
  type Priority,
  RateBudget,
  type Settlement,
} from '../rate-limit/budget.ts';
import type { Redis } from './redis.ts';
import { beatMs, budgetKeys, type scripts } from './scripts.ts';

/** Whether a replica shares one budget with the others. */
export interface FleetStatus {
  /** `alone` while Redis is away: the replica keeps to its own share. */
  state: 'shared' | 'alone';
  /** Replicas on the key as far as known, this one included. */
  replicas: number;
}

/** How many replicas a replica reckons with that has never seen the others. */
const assumedReplicas = 4;

/** An answer to another replica can free budget: how often to look while they wait for one. */
const pollMs = 25;

/**
 * One replica's view of the budget that all share in Redis. While Redis is away it paces itself on
 * its share of what was left and of each later window, and shares again as soon as Redis is back.
 */
export class SharedBudget extends RateBudget {
  /** Called with each change of state, and the reason for being alone. */
  onChange: (status: FleetStatus, reason?: string) => void = () => {};
  readonly #redis: Redis;
  readonly #keys: string[];
  readonly #elapsed: () => number;
  readonly #me = randomUUID().slice(0, 8);
  /** Names in Redis of the requests under way here. */
  readonly #names = new Map<Permit, string>();
  readonly #beating: NodeJS.Timeout;
  #isAlone = true;
  #replicas = assumedReplicas;
  #requests = 0;

  /**
   * @param prefix begins every key
   * @param elapsed the client's elapsed clock
   */
  constructor(redis: Redis, prefix: string, elapsed: () => number) {
    super(elapsed);
    this.#redis = redis;
    this.#keys = budgetKeys.map((name) => `${prefix}${name}`);
    this.#elapsed = elapsed;
    this.#beating = setInterval(() => void this.beat(), beatMs).unref();
  }

  get status(): FleetStatus {
    return { state: this.#isAlone ? 'alone' : 'shared', replicas: this.#replicas };
  }

  override async acquire(priority: Priority): Promise<Permit | undefined> {
    const name = `${this.#me}:${++this.#requests}`;
    const permit = this.#isAlone ? await super.acquire(priority) : await this.#take(priority, name);
    if (permit) this.#names.set(permit, name);
    return permit;
  }

  override release(permit: Permit, ended: Settlement): void {
    const name = this.#names.get(permit);
    this.#names.delete(permit);
    if (this.#isAlone || name === undefined) this.#releaseAlone(permit, ended);
    else void this.#settle(permit, name, ended);
  }

  override nextCheckMs(priority: Priority): number {
    const atMs = super.nextCheckMs(priority);
    const isElsewhere = !this.#isAlone && this.inFlight > this.#names.size;
    return isElsewhere ? Math.min(atMs, this.#elapsed() + pollMs) : atMs;
  }

  /** Registers this replica and what it has under way; shares again where Redis is back. */
  async beat(): Promise<void> {
    try {
      const wasAlone = this.#isAlone;
      await this.#run('takePermit', ['', '', '', '', ...this.#names.values()], true);
      if (wasAlone) this.onChange(this.status);
    } catch (error) {
      this.#fallBack(error);
    }
  }

  /** Ends the signs of life: in five seconds the others go on without this replica. */
  leave(): void {
    clearInterval(this.#beating);
  }

  async #take(priority: Priority, name: string): Promise<Permit | undefined> {
    const sentAtMs = this.#elapsed();
    const { kept, decayingReserve } = leavingOf(priority, this.backgroundShare);
    const isPrefetch = Number(priority === 'prefetch');
    try {
      const reply = await this.#run('takePermit', [kept, decayingReserve, isPrefetch, name]);
      return reply.isGranted ? { sentAtMs, isProbe: reply.isProbe } : undefined;
    } catch (error) {
      this.#fallBack(error);
      return super.acquire(priority);
    }
  }

  async #settle(permit: Permit, name: string, ended: Settlement): Promise<void> {
    const agoMs = Math.max(0, Math.round(this.#elapsed() - permit.sentAtMs));
    if (ended.kind === 'answered' && ended.report) this.ceilings = ended.report.ceilings;
    try {
      const news = argumentsFor(newsOf(permit, ended));
      await this.#run('settlePermit', [name, Number(permit.isProbe), agoMs, ...news]);
    } catch (error) {
      this.#fallBack(error);
      this.inFlight++;
      this.#releaseAlone(permit, ended);
    }
  }

  /** Of a share this replica counts what it has used itself: the others draw on what is reported. */
  #releaseAlone(permit: Permit, ended: Settlement): void {
    const report = ended.kind === 'answered' ? ended.report : undefined;
    if (ended.kind === 'answered' && report) {
      const limit = report.limit && Math.max(1, Math.floor(report.limit / this.#replicas));
      super.release(permit, { ...ended, report: { ...report, limit, remaining: undefined } });
    } else super.release(permit, ended);
  }

  /** Goes on with an equal share of what was left, and its own requests under way. */
  #fallBack(reason: unknown): void {
    if (this.#isAlone) return;
    const underWay = this.#names.size;
    // As many requests as are under way here may have left elsewhere since the others were heard of.
    const free = Math.max(0, this.remaining - this.inFlight - (this.#replicas - 1) * underWay);
    this.limit = Math.max(1, Math.floor(this.limit / this.#replicas));
    this.remaining = Math.floor(free / this.#replicas) + underWay;
    this.inFlight = underWay;
    this.#isAlone = true;
    this.onChange(this.status, messageOf(reason));
  }

  /** Runs a script, and takes in the state that it answers with. */
  async #run(script: keyof typeof scripts, args: readonly (string | number)[], isJoining = false) {
    const reply = await this.#redis.run(script, ...this.#keys, this.#me, ...args);
    if (this.#isAlone && !isJoining) throw new Error('Redis was away meanwhile');
    const numbers = Array.isArray(reply) ? reply.map((it) => Number(String(it))) : [];
    const [granted, isProbe, limit = 1, windowMs = 60_000, remaining = 0] = numbers;
    const [resetInMs = Number.NaN, probeInMs = 0, heldInMs = 0, refusals = 0] = numbers.slice(5);
    const [inFlight = 0, replicas = 1] = numbers.slice(9);
    const now = this.#elapsed();
    this.#isAlone = false;
    this.#replicas = replicas;
    Object.assign(this, {
      ...{ limit, windowMs, remaining, inFlight, lost: 0, roundingAllowanceMs: 0, openedAtMs: now },
      resetAtMs: Number.isNaN(resetInMs) ? Number.NEGATIVE_INFINITY : now + resetInMs,
      probeUntilMs: now + probeInMs,
      ...{ heldUntilMs: now + heldInMs, refusals },
    } satisfies Partial<RateBudget>);
    return { isGranted: granted === 1, isProbe: isProbe === 1 };
  }
}

function argumentsFor(news: ReturnType<typeof newsOf>): (string | number)[] {
  if (news === undefined) return ['nothing'];
  if (news === 'lost') return ['lost'];
  const { kind, limit, remaining, resetMs, windowMs } = news;
  return [kind, ...[limit, remaining, resetMs, windowMs].map((number) => number ?? '')];
}
