/** Who may have how much of a window: how urgent requests are, and the shares of the callers who ask. */

/** Who waits, in the order of their turns. */
export type Priority = 'interactive' | 'bulk' | 'prefetch' | 'background';

/**
 * How soon each priority gets its turn: higher goes first. A prefetch reads what a later question may
 * need; bulk is a page of a long list, background what no caller waits for.
 */
export const ranks: Record<Priority, number> = {
  interactive: 4,
  bulk: 2,
  prefetch: 0,
  background: -2,
};

/** Of one caller; `share` is theirs at most, from 0 to 1. */
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
  /** What each caller had of this window, and when it last asked. */
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
 * What is left of the shares of other callers: each that asks has an equal part of the window, which goes evenly with
 * the window, and within half a window from its last request on, so that nobody waits for long for who is gone.
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

/** What callers had, with one request more: those that have not asked for a window are forgotten. */
export function withUse({ callers, windowMs }: SharedWindow, now: number, wish: Wish): Uses {
  const caller = countedFor(wish);
  if (caller === undefined) return callers;
  const recent = Object.entries(callers).filter(([, it]) => it.askedAtMs > now - windowMs);
  const used = 1 + (callers[caller]?.used ?? 0);
  return { ...Object.fromEntries(recent), [caller]: { used, askedAtMs: now, share: wish.share } };
}

/** What nobody waits for is no sign that a caller is there. */
export function countedFor({ priority, caller }: Wish): string | undefined {
  return ranks[priority] < ranks.bulk ? undefined : caller;
}

/** What callers had without a request of the window that was not sent. */
export function giveBack(
  { callers, openedAtMs }: SharedWindow,
  { caller = '', sentAtMs }: { caller?: string | undefined; sentAtMs: number },
): Uses {
  const known = callers[caller];
  if (known === undefined || sentAtMs < openedAtMs) return callers;
  return { ...callers, [caller]: { ...known, used: Math.max(0, known.used - 1) } };
}

/** The same callers as the next window begins. */
export function callersOfNext({ callers }: SharedWindow): Uses {
  return Object.fromEntries(
    Object.entries(callers).map(([name, it]) => [name, { ...it, used: 0 }]),
  );
}
