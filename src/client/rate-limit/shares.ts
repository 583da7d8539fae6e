/** Shares of a window, by the priority of a request and by caller. */

export type Priority = 'interactive' | 'bulk' | 'prefetch' | 'background';

/**
 * Higher ranks go first. A prefetch reads a list that a later question may need; bulk is a page of a long list;
 * nobody waits for a background request.
 */
export const ranks: Record<Priority, number> = {
  interactive: 4,
  bulk: 2,
  prefetch: 0,
  background: -2,
};

/** `share` is the greatest share of the caller, from 0 to 1. */
interface CallerUse {
  used: number;
  askedAtMs: number;
  share?: number | undefined;
}

type Uses = Readonly<Record<string, CallerUse>>;

/** A window that callers share, in milliseconds of one clock. */
export interface SharedWindow {
  /** Requests in a window; before the first answer so many may leave. */
  readonly limit: number;
  readonly windowMs: number;
  readonly openedAtMs: number;
  /** Earliest moment at which the window has certainly rolled: resets are whole seconds. */
  readonly resetAtMs: number;
  /** Use of each caller in this window, and when they last asked. */
  readonly callers: Uses;
}

/** The limit if answers report none. No answer reports as many. */
export const unlimited = 1e12;

export interface Wish {
  priority: Priority;
  /** Requests without a caller use nobody's share. */
  caller?: string | undefined;
  /** Largest share of a window for this caller, from 0 to 1. @default 1 */
  share?: number | undefined;
  /** Largest share of a window that background requests and all others together may use. */
  backgroundShare: number;
}

/** Whether a caller has used up their share of the window. */
export function hasSpentShare(
  { callers, limit, resetAtMs }: SharedWindow,
  now: number,
  { caller = '', share = 1 }: Pick<Wish, 'caller' | 'share'>,
): boolean {
  const used = callers[caller]?.used ?? 0;
  return share < 1 && now < resetAtMs && used >= Math.max(1, Math.floor(limit * share));
}

/**
 * The unused shares of other callers. Each has an equal part of the window, which decays evenly with the window and
 * within half a window after its last request, so that nobody waits long for a caller that has gone.
 */
export function keptForOthers(state: SharedWindow, now: number, caller?: string): number {
  const { limit, windowMs, resetAtMs } = state;
  if (caller === undefined || now >= resetAtMs || limit >= unlimited) return 0;
  const leftOf = ({ askedAtMs }: CallerUse) =>
    Math.min(1, (resetAtMs - now) / windowMs, 1 - (2 * (now - askedAtMs)) / windowMs);
  const own = state.callers[caller];
  const others = Object.values(state.callers).filter((use) => use !== own && leftOf(use) > 0);
  const equal = 1 / (others.length + 1);
  let keptRequests = 0;
  for (const use of others)
    keptRequests += Math.max(0, limit * Math.min(equal, use.share ?? 1) - use.used) * leftOf(use);
  return Math.floor(keptRequests);
}

/** Adds a request to the uses. */
export function withUse(callers: Uses, now: number, wish: Wish): Uses {
  const caller = countedFor(wish);
  if (caller === undefined) return callers;
  const used = 1 + (callers[caller]?.used ?? 0);
  return { ...callers, [caller]: { used, askedAtMs: now, share: wish.share } };
}

/** The caller whose share a request uses: none if nobody waits for it. */
export function countedFor({ priority, caller }: Wish): string | undefined {
  return ranks[priority] < ranks.bulk ? undefined : caller;
}

/** Removes a request of this window that was not sent from the uses. */
export function giveBack(
  { callers, openedAtMs }: SharedWindow,
  { caller = '', sentAtMs }: { caller?: string | undefined; sentAtMs: number },
): Uses {
  const use = callers[caller];
  if (use === undefined || sentAtMs < openedAtMs) return callers;
  return { ...callers, [caller]: { ...use, used: Math.max(0, use.used - 1) } };
}

/** Resets the uses for the next window, and forgets callers that have not asked for a window. */
export function callersOfNext({ callers, windowMs }: SharedWindow, now: number): Uses {
  const recent = Object.entries(callers).filter(([, use]) => use.askedAtMs > now - windowMs);
  return Object.fromEntries(recent.map(([name, use]) => [name, { ...use, used: 0 }]));
}
