import type { BudgetReport, Ceiling } from './headers.ts';

/**
 * Interactive calls go before drains, and drains leave a reserve for them. A prefetch, which reads
 * what a later question may need, goes last and leaves the same reserve.
 */
export type Priority = 'interactive' | 'drain' | 'prefetch';

/** Permission to send one request. */
export interface Permit {
  readonly sentAtMs: number;
  /** The window it was granted in. */
  readonly window: number;
  /** Sent to learn the state of a window of which nothing is known yet. */
  readonly isProbe: boolean;
}

/** How a permit ended. */
export type Settlement =
  | { kind: 'answered'; status: number; report?: BudgetReport; retryAfterMs?: number }
  /** Sent, but no status line came back: the platform may have counted it. */
  | { kind: 'lost' }
  /** Never sent. */
  | { kind: 'unused' };

/** What people may know of the budget of the key for reads. */
export interface BudgetView {
  /** Requests a window. */
  limit: number;
  /** Requests left in this window, those in flight taken off. */
  remaining: number;
  /** Seconds until the window rolls, rounded up. */
  resetsInSeconds: number;
  /** Length of a window in seconds. */
  windowSeconds: number;
  /** Every ceiling that the platform lists. */
  policy: Ceiling[];
}

/** Requests that may leave along with the first probe: the lists that name what a report holds. */
export const maxPrefetch = 4;

/** A timer may fire a little early and clocks differ a little: the roll is certain after this. */
export const timerGuardMs = 25;

/** After so much silence of a probe another one goes. */
export const probePatienceMs = 3000;

/**
 * The rate budget of a key as this process knows it from the answers: says when requests may leave.
 * The scripts of the fleet follow the same rules in Redis (fleet/scripts.ts): change both.
 */
export class Budget {
  /** `unknown` before the first answer; `off` while answers report no budget. */
  meter: 'unknown' | 'off' | 'on' = 'unknown';
  limit = 1;
  windowMs = 60_000;
  /** The least that answers have reported in this window. */
  remaining = 0;
  /** Most remaining by our own count, which includes requests that were never answered. */
  counted = 0;
  /** The earliest moment at which the window has rolled for certain: resets are whole seconds. */
  resetAtMs = Number.NEGATIVE_INFINITY;
  inFlight = 0;
  /** When each probe in flight was sent. */
  probesSentMs: number[] = [];
  /** Counts the windows, to tell the answers of one from those of the next. */
  window = 0;
  /** Added to resets once one proved to be rounded down. */
  slackMs = 0;
  /** Bursts of 429s since the last other answer. */
  refusals = 0;
  ceilings: Ceiling[] = [];
  /** How many processes share what is reported: this one takes an equal part. */
  replicas = 1;
  readonly #elapsed: () => number;

  /** @param elapsed milliseconds of a clock that never jumps */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Permission to send one request, or undefined when none may leave now. */
  acquire(priority: Priority): Permit | undefined {
    if (this.#allowance(priority) < 1) return undefined;
    const { window } = this;
    const sentAtMs = this.#elapsed();
    const isProbe = this.meter === 'unknown' || (this.meter === 'on' && this.#hasRolled);
    this.inFlight++;
    if (isProbe) this.probesSentMs.push(sentAtMs);
    return { sentAtMs, window, isProbe };
  }

  /** What became of a permit; exactly once for each. */
  release(permit: Permit, ended: Settlement): void {
    this.inFlight--;
    const probe = permit.isProbe ? this.probesSentMs.indexOf(permit.sentAtMs) : -1;
    if (probe >= 0) this.probesSentMs.splice(probe, 1);
    if (ended.kind === 'answered') this.#learn(permit, ended);
    else if (ended.kind === 'unused') return;
    else if (this.meter === 'unknown') this.meter = 'off';
    else if (permit.window === this.window) {
      this.remaining--;
      this.counted--;
    }
  }

  /** When asking again makes sense should no answer arrive earlier, on the elapsed clock. */
  nextLookMs(priority: Priority): number {
    const now = this.#elapsed();
    if (this.meter !== 'on' || this.#hasRolled) {
      const silent = this.probesSentMs.map((sentMs) => sentMs + probePatienceMs);
      const next = Math.min(...silent.filter((atMs) => atMs > now));
      return Number.isFinite(next) ? next : now + probePatienceMs;
    }
    const rollMs = this.resetAtMs + timerGuardMs;
    const free = this.#left - this.inFlight;
    if (priority === 'interactive' || free <= 0) return rollMs;
    // The moment at which the reserve has melted below what is free.
    const meltsAtMs = this.resetAtMs - (this.windowMs * (free - 0.5)) / this.#wholeReserve;
    return meltsAtMs > now ? meltsAtMs + 1 : rollMs;
  }

  /**
   * When the request behind `ahead` others can leave as far as the budget goes, on the elapsed clock.
   * Hopeful about requests in flight, so that nothing is refused too early.
   */
  expectedMs(ahead: number): number {
    const now = this.#elapsed();
    if (this.meter !== 'on' || this.#hasRolled || ahead < this.#left) return now;
    const windows = Math.floor((ahead - Math.max(0, this.#left)) / this.limit);
    return this.resetAtMs + timerGuardMs + windows * this.windowMs;
  }

  /** The budget for people; undefined while answers report none. */
  view(): BudgetView | undefined {
    if (this.meter !== 'on') return undefined;
    const leftMs = this.resetAtMs - this.#elapsed();
    return {
      limit: this.limit,
      remaining: Math.max(0, (leftMs > 0 ? this.#left : this.limit) - this.inFlight),
      resetsInSeconds: Math.max(0, Math.ceil(leftMs / 1000)),
      windowSeconds: this.windowMs / 1000,
      policy: this.ceilings,
    };
  }

  get #left(): number {
    return Math.min(this.remaining, this.counted);
  }

  get #hasRolled(): boolean {
    return this.#elapsed() >= this.resetAtMs + timerGuardMs;
  }

  /** How many more requests may leave now. */
  #allowance(priority: Priority): number {
    if (this.meter === 'off') return Number.POSITIVE_INFINITY;
    const now = this.#elapsed();
    const probes = this.probesSentMs.filter((sentMs) => now - sentMs < probePatienceMs).length;
    if (this.meter === 'unknown') {
      return priority === 'prefetch' && probes > 0 ? 1 + maxPrefetch - probes : 1 - probes;
    }
    if (this.#hasRolled) {
      const mostProbes = Math.max(1, Math.floor(this.limit / 10));
      return Math.min(mostProbes - probes, this.limit - this.inFlight);
    }
    const free = this.#left - this.inFlight;
    if (priority === 'interactive') return free;
    // The reserve melts evenly as the window runs out, so that nothing of it is lost at the end.
    const left = Math.min(1, (this.resetAtMs - now) / this.windowMs);
    return free - Math.round(this.#wholeReserve * Math.max(0, left));
  }

  /** What drains leave to interactive calls: a tenth of the limit, at least 1 and at most 20. */
  get #wholeReserve(): number {
    return Math.min(20, Math.max(1, Math.ceil(this.limit / 10)), Math.max(0, this.limit - 1));
  }

  #learn(permit: Permit, ended: Settlement & { kind: 'answered' }): void {
    const { status, retryAfterMs } = ended;
    const report = this.#shareOf(ended.report);
    if (report.ceilings.length > 0) this.ceilings = report.ceilings;
    const { limit, remaining, resetSeconds } = report;
    if (status === 429) this.#refuse(permit, report, retryAfterMs);
    else if (limit === undefined && remaining === undefined) {
      // A probe's answer without a budget says that there is none; but not a 401, whose retry will
      // tell, nor a failure where a budget is known.
      const tells = status !== 401 && (status < 500 || this.meter === 'unknown');
      if (permit.isProbe && permit.window === this.window && tells) this.meter = 'off';
    } else {
      if (resetSeconds === 0 && this.slackMs === 0) {
        // A reset of zero is one rounded down, so the window may last up to a second longer.
        this.slackMs = 1000;
        this.resetAtMs += 1000;
      }
      const place = this.#placeOf(permit, remaining, resetSeconds);
      if (place === 'newer') this.#openWindow(report);
      else if (place === 'current') this.#update(report);
      // It was counted in a window gone by, so this one owes it nothing.
      else this.counted = Math.max(this.remaining, this.counted - 1);
    }
  }

  #shareOf({ limit, remaining, ...rest }: BudgetReport = { ceilings: [] }): BudgetReport {
    const report: BudgetReport = rest;
    if (limit !== undefined) report.limit = Math.max(1, Math.floor(limit / this.replicas));
    if (remaining !== undefined) report.remaining = Math.floor(remaining / this.replicas);
    return report;
  }

  /**
   * Which window an answer speaks of, seen from the one that is current now. Whole seconds leave room
   * for doubt where windows are short: then the count decides, being plausible or not.
   */
  #placeOf(
    { sentAtMs, window }: Permit,
    remaining = -1,
    resetSeconds?: number,
  ): 'older' | 'current' | 'newer' {
    if (this.meter !== 'on' || sentAtMs >= this.resetAtMs) return 'newer';
    const resetMs = resetSeconds === undefined ? undefined : resetSeconds * 1000;
    if (resetMs !== undefined && sentAtMs + resetMs - 1000 >= this.resetAtMs) return 'newer';
    if (window === this.window) return 'current';
    const isStale = resetMs === undefined || this.#elapsed() + resetMs + 1000 < this.resetAtMs;
    return !isStale && remaining >= this.#left - this.inFlight - 1 ? 'current' : 'older';
  }

  #openWindow({ limit, remaining, resetSeconds, windowSeconds }: BudgetReport): void {
    const isFirst = this.meter !== 'on';
    this.limit = Math.max(1, limit ?? Math.max(this.limit, remaining ?? 0));
    this.windowMs = windowSeconds ? windowSeconds * 1000 : isFirst ? 60_000 : this.windowMs;
    this.meter = 'on';
    this.window++;
    this.remaining = remaining ?? this.limit - 1;
    this.counted = this.remaining + this.inFlight;
    const resetMs = resetSeconds === undefined ? this.windowMs : resetSeconds * 1000;
    this.resetAtMs = this.#elapsed() + believed(resetMs) + this.slackMs;
    this.refusals = 0;
  }

  #update({ limit = this.limit, remaining, resetSeconds }: BudgetReport): void {
    this.limit = limit;
    this.remaining = Math.min(this.remaining, remaining ?? this.remaining - 1);
    this.counted = Math.min(this.counted - 1, (remaining ?? this.counted) + this.inFlight);
    if (resetSeconds !== undefined) {
      const resetAtMs = this.#elapsed() + resetSeconds * 1000 + this.slackMs;
      this.resetAtMs = Math.min(this.resetAtMs, resetAtMs);
    }
    this.refusals = 0;
  }

  /** A 429: nothing leaves until `Retry-After`, or the reset where it is missing. */
  #refuse(permit: Permit, report: BudgetReport, retryAfterMs: number | undefined): void {
    // The reset tells nothing where the same answer says that something remains.
    const resetMs = report.remaining ? 0 : (report.resetSeconds ?? 0) * 1000;
    const holdMs = believed(retryAfterMs ?? resetMs);
    if (this.#placeOf(permit, 0, Math.ceil(holdMs / 1000)) === 'older') return;
    const now = this.#elapsed();
    if (this.refusals > 0 && permit.window !== this.window) {
      // Of the burst that has been seen already: nothing new but, perhaps, a longer wait.
      this.resetAtMs = Math.max(this.resetAtMs, now + holdMs);
      return;
    }
    if (permit.isProbe && this.meter === 'on') this.slackMs = 1000;
    // A platform that says "at once" again and again is asked ever less often.
    this.resetAtMs = now + Math.max(holdMs, Math.min(1000 * 2 ** this.refusals, 60_000));
    this.meter = 'on';
    this.refusals++;
    this.window++;
    this.limit = Math.max(1, report.limit ?? this.limit);
    if (report.windowSeconds) this.windowMs = report.windowSeconds * 1000;
    this.remaining = 0;
    this.counted = this.inFlight;
  }
}

/** A hold longer than an hour is not believed: the budget is looked at again each minute. */
function believed(holdMs: number): number {
  return holdMs > 3_600_000 ? 60_000 : holdMs;
}
