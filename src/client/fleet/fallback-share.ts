import type { BudgetState, Settlement } from '../rate-limit/budget-state.ts';
import { updateBudget } from '../rate-limit/budget-update.ts';
import type { BudgetReport } from '../rate-limit/headers.ts';

/** How many replicas a replica takes for granted that has never seen the others. */
export const assumedReplicas = 4;

/**
 * The belief of a replica that has lost the others: an equal share of what was left, and its own
 * requests alone in flight, `count` of them with `probes` probes.
 */
export function shareOfBudget(
  budget: BudgetState,
  replicas: number,
  { count, probes }: { count: number; probes: number },
): BudgetState {
  // As many requests as are under way here may have left elsewhere since the others were heard of.
  const unheard = (replicas - 1) * count;
  const free = Math.min(budget.reported, budget.own) - budget.inFlight - unheard;
  const mine = Math.floor(Math.max(0, free) / replicas) + count;
  return {
    ...budget,
    quota: atLeastOne(budget.quota / replicas),
    reported: mine,
    own: mine,
    explained: mine,
    inFlight: count,
    probes,
  };
}

/**
 * What such a replica learns from an answer: each takes an equal share of the quota and of what
 * remains, so that all of them together keep within the whole.
 */
export function updateAlone(replicas: number): typeof updateBudget {
  return (before, permit, ended, now) => {
    const after = updateBudget(before, permit, shareOfSettlement(ended, replicas), now);
    if (after.window === before.window) return after;
    // In a new window the requests under way are part of the share.
    return { ...after, own: Math.max(after.reported, after.inFlight) };
  };
}

function shareOfSettlement(ended: Settlement, replicas: number): Settlement {
  if (ended.kind !== 'answered' || ended.report === undefined) return ended;
  return { ...ended, report: shareOfReport(ended.report, replicas) };
}

function shareOfReport(report: BudgetReport, replicas: number): BudgetReport {
  const { limit, remaining, ceilings } = report;
  return {
    ...report,
    ...(limit !== undefined && { limit: atLeastOne(limit / replicas) }),
    ...(remaining !== undefined && { remaining: Math.floor(remaining / replicas) }),
    ceilings: ceilings.map((ceiling) => ({
      ...ceiling,
      quota: atLeastOne(ceiling.quota / replicas),
    })),
  };
}

function atLeastOne(share: number): number {
  return Math.max(1, Math.floor(share));
}
