/**
 * The rules of the rate budget, as functions from the state of a key to its next state. The state is kept in memory,
 * or in Redis where replicas share it (fleet/fleet.ts).
 */
import type { BudgetReport } from '../transport/http.ts';
import type { SharedWindow, Wish } from './shares.ts';
import * as shares from './shares.ts';

/** The state of the budget, in milliseconds of one clock; 0 means before any answer. Never changed in place. */
export interface BudgetState extends SharedWindow {
  /** Lowest rest that answers of this window reported. */
  readonly remaining: number;
  /** End of waiting for the answer of a probe. */
  readonly probeUntilMs: number;
  /** End of the hold after a 429, before which no request leaves. */
  readonly heldUntilMs: number;
  /** End of a hold of more than an hour by a 429, during which a probe leaves each minute. */
  readonly closedUntilMs: number;
  /** Untimed refusals in a row; after their hold a single request leaves. */
  readonly refusals: number;
  /** Added to resets since one was rounded down. */
  readonly roundingAllowanceMs: number;
  /** Unanswered requests of this window, which the platform may have counted. */
  readonly lost: number;
  /** Requests in flight, each with its assumed end. */
  readonly flight: readonly (readonly [id: string, untilMs: number])[];
  /** Last sign of life of each replica. */
  readonly replicas: Readonly<Record<string, number>>;
}

/** Requests in flight while no window is known: enough for the first of a comparison, with its names. */
export const maxUnknown = 5;

/** Added to resets, because timers fire early and clocks differ a little. */
export const guardMs = 25;

/** Time after which a silent probe is followed by another. */
export const probePatienceMs = 3000;

/** Shortest hold after a 429, also the first one without a usable time. */
const minHoldMs = 1000;

/** Untimed refusals in a row after which the hold exceeds any window and stops growing. */
export const maxRefusals = 20;

export const hourMs = 3_600_000;

/** Longest time for which a key counts as closed, such as until the end of a monthly quota. */
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
  flight: [],
  replicas: {},
  callers: {},
};

export interface Permit {
  readonly id: string;
  readonly sentAtMs: number;
  /** Whether it is sent to learn the state of an unknown window. */
  readonly isProbe: boolean;
  /** The caller whose share it uses. */
  readonly caller?: string | undefined;
}

export type Settlement =
  | {
      kind: 'answered';
      status: number;
      report: BudgetReport | undefined;
      retryAfterMs: number | undefined;
    }
  /** Sent without a status line in return: the platform may have counted it. */
  | { kind: 'lost' }
  | { kind: 'unused' };

export function grant(
  state: BudgetState,
  now: number,
  wish: Wish,
  { id, leaseMs }: { id: string; leaseMs: number },
): { state: BudgetState; permit: Permit | undefined } {
  const known = endLeases(state, now);
  const allowed = allowance(known, now, wish) - shares.keptForOthers(known, now, wish.caller);
  if (allowed < 1 || shares.hasSpentShare(known, now, wish))
    return { state: known, permit: undefined };
  const isProbe = needsProbe(known, now);
  const isFirst = now >= Math.max(known.resetAtMs, known.probeUntilMs);
  const changes = {
    flight: [...known.flight, [id, now + leaseMs] as const],
    callers: shares.withUse(isFirst ? shares.callersOfNext(known, now) : known.callers, now, wish),
    probeUntilMs: isProbe ? now + probePatienceMs : known.probeUntilMs,
  };
  const permit = { id, sentAtMs: now, isProbe, caller: shares.countedFor(wish) };
  return { state: { ...known, ...changes }, permit };
}

/** The state after the end of a permit, exactly once for each. */
export function settle(
  state: BudgetState,
  now: number,
  permit: Permit,
  ended: Settlement,
): BudgetState {
  const flight = state.flight.filter(([id]) => id !== permit.id);
  const probeUntilMs = permit.isProbe ? 0 : state.probeUntilMs;
  const closedUntilMs = closedUntil(state, now, permit, ended);
  const ending = { flight, probeUntilMs, closedUntilMs };
  const known = endLeases({ ...state, ...ending }, now);
  const report = reportOf(permit, ended);
  if (report === undefined)
    return ended.kind === 'unused' ? { ...known, callers: shares.giveBack(known, permit) } : known;
  if (report === 'lost') return { ...known, lost: known.lost + 1 };
  return hold(learn(known, now, permit, report), now, permit, report.kind);
}

/** An accepted probe shows that the key is open again. */
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

/** Registers a replica and its requests in flight. */
export function renew(
  state: BudgetState,
  now: number,
  { replica, ids, leaseMs }: { replica: string; ids: ReadonlySet<string>; leaseMs: number },
): BudgetState {
  const alive = Object.entries(state.replicas).filter(([, atMs]) => atMs > now - leaseMs);
  const own = [...ids].map((id) => [id, now + leaseMs] as const);
  const others = state.flight.filter(([id]) => !ids.has(id));
  return {
    ...endLeases({ ...state, flight: [...others, ...own] }, now),
    replicas: { ...Object.fromEntries(alive), [replica]: now },
  };
}

/** The share that alone holds a request back: that of the caller, which is spent, or those of others. */
export function heldByShare(state: BudgetState, now: number, wish: Wish): HoldingShare | undefined {
  if (shares.hasSpentShare(state, now, wish)) return 'caller';
  const kept = shares.keptForOthers(state, now, wish.caller);
  const allowed = kept === 0 ? 0 : allowance(state, now, wish);
  return allowed >= 1 && allowed - kept < 1 ? 'others' : undefined;
}

export type HoldingShare = 'caller' | 'others';

/** The time at which to ask again if no answer arrives before. */
export function nextCheckMs(state: BudgetState, now: number, { priority, caller }: Wish): number {
  if (now < state.heldUntilMs) return state.heldUntilMs;
  if (needsProbe(state, now))
    return now < state.probeUntilMs ? state.probeUntilMs : now + probePatienceMs;
  // Shares of others decay, so more may leave later. A check each hundredth of a window is enough.
  const decays = priority !== 'interactive' || shares.keptForOthers(state, now, caller) > 0;
  return decays ? Math.min(state.resetAtMs, now + state.windowMs / 100) : state.resetAtMs;
}

/**
 * The time at which the budget lets a request leave that has `ahead` others before it. It ignores requests in flight
 * and shares of others, so that nothing is refused too early.
 */
export function expectedMs(state: BudgetState, now: number, ahead: number): number {
  if (now < state.closedUntilMs) return state.closedUntilMs;
  const left = state.remaining - state.lost;
  if (now >= state.resetAtMs || ahead < left) return Math.max(now, state.heldUntilMs);
  const windows = Math.floor((ahead - Math.max(0, left)) / state.limit);
  return state.resetAtMs + windows * state.windowMs;
}

export function inFlight({ flight }: BudgetState): number {
  return flight.length;
}

function endLeases(state: BudgetState, now: number): BudgetState {
  const flight = state.flight.filter(([, untilMs]) => untilMs > now);
  const ended = state.flight.length - flight.length;
  return ended === 0 ? state : { ...state, flight, lost: state.lost + ended };
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
 * The share of the limit that a priority leaves to more urgent ones. It shrinks evenly with the window, so that
 * nothing is lost at the end.
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
 * The report of an answer about a window. A 429 is a timed refusal if it tells how long to wait; untimed if its
 * headers report requests left or nothing usable.
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
    const heldMs = Math.max(minHoldMs, holdMs);
    return { ...report, remaining: 0, resetMs: heldMs, kind: 'timedRefusal' };
  }
  if (report) return { ...report, resetMs, kind: 'admitted' };
  // A probe answered without a budget shows that there is none, except with 401 or 5xx.
  if (!isProbe || status === 401 || status >= 500) return { kind: 'admitted' };
  return {
    limit: shares.unlimited,
    remaining: shares.unlimited,
    resetMs: hourMs,
    kind: 'admitted',
  };
}

/** A reset more than an hour away counts as one minute, so that the budget is probed again. */
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
  const endMs = now + (report.resetMs ?? windowMs) + roundingAllowanceMs + guardMs;
  let { remaining, resetAtMs, openedAtMs, lost, callers } = state;
  // RateLimit-Reset is rounded up to whole seconds: the window this answer describes ends at `endsAtMs` or later.
  const endsAtMs = sentAtMs + Math.max(0, (report.resetMs ?? 0) - 1000);
  if (isTimedRefusal || (sentAtMs >= state.heldUntilMs && endsAtMs >= resetAtMs)) {
    if (isKnown) lost = 0;
    // A request granted after the window rolled already restarted the counts of callers, including itself.
    if (isKnown && sentAtMs < resetAtMs) callers = shares.callersOfNext(state, now);
    remaining = report.remaining ?? limit - 1;
    resetAtMs = endMs;
    openedAtMs = now;
  } else if (sentAtMs >= openedAtMs || endMs + 1000 >= resetAtMs) {
    // Other late answers describe the previous window.
    remaining = Math.min(remaining, report.remaining ?? remaining - 1);
    resetAtMs = Math.min(resetAtMs, endMs);
  }
  const window = { limit, windowMs, remaining, resetAtMs, openedAtMs, lost, callers };
  const learnt = { ...state, ...window };
  return isRoundedDown ? { ...learnt, roundingAllowanceMs } : learnt;
}

/**
 * Holds all requests until the window rolls after a timed refusal. After untimed refusals it holds for one second,
 * then two, then four, at most until the window rolls.
 */
function hold(
  state: BudgetState,
  now: number,
  { sentAtMs }: Permit,
  kind: WindowReport['kind'],
): BudgetState {
  // Answers to requests from before the current hold are ignored.
  const isNew = sentAtMs >= state.heldUntilMs || state.refusals === 0;
  const isUntimed = kind === 'untimedRefusal';
  const counted = isUntimed ? Math.min(maxRefusals, state.refusals + 1) : 0;
  const refusals = isNew ? counted : state.refusals;
  if (kind === 'admitted') return refusals === state.refusals ? state : { ...state, refusals };
  const rollsAtMs = now >= state.resetAtMs ? now + state.windowMs : state.resetAtMs;
  const growingMs = isUntimed ? minHoldMs * 2 ** (refusals - 1) : Infinity;
  const untilMs = Math.min(rollsAtMs, now + growingMs);
  return { ...state, refusals, heldUntilMs: Math.max(state.heldUntilMs, untilMs) };
}
