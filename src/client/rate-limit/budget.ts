import type { BudgetReport, Ceiling } from './headers.ts';

/** Who waits, in the order of their turns. */
export type Priority = 'interactive' | 'drain' | 'prefetch' | 'background';

/**
 * How soon each priority gets its turn: higher goes first. A prefetch reads what a later question may
 * need; background is what nobody waits for.
 */
export const ranks: Record<Priority, number> = {
  interactive: 4,
  drain: 2,
  prefetch: 0,
  background: -2,
};

/** Shares of a window's limit that a priority leaves to others. */
export interface Leaving {
  /** To the end of the window. */
  kept: number;
  /** Melts evenly as the window runs out, so that nothing of it is lost at the end. */
  melting: number;
}

/** @param backgroundShare the most of a window that background and all others together may use when it goes */
export function leavingOf(priority: Priority, backgroundShare: number): Leaving {
  if (priority === 'background') return { kept: 1 - backgroundShare, melting: backgroundShare };
  return { kept: 0, melting: priority === 'interactive' ? 0 : 0.1 };
}

/** Permission to send one request. */
export interface Permit {
  readonly sentAtMs: number;
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

/** The shortest pause after a 429; doubled with each that follows, up to the longest. */
export const pauses = { shortestMs: 1000, longestMs: 60_000 };

/**
 * The rate budget of a key as this process knows it from the answers: says when requests may leave.
 * The scripts of the fleet follow the same rules in Redis (fleet/scripts.ts): change both.
 */
export class RateBudget {
  /** `unknown` before the first answer; `off` while answers report no budget. */
  meter: 'unknown' | 'off' | 'on' = 'unknown';
  limit = 1;
  windowMs = 60_000;
  /** The least that answers have reported in this window. */
  remaining = 0;
  /** Requests of this window that were never answered: the platform may have counted them. */
  lost = 0;
  openedAtMs = Number.NEGATIVE_INFINITY;
  /** The earliest moment at which the window has rolled for certain: resets are whole seconds. */
  resetAtMs = Number.NEGATIVE_INFINITY;
  inFlight = 0;
  /** The probe that is waited for. */
  probe: Permit | undefined;
  /** Added to resets once one proved to be rounded down. */
  slackMs = 0;
  /** How long the next 429 holds requests at least. */
  pauseMs = pauses.shortestMs;
  ceilings: Ceiling[] = [];
  /** How many processes share what is reported: this one takes an equal part. */
  replicas = 1;
  /** Background leaves only while no more of the window is used, by anybody: it yields to all others. */
  backgroundShare = 0.5;
  readonly #elapsed: () => number;

  /** @param elapsed milliseconds of a clock that never jumps */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Permission to send one request, or undefined when none may leave now. */
  acquire(priority: Priority): Permit | undefined {
    if (this.#allowance(priority) < 1) return undefined;
    const isProbe = this.meter === 'unknown' || (this.meter === 'on' && this.#hasRolled);
    const permit = { sentAtMs: this.#elapsed(), isProbe };
    this.inFlight++;
    if (isProbe) this.probe = permit;
    return permit;
  }

  /** What became of a permit; exactly once for each. */
  release(permit: Permit, ended: Settlement): void {
    this.inFlight--;
    if (this.probe === permit) this.probe = undefined;
    if (ended.kind === 'answered') this.#learn(permit, ended);
    else if (ended.kind === 'unused') return;
    else if (this.meter === 'unknown') this.meter = 'off';
    else this.lost++;
  }

  /** When asking again makes sense should no answer arrive earlier, on the elapsed clock. */
  nextLookMs(priority: Priority): number {
    const now = this.#elapsed();
    if (this.meter !== 'on' || this.#hasRolled) {
      return (this.#isProbing && this.probe ? this.probe.sentAtMs : now) + probePatienceMs;
    }
    const rollMs = this.resetAtMs + timerGuardMs;
    const { kept, melting } = this.#reserve(priority);
    const free = this.#left - this.inFlight - kept;
    if (melting === 0 || free <= 0) return rollMs;
    // The moment at which the reserve has melted below what is free.
    const meltsAtMs = this.resetAtMs - (this.windowMs * (free - 0.5)) / melting;
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
    return this.remaining - this.lost;
  }

  get #hasRolled(): boolean {
    return this.#elapsed() >= this.resetAtMs + timerGuardMs;
  }

  get #isProbing(): boolean {
    return this.probe !== undefined && this.#elapsed() - this.probe.sentAtMs < probePatienceMs;
  }

  /** How many more requests may leave now. */
  #allowance(priority: Priority): number {
    if (this.meter === 'off') return Number.POSITIVE_INFINITY;
    if (this.meter === 'unknown' || this.#hasRolled) {
      const most = this.meter === 'unknown' ? 1 + maxPrefetch : this.limit;
      if (!this.#isProbing) return this.meter === 'unknown' ? 1 : most - this.inFlight;
      return priority === 'prefetch' ? Math.min(most, 1 + maxPrefetch) - this.inFlight : 0;
    }
    const share = Math.min(1, Math.max(0, (this.resetAtMs - this.#elapsed()) / this.windowMs));
    const { kept, melting } = this.#reserve(priority);
    return this.#left - this.inFlight - kept - Math.round(melting * share);
  }

  /** What a priority leaves to others, in requests. */
  #reserve(priority: Priority): Leaving {
    const { kept, melting } = leavingOf(priority, this.backgroundShare);
    const most = this.limit - 1;
    return {
      kept: Math.min(Math.ceil(this.limit * kept), most),
      melting: Math.min(Math.ceil(this.limit * melting), most),
    };
  }

  #learn({ sentAtMs, isProbe }: Permit, ended: Settlement & { kind: 'answered' }): void {
    const { status, retryAfterMs } = ended;
    const { remaining, resetSeconds, windowSeconds, ceilings, ...given } = ended.report ?? none;
    const limit = given.limit && this.#shareOf(given.limit);
    if (ceilings.length > 0) this.ceilings = ceilings;
    const isRefused = status === 429;
    if (!isRefused && limit === undefined && remaining === undefined) {
      // A probe's answer without a budget says that there is none; but not a 401, whose retry will
      // tell, nor a failure where a budget is known.
      const tells = status !== 401 && (status < 500 || this.meter === 'unknown');
      if (isProbe && tells) this.meter = 'off';
      return;
    }
    let resetMs = resetSeconds === undefined ? undefined : resetSeconds * 1000;
    if (isRefused) {
      // The reset tells nothing where the same answer says that something remains.
      resetMs = believed(retryAfterMs ?? (remaining ? 0 : (resetMs ?? 0)));
    }
    // A reset of zero, or one after which a probe is refused, was rounded down.
    const isRoundedDown = isRefused ? isProbe && this.meter === 'on' : resetMs === 0;
    if (isRoundedDown && this.slackMs === 0) {
      this.slackMs = 1000;
      this.resetAtMs += this.slackMs;
    }
    const now = this.#elapsed();
    const place = this.#placeOf(sentAtMs, resetMs);
    if (place === 'older') return;
    this.pauseMs = isRefused ? this.pauseMs : pauses.shortestMs;
    if (place === 'current' && !isRefused) {
      this.limit = Math.max(1, limit ?? this.limit);
      // Of a share, this process counts what it has used itself: the others draw on what is reported.
      const used = this.replicas > 1 ? 1 : 0;
      this.remaining = Math.min(this.remaining - used, remaining ?? this.remaining - 1);
      const endsAtMs = now + (resetMs ?? Number.POSITIVE_INFINITY) + this.slackMs;
      this.resetAtMs = Math.min(this.resetAtMs, endsAtMs);
      return;
    }
    this.limit = Math.max(1, limit ?? Math.max(this.limit, this.#shareOf(remaining ?? 0)));
    if (windowSeconds) this.windowMs = windowSeconds * 1000;
    // A share is this process's own in each window; what is reported is everybody's.
    const most = this.replicas > 1 ? this.limit - 1 : Number.POSITIVE_INFINITY;
    this.remaining = isRefused ? 0 : Math.min(remaining ?? this.limit - 1, most);
    if (!isRefused) {
      this.resetAtMs = now + believed(resetMs ?? this.windowMs) + this.slackMs;
    } else if (this.meter === 'on' && sentAtMs < this.openedAtMs) {
      // One of several that were refused together.
      this.resetAtMs = Math.max(this.resetAtMs, now + (resetMs ?? 0));
    } else {
      this.resetAtMs = now + Math.max(resetMs ?? 0, this.pauseMs);
      this.pauseMs = Math.min(2 * this.pauseMs, pauses.longestMs);
    }
    this.meter = 'on';
    this.openedAtMs = now;
    this.lost = 0;
  }

  #shareOf(count: number): number {
    return Math.floor(count / this.replicas);
  }

  /** Which window an answer speaks of, seen from the current one; in doubt, this one. */
  #placeOf(sentAtMs: number, resetMs: number | undefined): 'older' | 'current' | 'newer' {
    if (this.meter !== 'on' || sentAtMs >= this.resetAtMs) return 'newer';
    if (resetMs === undefined) return 'current';
    if (sentAtMs + resetMs - 1000 >= this.resetAtMs) return 'newer';
    const isStale = this.#elapsed() + resetMs + 1000 < this.resetAtMs;
    return sentAtMs < this.openedAtMs && isStale ? 'older' : 'current';
  }
}

/** What an answer says that says nothing. */
const none: BudgetReport = { ceilings: [] };

/** A hold longer than an hour is not believed: the budget is looked at again each minute. */
function believed(holdMs: number): number {
  return holdMs > 3_600_000 ? 60_000 : holdMs;
}
