/**
 * The rules of the rate budget: the state of a key's window as one value, and the next state when a request wants to
 * leave or has ended. The value is kept in memory, or in Redis where replicas share it (fleet/fleet.ts).
 */
import type { BudgetReport } from '../transport/http.ts';
import type { SharedWindow, Wish } from './shares.ts';
import * as shares from './shares.ts';

/** The state of the budget, in milliseconds of one clock; 0 is before any answer. Never changed in place. */
export interface BudgetState extends SharedWindow {
  /** The least that answers have reported in this window. */
  readonly remaining: number;
  /** Until when a probe is waited for. */
  readonly probeUntilMs: number;
  /** The end of the current hold after a 429: no request leaves before. */
  readonly heldUntilMs: number;
  /** Until when a 429 said that nothing goes, where that is over an hour: a probe goes each minute all the same. */
  readonly closedUntilMs: number;
  /** Untimed refusals in a row: after their hold one request goes alone. */
  readonly refusals: number;
  /** Added to resets once one proved to be rounded down. */
  readonly roundingAllowanceMs: number;
  /** Requests of this window that were never answered: the platform may have counted them. */
  readonly lost: number;
  /** Until when each request under way is believed to be. */
  readonly flight: Readonly<Record<string, number>>;
  /** When each replica was last heard of. */
  readonly replicas: Readonly<Record<string, number>>;
}

/** Requests that may be under way while nothing is known of a window: the first of a comparison, with its names. */
export const maxUnknown = 5;

/** A timer may fire a little early and clocks differ a little: the roll is certain after this. */
export const guardMs = 25;

/** After so much silence of a probe another one goes. */
export const probePatienceMs = 3000;

/** The shortest hold after a 429, and the first one after a 429 without a usable time. */
const shortestHoldMs = 1000;

/** After so many untimed refusals in a row a hold is longer than any window, and grows no more. */
export const maxRefusals = 20;

export const hourMs = 3_600_000;

/** The longest that a key is believed to be closed, as until the end of a monthly quota. */
export const maxClosedMs = 31 * 24 * hourMs;

export const unknownBudget: BudgetState = {
  limit: maxUnknown,
  windowMs: 60_000,
  remaining: 0,
  openedAtMs: 0,
  resetAtMs: 0,
  probeUntilMs: 0,
  heldUntilMs: 0,
  closedUntilMs: 0,
  refusals: 0,
  roundingAllowanceMs: 0,
  lost: 0,
  flight: {},
  replicas: {},
  callers: {},
};

/** Permission to send one request. */
export interface Permit {
  readonly id: string;
  readonly sentAtMs: number;
  /** Sent to learn the state of a window of which nothing is known yet. */
  readonly isProbe: boolean;
  /** The caller in whose share it is counted. */
  readonly caller?: string | undefined;
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

/** The state with a permit for the request, or without one where it may not leave now. */
export function grant(
  state: BudgetState,
  now: number,
  wish: Wish & { id: string; leaseMs: number },
): { state: BudgetState; permit: Permit | undefined } {
  const known = endLeases(state, now);
  const allowed = allowance(known, now, wish) - shares.keptForOthers(known, now, wish.caller);
  if (allowed < 1 || shares.hasSpentShare(known, now, wish))
    return { state: known, permit: undefined };
  const isProbe = needsProbe(known, now);
  const isFirst = now >= Math.max(known.resetAtMs, known.probeUntilMs);
  const granted = {
    ...known,
    flight: { ...known.flight, [wish.id]: now + wish.leaseMs },
    callers: shares.withUse(
      isFirst ? { ...known, callers: shares.callersOfNext(known) } : known,
      now,
      wish,
    ),
    probeUntilMs: isProbe ? now + probePatienceMs : known.probeUntilMs,
  };
  const permit = { id: wish.id, sentAtMs: now, isProbe, caller: shares.countedFor(wish) };
  return { state: granted, permit };
}

/** The state after a permit has ended; exactly once for each. */
export function settle(
  state: BudgetState,
  now: number,
  permit: Permit,
  ended: Settlement,
): BudgetState {
  const { [permit.id]: _, ...flight } = state.flight;
  const known = {
    ...endLeases({ ...state, flight }, now),
    ...(permit.isProbe && { probeUntilMs: 0 }),
  };
  const report = reportOf(permit, ended);
  if (report === undefined)
    return ended.kind === 'unused' ? { ...known, callers: shares.giveBack(known, permit) } : known;
  if (report === 'lost') return { ...known, lost: known.lost + 1 };
  const learnt = hold(learn(known, now, permit, report), now, permit, report.kind);
  return { ...learnt, closedUntilMs: closedUntil(known, now, permit, ended) };
}

/** A probe that is let through shows that the key is open again. */
function closedUntil(
  { closedUntilMs }: BudgetState,
  now: number,
  { isProbe }: Permit,
  ended: Settlement,
): number {
  if (ended.kind !== 'answered') return closedUntilMs;
  const { status, retryAfterMs = 0 } = ended;
  if (status === 429 && retryAfterMs > hourMs && retryAfterMs <= maxClosedMs)
    return now + retryAfterMs;
  return isProbe && status < 500 && ![401, 429].includes(status) ? 0 : closedUntilMs;
}

/** The state with a sign of life of a replica, and of the requests that it has under way. */
export function renew(
  state: BudgetState,
  now: number,
  { replica, ids, leaseMs }: { replica: string; ids: Iterable<string>; leaseMs: number },
): BudgetState {
  const alive = Object.entries(state.replicas).filter(([, atMs]) => atMs > now - leaseMs);
  const leases = Object.fromEntries([...ids].map((id) => [id, now + leaseMs]));
  return {
    ...endLeases({ ...state, flight: { ...state.flight, ...leases } }, now),
    replicas: { ...Object.fromEntries(alive), [replica]: now },
  };
}

/** The share that alone keeps a request from leaving: the caller's own, which is spent, or the rest of others. */
export function heldByShare(state: BudgetState, now: number, wish: Wish): HoldingShare | undefined {
  if (shares.hasSpentShare(state, now, wish)) return 'caller';
  const kept = shares.keptForOthers(state, now, wish.caller);
  const allowed = kept === 0 ? 0 : allowance(state, now, wish);
  return allowed >= 1 && allowed - kept < 1 ? 'others' : undefined;
}

export type HoldingShare = 'caller' | 'others';

/** When asking again makes sense should no answer arrive earlier. */
export function nextCheckMs(state: BudgetState, now: number, { priority, caller }: Wish): number {
  if (now < state.heldUntilMs) return state.heldUntilMs;
  if (needsProbe(state, now))
    return now < state.probeUntilMs ? state.probeUntilMs : now + probePatienceMs;
  // Shares of others decay, so more may leave later: checking each hundredth of a window is often enough.
  const decays = priority !== 'interactive' || shares.keptForOthers(state, now, caller) > 0;
  return decays ? Math.min(state.resetAtMs, now + state.windowMs / 100) : state.resetAtMs;
}

/**
 * When the request behind `ahead` others can leave as far as the budget goes. Leaves requests in flight and
 * what is kept for others out of account, so that nothing is refused too early.
 */
export function expectedMs(state: BudgetState, now: number, ahead: number): number {
  if (now < state.closedUntilMs) return state.closedUntilMs;
  const left = state.remaining - state.lost;
  if (now >= state.resetAtMs || ahead < left) return Math.max(now, state.heldUntilMs);
  const windows = Math.floor((ahead - Math.max(0, left)) / state.limit);
  return state.resetAtMs + windows * state.windowMs;
}

export function inFlight({ flight }: BudgetState): number {
  return Object.keys(flight).length;
}

function endLeases(state: BudgetState, now: number): BudgetState {
  const underWay = Object.entries(state.flight).filter(([, untilMs]) => untilMs > now);
  const ended = inFlight(state) - underWay.length;
  if (ended === 0) return state;
  return { ...state, flight: Object.fromEntries(underWay), lost: state.lost + ended };
}

function needsProbe({ resetAtMs, refusals }: BudgetState, now: number): boolean {
  return now >= resetAtMs || refusals > 0;
}

function allowance(state: BudgetState, now: number, wish: Wish): number {
  const { limit, remaining, lost, resetAtMs, refusals } = state;
  const isProbing = now < state.probeUntilMs;
  if (now < state.heldUntilMs || (refusals > 0 && isProbing)) return 0;
  const flying = inFlight(state);
  if (now >= resetAtMs) {
    if (!isProbing) return limit - flying;
    const isFirst = resetAtMs === 0;
    return isFirst || wish.priority === 'prefetch' ? Math.min(limit, maxUnknown) - flying : 0;
  }
  const reserve = Math.min(limit - 1, Math.round(limit * reservedShare(state, now, wish)));
  return remaining - lost - flying - reserve;
}

/**
 * The share of the limit that a priority leaves to more urgent ones. What it leaves for a while goes evenly with the
 * window, so that nothing of it is lost at the end.
 */
function reservedShare(
  { resetAtMs, windowMs }: BudgetState,
  now: number,
  { priority, backgroundShare }: Wish,
): number {
  const left = Math.min(1, (resetAtMs - now) / windowMs);
  if (priority === 'background') return 1 - backgroundShare + backgroundShare * left;
  return priority === 'interactive' ? 0 : 0.1 * left;
}

/**
 * The report of an answer about a window. A 429 is a timed refusal where it says how long to wait, which
 * is then the reset; untimed where its headers report requests left or say nothing usable.
 */
interface WindowReport extends Omit<BudgetReport, 'ceilings'> {
  kind: 'admitted' | 'timedRefusal' | 'untimedRefusal';
}

function reportOf({ isProbe }: Permit, ended: Settlement): WindowReport | 'lost' | undefined {
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
  return {
    limit: shares.unlimited,
    remaining: shares.unlimited,
    resetMs: hourMs,
    kind: 'admitted',
  };
}

/** A reset more than an hour away counts as one minute: the budget is asked about again then. */
function clampReset(holdMs: number | undefined): number | undefined {
  return holdMs !== undefined && holdMs > hourMs ? 60_000 : holdMs;
}

function learn(
  state: BudgetState,
  now: number,
  { sentAtMs, isProbe }: Permit,
  report: WindowReport,
): BudgetState {
  const isTimedRefusal = report.kind === 'timedRefusal';
  if ((report.limit ?? report.remaining) === undefined && !isTimedRefusal) return state;
  const isKnown = state.resetAtMs > 0;
  // A probe refused after the announced reset shows that the reset was rounded down.
  const isRoundedDown = isTimedRefusal && isProbe && isKnown && sentAtMs >= state.resetAtMs;
  const roundingAllowanceMs = isRoundedDown ? 1000 : state.roundingAllowanceMs;
  const limit = report.limit ?? Math.max(state.limit, report.remaining ?? 0);
  const windowMs = report.windowMs ?? state.windowMs;
  const resetAtMs = now + (report.resetMs ?? windowMs) + roundingAllowanceMs + guardMs;
  const known = { ...state, limit, windowMs, roundingAllowanceMs };
  // RateLimit-Reset is rounded up to whole seconds: the window this answer describes ends at `endsAtMs` or later.
  const endsAtMs = sentAtMs + Math.max(0, (report.resetMs ?? 0) - 1000);
  if (isTimedRefusal || (sentAtMs >= state.heldUntilMs && endsAtMs >= state.resetAtMs)) {
    const remaining = report.remaining ?? limit - 1;
    // A request that was granted after the window rolled has begun the counts of callers anew, with itself.
    const anew = isKnown && {
      lost: 0,
      ...(sentAtMs < state.resetAtMs && { callers: shares.callersOfNext(state) }),
    };
    return { ...known, remaining, resetAtMs, openedAtMs: now, ...anew };
  }
  // All other late responses are about the previous window: ignore them.
  if (sentAtMs < state.openedAtMs && resetAtMs + 1000 < state.resetAtMs) return known;
  return {
    ...known,
    remaining: Math.min(state.remaining, report.remaining ?? state.remaining - 1),
    resetAtMs: Math.min(state.resetAtMs, resetAtMs),
  };
}

/**
 * Holds all requests until the window rolls after a timed refusal; after untimed ones for a second,
 * then two, then four, at most until the window rolls.
 */
function hold(
  state: BudgetState,
  now: number,
  { sentAtMs }: Permit,
  kind: WindowReport['kind'],
): BudgetState {
  // Ignore answers to requests sent before the current hold began.
  const isNew = sentAtMs >= state.heldUntilMs || state.refusals === 0;
  const isUntimed = kind === 'untimedRefusal';
  const counted = isUntimed ? Math.min(maxRefusals, state.refusals + 1) : 0;
  const refusals = isNew ? counted : state.refusals;
  if (kind === 'admitted') return { ...state, refusals };
  const rollsAtMs = now >= state.resetAtMs ? now + state.windowMs : state.resetAtMs;
  const growingMs = isUntimed ? shortestHoldMs * 2 ** (refusals - 1) : Infinity;
  const untilMs = Math.min(rollsAtMs, now + growingMs);
  return { ...state, refusals, heldUntilMs: Math.max(state.heldUntilMs, untilMs) };
}
