import type { BudgetState, Permit } from '../rate-limit/budget-state.ts';
import type { LimiterRecord } from './record.ts';

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
