import { type HttpReply, parseCount } from '../transport/http.ts';

/** Who waits, in the order of their turns. */
export type Priority = 'interactive' | 'drain' | 'prefetch' | 'background';

/**
 * How soon each priority gets its turn: higher goes first. A prefetch reads what a later question may
 * need; background is what no caller waits for.
 */
export const ranks: Record<Priority, number> = {
  interactive: 4,
  drain: 2,
  prefetch: 0,
  background: -2,
};

/**
 * Shares of a window's limit that a priority leaves to others: `kept` to the end of the window,
 * `decayingReserve` evenly less as it runs out, so that nothing of it is lost at the end.
 * @param backgroundShare the most of a window that background and all others together may use when it goes
 */
export function leavingOf(priority: Priority, backgroundShare: number) {
  if (priority === 'background')
    return { kept: 1 - backgroundShare, decayingReserve: backgroundShare };
  return { kept: 0, decayingReserve: priority === 'interactive' ? 0 : 0.1 };
}

/** The budget for reads that an answer reports, as far as it does. */
export interface BudgetReport {
  /** Requests a window. */
  limit?: number | undefined;
  /** Requests left in this window. */
  remaining?: number | undefined;
  /** Until the window rolls. */
  resetMs?: number | undefined;
  /** Length of a window. */
  windowMs?: number | undefined;
  /** Every ceiling that `RateLimit-Policy` lists. */
  ceilings: Ceiling[];
}

/** One named ceiling: `quota` requests a window. */
export interface Ceiling {
  name: string;
  quota: number;
  windowSeconds: number | undefined;
}

/** Permission to send one request. */
export interface Permit {
  readonly sentAtMs: number;
  /** Sent to learn the state of a window of which nothing is known yet. */
  readonly isProbe: boolean;
}

/** How a permit ended. */
export type Settlement =
  | {
      kind: 'answered';
      status: number;
      report: BudgetReport | undefined;
      retryAfterMs: number | undefined;
    }
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

/** Requests that may be under way while nothing is known of a window: the first of a comparison, with its names. */
export const maxUnknown = 5;

/** A timer may fire a little early and clocks differ a little: the roll is certain after this. */
export const guardMs = 25;

/** After so much silence of a probe another one goes. */
export const probePatienceMs = 3000;

/** The limit where answers report none: nothing then holds requests back. No answer reports as many. */
const unlimited = 1e12;

/** The shortest hold after a 429, and the first one after a 429 without a usable time. */
export const shortestHoldMs = 1000;

/** After so many untimed refusals in a row a hold is longer than any window, and grows no more. */
export const maxRefusals = 20;

const hourMs = 3_600_000;

/**
 * What an answer says about a window. A 429 is a timed refusal where it says how long to wait, which
 * is then the reset; untimed where its headers report requests left or say nothing usable.
 */
export interface WindowNews extends Omit<BudgetReport, 'ceilings'> {
  kind: 'admitted' | 'timedRefusal' | 'untimedRefusal';
}

/** What the end of a permit says: `lost` if the platform may have counted it, undefined for nothing. */
export function newsOf({ isProbe }: Permit, ended: Settlement): WindowNews | 'lost' | undefined {
  if (ended.kind !== 'answered') return ended.kind === 'lost' ? 'lost' : undefined;
  const { status, report, retryAfterMs } = ended;
  const resetMs = clampReset(report?.resetMs);
  if (status === 429) {
    const holdMs = clampReset(retryAfterMs) ?? (report?.remaining ? undefined : resetMs);
    if (holdMs === undefined)
      return { ...(report?.remaining && { ...report, resetMs }), kind: 'untimedRefusal' };
    const heldMs = Math.max(shortestHoldMs, holdMs);
    return { ...report, remaining: 0, resetMs: heldMs, kind: 'timedRefusal' };
  }
  if (report) return { ...report, resetMs, kind: 'admitted' };
  // A probe answered without a budget means that there is none; a 401 or a failure does not tell.
  if (!isProbe || status === 401 || status >= 500) return { kind: 'admitted' };
  return { limit: unlimited, remaining: unlimited, resetMs: hourMs, kind: 'admitted' };
}

/** A reset more than an hour away counts as one minute: the budget is asked about again then. */
function clampReset(holdMs: number | undefined): number | undefined {
  return holdMs !== undefined && holdMs > hourMs ? 60_000 : holdMs;
}

/**
 * The rate budget of a key as this process knows it from the answers: says when requests may leave.
 * The scripts of the fleet follow the same rules in Redis (fleet/scripts.ts): change both.
 */
export class RateBudget {
  /** Before the first answer so many may leave. */
  limit = maxUnknown;
  windowMs = 60_000;
  /** The least that answers have reported in this window. */
  remaining = 0;
  /** Requests of this window that were never answered. */
  lost = 0;
  inFlight = 0;
  openedAtMs = Number.NEGATIVE_INFINITY;
  /** The earliest moment at which the window has rolled for certain: resets are whole seconds. */
  resetAtMs = Number.NEGATIVE_INFINITY;
  /** Until when a probe is waited for. */
  probeUntilMs = Number.NEGATIVE_INFINITY;
  /** The end of the current hold after a 429: no request leaves before. */
  heldUntilMs = Number.NEGATIVE_INFINITY;
  /** Untimed refusals in a row: after their hold one request goes alone. */
  refusals = 0;
  /** Added to resets once one proved to be rounded down. */
  roundingAllowanceMs = 0;
  ceilings: Ceiling[] = [];
  /** Background requests leave only while at most this share of the window is used, by any client. */
  backgroundShare = 0.5;
  readonly #elapsed: () => number;

  /** @param elapsed milliseconds of a clock that never jumps */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Permission to send one request, or undefined when none may leave now. */
  acquire(priority: Priority): Permit | undefined | Promise<Permit | undefined> {
    if (this.#allowance(priority) < 1) return undefined;
    const sentAtMs = this.#elapsed();
    const isProbe = this.#needsProbe;
    if (isProbe) this.probeUntilMs = sentAtMs + probePatienceMs;
    this.inFlight++;
    return { sentAtMs, isProbe };
  }

  /** What became of a permit; exactly once for each. */
  release(permit: Permit, ended: Settlement): void {
    this.inFlight--;
    if (permit.isProbe) this.probeUntilMs = Number.NEGATIVE_INFINITY;
    const news = newsOf(permit, ended);
    if (news === 'lost') this.lost++;
    else if (news) {
      this.#learn(permit, news);
      this.#hold(permit, news.kind);
    }
    if (ended.kind === 'answered' && ended.report) this.ceilings = ended.report.ceilings;
  }

  /** When asking again makes sense should no answer arrive earlier, on the elapsed clock. */
  nextCheckMs(priority: Priority): number {
    const now = this.#elapsed();
    if (now < this.heldUntilMs) return this.heldUntilMs;
    if (this.#needsProbe) return this.#isProbing ? this.probeUntilMs : now + probePatienceMs;
    // The reserve decays, so more may leave later: a hundredth of a window is often enough to check.
    return priority === 'interactive'
      ? this.resetAtMs
      : Math.min(this.resetAtMs, now + this.windowMs / 100);
  }

  /**
   * When the request behind `ahead` others can leave as far as the budget goes, on the elapsed clock.
   * Leaves requests in flight out of account, so that nothing is refused too early.
   */
  expectedMs(ahead: number): number {
    const left = this.remaining - this.lost;
    if (this.#hasRolled || ahead < left) return Math.max(this.#elapsed(), this.heldUntilMs);
    const windows = Math.floor((ahead - Math.max(0, left)) / this.limit);
    return this.resetAtMs + windows * this.windowMs;
  }

  /** The budget for people; undefined while answers report none. */
  view(): BudgetView | undefined {
    const leftMs = this.resetAtMs - this.#elapsed();
    if (this.limit > 1e9 || leftMs === Number.NEGATIVE_INFINITY) return undefined;
    const left = leftMs > 0 ? this.remaining - this.lost : this.limit;
    return {
      limit: this.limit,
      remaining: Math.max(0, left - this.inFlight),
      resetsInSeconds: Math.max(0, Math.ceil(leftMs / 1000)),
      windowSeconds: this.windowMs / 1000,
      policy: this.ceilings,
    };
  }

  get #hasRolled(): boolean {
    return this.#elapsed() >= this.resetAtMs;
  }

  /** Whether one request has to find out first whether others may leave. */
  get #needsProbe(): boolean {
    return this.#hasRolled || this.refusals > 0;
  }

  get #isProbing(): boolean {
    return this.#elapsed() < this.probeUntilMs;
  }

  #allowance(priority: Priority): number {
    if (this.#elapsed() < this.heldUntilMs) return 0;
    if (this.refusals > 0 && this.#isProbing) return 0;
    if (this.#hasRolled) {
      if (!this.#isProbing) return this.limit - this.inFlight;
      const isFirst = this.resetAtMs === Number.NEGATIVE_INFINITY;
      return isFirst || priority === 'prefetch'
        ? Math.min(this.limit, maxUnknown) - this.inFlight
        : 0;
    }
    const { kept, decayingReserve } = leavingOf(priority, this.backgroundShare);
    const share = Math.min(1, (this.resetAtMs - this.#elapsed()) / this.windowMs);
    const reserve = Math.min(
      this.limit - 1,
      Math.round(this.limit * (kept + decayingReserve * share)),
    );
    return this.remaining - this.lost - this.inFlight - reserve;
  }

  #learn({ sentAtMs, isProbe }: Permit, news: WindowNews): void {
    const isTimedRefusal = news.kind === 'timedRefusal';
    if ((news.limit ?? news.remaining) === undefined && !isTimedRefusal) return;
    const now = this.#elapsed();
    // A probe refused after the announced reset shows that the reset was rounded down.
    const isKnown = this.resetAtMs > Number.NEGATIVE_INFINITY;
    if (isTimedRefusal && isProbe && isKnown && sentAtMs >= this.resetAtMs)
      this.roundingAllowanceMs = 1000;
    this.limit = news.limit ?? Math.max(this.limit, news.remaining ?? 0);
    this.windowMs = news.windowMs ?? this.windowMs;
    const resetInMs = (news.resetMs ?? this.windowMs) + this.roundingAllowanceMs;
    const resetAtMs = now + resetInMs + guardMs;
    // RateLimit-Reset is rounded up to whole seconds: the window this answer describes ends at
    // `endsAtMs` or later.
    const endsAtMs = sentAtMs + Math.max(0, (news.resetMs ?? 0) - 1000);
    if (isTimedRefusal || (sentAtMs >= this.heldUntilMs && endsAtMs >= this.resetAtMs)) {
      this.remaining = news.remaining ?? this.limit - 1;
      this.resetAtMs = resetAtMs;
      // Keep `lost` on the first answer: those requests were sent in this same window.
      if (this.openedAtMs > Number.NEGATIVE_INFINITY) this.lost = 0;
      this.openedAtMs = now;
    } else if (sentAtMs >= this.openedAtMs || resetAtMs + 1000 >= this.resetAtMs) {
      // All other late responses are about the previous window: ignore them.
      this.remaining = Math.min(this.remaining, news.remaining ?? this.remaining - 1);
      this.resetAtMs = Math.min(this.resetAtMs, resetAtMs);
    }
  }

  /**
   * Holds all requests until the window rolls after a timed refusal; after untimed ones for a second,
   * then two, then four, at most until the window rolls.
   */
  #hold({ sentAtMs }: Permit, kind: WindowNews['kind']): void {
    // Ignore answers to requests sent before the current hold began.
    const isNew = sentAtMs >= this.heldUntilMs || this.refusals === 0;
    const isUntimed = kind === 'untimedRefusal';
    if (isNew) this.refusals = isUntimed ? Math.min(maxRefusals, this.refusals + 1) : 0;
    if (kind === 'admitted') return;
    const now = this.#elapsed();
    const rollsAtMs = this.#hasRolled ? now + this.windowMs : this.resetAtMs;
    const growingMs = isUntimed ? shortestHoldMs * 2 ** (this.refusals - 1) : Infinity;
    this.heldUntilMs = Math.max(this.heldUntilMs, Math.min(rollsAtMs, now + growingMs));
  }
}

/**
 * The budget that an answer reports, or undefined when none of the five headers tells one: then it
 * was not counted, which is not the same as nothing left. The numbers describe one ceiling only, the
 * closest to refusing; where that is the write ceiling they say nothing of reads (docs/platform.md#rate-headers).
 */
export function parseBudget(header: HttpReply['header']): BudgetReport | undefined {
  const ceilings = parseItems(header('ratelimit-policy')).flatMap(({ name, quota, window }) =>
    quota ? [{ name, quota, windowSeconds: window || undefined }] : [],
  );
  const [state] = parseItems(header('ratelimit'));
  const general = ceilings.find(({ name }) => name === 'general');
  const windowMs = general?.windowSeconds && general.windowSeconds * 1000;
  if (general && state?.name === 'write') return { limit: general.quota, windowMs, ceilings };
  const limit = parseCount(header('ratelimit-limit')) || general?.quota;
  const remaining = parseCount(header('ratelimit-remaining')) ?? state?.remaining;
  if (limit === undefined && remaining === undefined) return undefined;
  const reset = parseCount(header('ratelimit-reset')) ?? state?.reset;
  const resetMs = reset === undefined ? undefined : reset * 1000;
  return { limit, remaining, resetMs, windowMs, ceilings };
}

/** The items of a structured list such as `"general";q=300;w=60, "write";q=60;w=60`. */
function parseItems(value = '') {
  return value.split(',').map((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const read = new URLSearchParams(parameters.join('&'));
    const count = (key: string) => parseCount(read.get(key) ?? undefined);
    const [quota, window, remaining, reset] = ['q', 'w', 'r', 't'].map(count);
    return { name: name.replaceAll('"', ''), quota, window, remaining, reset };
  });
}
