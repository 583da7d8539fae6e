import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { RateBudget, type Turn } from '../rate-limit/budget.ts';
import * as rules from '../rate-limit/rules.ts';
import { unlimited } from '../rate-limit/shares.ts';
import { openRedis, openSharedValues, type Redis } from './redis.ts';

export interface FleetStatus {
  /** `alone`: Redis is away, and the replica uses a share of its own. */
  state: 'shared' | 'alone';
  replicas: number;
}

/** Replicas assumed before others were seen. */
const assumedReplicas = 4;

/** Time between two reads of the budget while requests of others, which can free it, are in flight. */
const pollMs = 25;

/** Time between two registrations of a replica, and time without one after which it is gone. */
const beatMs = 1000;
const leaseMs = 5000;

/** Most attempts to change the state while others change it, and attempts without a pause. */
const maxTries = 40;
const quickTries = 4;

const unread = '?';

/**
 * The budget that replicas share in Redis, as one replica sees it. A change replaces the state of rate-limit/rules.ts
 * if Redis still holds the state that this replica knows. Without Redis the replica uses its share of what was left
 * and of each later window, until Redis is back.
 */
export class SharedBudget extends RateBudget {
  onChange: (status: FleetStatus, reason?: string) => void = () => {};
  readonly #redis: Redis;
  readonly #key: string;
  readonly #elapsed: () => number;
  readonly #me = randomUUID().slice(0, 8);
  readonly #mine = new Set<string>();
  readonly #beating: NodeJS.Timeout;
  #last: Promise<unknown> = Promise.resolve();
  /** The last seen text of the state in Redis. The first one never matches, so that the state is read. */
  #text = unread;
  #isAlone = true;
  #replicas = assumedReplicas;

  /**
   * @param prefix begins every key
   * @param elapsed the client's elapsed clock
   */
  constructor(redis: Redis, prefix: string, elapsed: () => number) {
    super(elapsed);
    this.#redis = redis;
    this.#key = `${prefix}budget`;
    this.#elapsed = elapsed;
    this.#beating = setInterval(() => void this.beat(), beatMs).unref();
  }

  get status(): FleetStatus {
    return { state: this.#isAlone ? 'alone' : 'shared', replicas: this.#replicas };
  }

  override async acquire(turn: Turn) {
    const wish = this.wish(turn);
    const id = `${this.#me}:${this.nextId()}`;
    let permit: rules.Permit | undefined;
    const isShared = await this.#exchange(() => {
      permit = this.grant(wish, leaseMs, id);
    });
    if (!isShared) permit = this.grant(wish, Infinity, id);
    if (permit) this.#mine.add(id);
    return permit;
  }

  override release(permit: rules.Permit, ended: rules.Settlement): void {
    this.#mine.delete(permit.id);
    void this.#exchange(() => this.settle(permit, ended)).then((isShared) => {
      if (!isShared) this.settle(permit, this.#asOfShare(ended));
      this.tell();
    });
  }

  override nextCheckMs(turn: Turn): number {
    const atMs = super.nextCheckMs(turn);
    const isElsewhere = !this.#isAlone && rules.inFlight(this.known) > this.#mine.size;
    return isElsewhere ? Math.min(atMs, this.#elapsed() + pollMs) : atMs;
  }

  async beat(): Promise<void> {
    const wasAlone = this.#isAlone;
    if ((await this.#exchange(() => {}, true)) && wasAlone) this.onChange(this.status);
  }

  /** Stops registering: after five seconds the others count without this replica. */
  leave(): void {
    clearInterval(this.#beating);
  }

  /**
   * Changes the state in Redis, repeatedly while others change it.
   * @returns whether Redis took the change; if not, this replica is alone and nothing has changed
   */
  #exchange(change: () => void, isJoining = false): Promise<boolean> {
    const done = this.#last.then(async () => {
      if (this.#isAlone && !isJoining) return false;
      try {
        for (let tries = 0; tries < maxTries; tries++)
          if (await this.#tryExchange(change, tries > quickTries)) return true;
        throw new Error('other replicas change the budget all the time');
      } catch (error) {
        this.#fallBack(error);
        return false;
      }
    });
    this.#last = done;
    return done;
  }

  async #tryExchange(change: () => void, isCrowded: boolean): Promise<boolean> {
    if (isCrowded) await sleep(Math.random() * pollMs);
    const before = this.known;
    const sign = { replica: this.#me, ids: this.#mine, leaseMs };
    this.known = rules.renew(this.#isAlone ? rules.unknownBudget : before, this.now(), sign);
    change();
    const flight = Object.fromEntries(this.known.flight);
    const next = { state: this.known, text: JSON.stringify({ ...this.known, flight }) };
    this.known = before;
    const reply = await this.#redis.run('exchange', this.#key, this.#text, next.text);
    const [seconds, micros, current] = Array.isArray(reply) ? reply.map(String) : [];
    this.offsetMs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000) - this.#elapsed();
    const isMade = current === undefined;
    this.#text = current ?? next.text;
    this.known = isMade ? next.state : readState(this.#text, this.now());
    this.#isAlone = false;
    this.#replicas = Math.max(1, Object.keys(this.known.replicas).length);
    return isMade;
  }

  /** Reports the share of this replica. The reported rest is left out, since others use it too. */
  #asOfShare(ended: rules.Settlement): rules.Settlement {
    if (ended.kind !== 'answered' || !ended.report) return ended;
    const { limit, ...report } = ended.report;
    const share = limit && Math.max(1, Math.floor(limit / this.#replicas));
    return { ...ended, report: { ...report, limit: share, remaining: undefined } };
  }

  /** Continues with an equal share of the rest, and the own requests in flight. */
  #fallBack(reason: unknown): void {
    if (this.#isAlone) return;
    const { limit, remaining, lost } = this.known;
    const ownFlight = this.#mine.size;
    // Each other replica may since have sent as many requests as this one has in flight.
    const elsewhere = rules.inFlight(this.known) + (this.#replicas - 1) * ownFlight;
    const free = Math.max(0, remaining - lost - elsewhere);
    this.known = {
      ...this.known,
      limit: Math.max(1, Math.floor(limit / this.#replicas)),
      remaining: Math.floor(free / this.#replicas) + ownFlight,
      lost: 0,
      flight: [...this.#mine].map((id) => [id, Infinity]),
    };
    this.#text = unread;
    this.#isAlone = true;
    this.onChange(this.status, messageOf(reason));
  }
}

/** Clamps the state in Redis to the bounds of a budget, since anybody may have written it. */
function readState(text: string, now: number): rules.BudgetState {
  const value = parseJson(text);
  const state = isRecord(value) ? value : {};
  const count = (value: unknown, otherwise: number, max: number) =>
    typeof value === 'number' && value >= 0 ? Math.floor(Math.min(value, max)) : otherwise;
  const until = (value: unknown, aheadMs: number) => count(value, 0, now + aheadMs);
  const entries = (value: unknown) => Object.entries(isRecord(value) ? value : {}).slice(0, 10_000);
  const times = (value: unknown, aheadMs: number) =>
    entries(value).map(([id, at]) => [id, until(at, aheadMs)] as const);
  const callers = entries(state.callers).map(([name, entry]) => {
    const { used, askedAtMs, share } = isRecord(entry) ? entry : {};
    const use = { used: count(used, 0, 1e9), askedAtMs: until(askedAtMs, 0) };
    return [name, typeof share === 'number' ? { ...use, share } : use] as const;
  });
  const longestMs = rules.hourMs + 100_000;
  return {
    limit: Math.max(1, count(state.limit, rules.maxUnknown, unlimited)),
    windowMs: Math.max(1, count(state.windowMs, 60_000, rules.hourMs)),
    remaining: count(state.remaining, 0, unlimited),
    openedAtMs: until(state.openedAtMs, 0),
    resetAtMs: until(state.resetAtMs, longestMs),
    probeUntilMs: until(state.probeUntilMs, rules.probePatienceMs),
    heldUntilMs: until(state.heldUntilMs, longestMs),
    closedUntilMs: until(state.closedUntilMs, rules.maxClosedMs),
    refusals: count(state.refusals, 0, rules.maxRefusals),
    roundingAllowanceMs: count(state.roundingAllowanceMs, 0, 1000),
    lost: count(state.lost, 0, unlimited),
    flight: times(state.flight, leaseMs),
    replicas: Object.fromEntries(times(state.replicas, 0)),
    callers: Object.fromEntries(callers),
  };
}

/** The budget, answers and results that replicas on one key share. Tokens are not shared. */
export type Fleet = Awaited<ReturnType<typeof joinFleet>>;

export interface FleetSettings {
  /** `redis://` or `rediss://`. */
  redisUrl: string;
  baseUrl: string;
  clientId: string;
  /** Accounts on one key share its budget, but not answers and results. */
  account?: string | undefined;
  /** Called for each value that Redis has no room for. */
  onFull?: () => void;
}

const maxResultBytes = 32 * 2 ** 20;
const maxAnswerBytes = 4 * 2 ** 20;

/**
 * Joins the replicas on a key, or works alone until Redis answers. Takes a second or two.
 * @param shared a connection for several keys, which its maker closes
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
    /** Older versions keep messages without sentences under `result:`. */
    results: openSharedValues(redis, `${prefix}kept-result:`, maxResultBytes, settings.onFull),
    redis,
    close() {
      budget.leave();
      if (shared === undefined) redis.close();
    },
  };
}

/** The prefix of the keys of an API key: a hash, never its id. */
export function prefixOf({ baseUrl, clientId, account }: Omit<FleetSettings, 'redisUrl'>): string {
  const text = JSON.stringify([baseUrl, clientId, ...(account ? [account] : [])]);
  const hash = createHash('sha256').update(text).digest('hex');
  return `commerce-mcp:4:${hash.slice(0, 24)}:`;
}
