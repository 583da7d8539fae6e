import type { BudgetState, Permit } from '../rate-limit/budget-state.ts';
import type { LimiterRecord } from './record.ts';

/** How a clock elsewhere stands against ours, as one exchange with it showed. */
export interface ClockSample {
  /** To be added to our elapsed clock. */
  offsetMs: number;
  /** Most by which that may be wrong. */
  doubtMs: number;
  /** When it was taken, on our elapsed clock. */
  atMs: number;
}

/** Clocks drift apart: after this long a less certain sample is better than an old one. */
const maxAgeMs = 30_000;

/** What an exchange shows that left at `sentAtMs` and told `theirsMs` when it came back. */
export function sampleClock(sentAtMs: number, backAtMs: number, theirsMs: number): ClockSample {
  const doubtMs = (backAtMs - sentAtMs) / 2;
  return { offsetMs: theirsMs - (sentAtMs + doubtMs), doubtMs, atMs: backAtMs };
}

/** The sample to go by: the more certain one, unless it is old or the other clock has been set. */
export function betterSample(held: ClockSample | undefined, taken: ClockSample): ClockSample {
  if (held === undefined || taken.doubtMs <= held.doubtMs) return taken;
  const isOld = taken.atMs - held.atMs > maxAgeMs;
  const wasSet = Math.abs(taken.offsetMs - held.offsetMs) > taken.doubtMs + held.doubtMs + 50;
  return isOld || wasSet ? taken : held;
}

/** The same permit on a clock that shows `ms` more. */
export function shiftedPermit(permit: Permit, ms: number): Permit {
  return { ...permit, sentAtMs: permit.sentAtMs + ms, rollsAtMs: permit.rollsAtMs + ms };
}

/** The same belief on a clock that shows `ms` more. */
export function shiftedBudget(budget: BudgetState, ms: number): BudgetState {
  return {
    ...budget,
    rollsAtMs: budget.rollsAtMs + ms,
    rolledAtMs: budget.rolledAtMs + ms,
    probedAtMs: budget.probedAtMs + ms,
  };
}

/** Redis tells the time of its machine, which may be set back: all times then move along. */
export function onTime(record: LimiterRecord, now: number): LimiterRecord {
  const backMs = record.writtenAtMs - now;
  if (!(backMs > clockDoubtMs)) return record;
  const members = Object.fromEntries(
    Object.entries(record.members).map(([name, member]) => [
      name,
      { ...member, seenAtMs: member.seenAtMs - backMs },
    ]),
  );
  const { count, sinceMs, untilMs } = record.expected;
  return {
    ...record,
    members,
    pace: shiftedBudget(record.pace, -backMs),
    expected: { count, sinceMs: sinceMs - backMs, untilMs: untilMs - backMs },
    writtenAtMs: now,
  };
}

/** Replicas differ by their network's delays; a clock that was set differs by more. */
const clockDoubtMs = 1000;
