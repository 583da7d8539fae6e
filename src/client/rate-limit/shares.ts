/** Shares of a window: the priorities of requests, and the shares of callers. */

/** Priorities of requests, in the order of their turns. */
export type Priority = 'interactive' | 'bulk' | 'prefetch' | 'background';

/**
 * Ranks of the priorities: higher goes first. A prefetch reads a list that a later question may need; bulk is a
 * page of a long list, and no caller waits for a request in the background.
 */
export const ranks: Record<Priority, number> = {
  interactive: 4,
  bulk: 2,
  prefetch: 0,
  background: -2,
};

/** The use of one caller; `share` is their greatest share, from 0 to 1. */
interface CallerUse {
  used: number;
  askedAtMs: number;
  share?: number | undefined;
}

type Uses = Readonly<Record<string, CallerUse>>;

/** A window as callers share it, in milliseconds of one clock. */
export interface SharedWindow {
  /** Requests a window; before the first answer so many may leave. */
  readonly limit: number;
  readonly windowMs: number;
  readonly openedAtMs: number;
  /** The earliest moment at which the window has rolled for certain: resets are whole seconds. */
  readonly resetAtMs: number;
  /** Requests of each caller in this window, and when it last asked. */
  readonly callers: Uses;
}

/** The limit where answers report none: nothing then holds requests back. No answer reports as many. */
export const unlimited = 1e12;

/** A request that wants to leave. */
export interface Wish {
  priority: Priority;
  /** Callers have shares of the window; without a name it counts for none. */
  caller?: string | undefined;
  /** The most of a window that this caller may have, from 0 to 1. @default all of it */
  share?: number | undefined;
  /** The most of a window that background and all others together may use when it goes. */
  backgroundShare: number;
}

/** Whether a caller has had what they may have of the window. */
export function hasSpentShare(
  { callers, limit, resetAtMs }: SharedWindow,
  now: number,
  { caller = '', share = 1 }: Pick<Wish, 'caller' | 'share'>,
): boolean {
  const used = callers[caller]?.used ?? 0;
  return share < 1 && now < resetAtMs && used >= Math.max(1, Math.floor(limit * share));
}

/**
 * The rest of the shares of other callers: each has an equal part of the window, which decays evenly with the window,
 * and within half a window after its last request, so that nobody waits for long for a caller that has gone.
 */
export function keptForOthers(state: SharedWindow, now: number, caller?: string): number {
  const { limit, windowMs, resetAtMs } = state;
  if (caller === undefined || now >= resetAtMs || limit >= unlimited) return 0;
  const others = Object.entries(state.callers).flatMap(([name, { used, askedAtMs, share = 1 }]) => {
    const left = Math.min(resetAtMs - now, windowMs - 2 * (now - askedAtMs)) / windowMs;
    return name === caller || left <= 0 ? [] : [{ used, share, left: Math.min(1, left) }];
  });
  const equal = 1 / (others.length + 1);
  const kept = others.reduce(
    (sum, { used, share, left }) => sum + Math.max(0, limit * Math.min(equal, share) - used) * left,
    0,
  );
  return Math.floor(kept);
}

/** The uses with one request more; forgets callers that have not asked for a window. */
export function withUse({ callers, windowMs }: SharedWindow, now: number, wish: Wish): Uses {
  const caller = countedFor(wish);
  if (caller === undefined) return callers;
  const recent = Object.entries(callers).filter(([, use]) => use.askedAtMs > now - windowMs);
  const used = 1 + (callers[caller]?.used ?? 0);
  return { ...Object.fromEntries(recent), [caller]: { used, askedAtMs: now, share: wish.share } };
}

/** The caller that a request counts for: a request that nobody waits for shows no caller. */
export function countedFor({ priority, caller }: Wish): string | undefined {
  return ranks[priority] < ranks.bulk ? undefined : caller;
}

/** The uses without a request of this window that was not sent. */
export function giveBack(
  { callers, openedAtMs }: SharedWindow,
  { caller = '', sentAtMs }: { caller?: string | undefined; sentAtMs: number },
): Uses {
  const use = callers[caller];
  if (use === undefined || sentAtMs < openedAtMs) return callers;
  return { ...callers, [caller]: { ...use, used: Math.max(0, use.used - 1) } };
}

/** The same callers as the next window begins. */
export function callersOfNext({ callers }: SharedWindow): Uses {
  return Object.fromEntries(
    Object.entries(callers).map(([name, use]) => [name, { ...use, used: 0 }]),
  );
}
