import {
  allowance,
  type BudgetState,
  grant,
  type Permit,
  type Priority,
  type Settlement,
} from '../rate-limit/budget-state.ts';
import { updateBudget } from '../rate-limit/budget-update.ts';
import { shiftedPermit } from './clock.ts';
import type { LimiterRecord, Member, Outstanding } from './record.ts';

/** A replica that has not been seen for so long is taken for dead: its permits go back. */
export const leaseMs = 5000;

/** Leave for one request of a replica, or undefined when none may leave now. */
export function grantTo(
  record: LimiterRecord,
  me: string,
  priority: Priority,
  now: number,
): { record: LimiterRecord; permit: Permit } | undefined {
  if (allowance(record.pace, now, priority) < 1 || isOthersShare(record, now)) return undefined;
  const { budget, permit } = grant(record.pace, now);
  return { record: withPace(noted(record, me, permit, 1), budget), permit };
}

/** What is believed after a permit of a replica ended at `atMs`. */
export function settledBy(
  record: LimiterRecord,
  me: string,
  permit: Permit,
  ended: Settlement,
  atMs: number,
): LimiterRecord {
  const isHeld = outOf(record, me).some(({ window }) => window === permit.window);
  // Taken back while the replica was silent: it is under way all the same, so it counts once more.
  const before = isHeld
    ? record
    : noted(withPace(record, departed(record.pace, permit)), me, permit, 1);
  const after = noted(before, me, permit, -1);
  const policy =
    ended.kind === 'answered' && ended.report?.ceilings.length
      ? ended.report.ceilings
      : record.policy;
  return { ...after, policy, pace: updateBudget(before.pace, permit, ended, atMs) };
}

/** Takes back the permits of replicas not seen for a lease; their requests may have been counted. */
export function reclaimed(record: LimiterRecord, now: number): LimiterRecord {
  return Object.entries(record.members)
    .filter(([, { seenAtMs }]) => now - seenAtMs > leaseMs)
    .reduce((left, [name]) => without(left, name), record);
}

/** A replica leaves, or is taken for dead. */
export function without(record: LimiterRecord, name: string): LimiterRecord {
  const { [name]: gone, ...members } = record.members;
  return { ...record, members, pace: (gone?.out ?? []).reduce(takenBack, record.pace) };
}

/** A replica is there, whether it sends anything or not. */
export function seen(record: LimiterRecord, me: string, now: number): LimiterRecord {
  return withMember(record, me, { out: outOf(record, me), seenAtMs: now });
}

/** A replica that comes back, out of a fleet of `replicas` that it lost at `lostAtMs`. */
export interface Return {
  /** Its requests under way. */
  count: number;
  replicas: number;
  lostAtMs: number;
}

/** A replica comes back from being alone; whatever stood there of it is forgotten. */
export function rejoined(
  record: LimiterRecord,
  me: string,
  { count, replicas, lostAtMs }: Return,
  now: number,
): LimiterRecord {
  const { pace: budget, ...rest } = without(record, me);
  const out = count === 0 ? [] : [{ window: strayWindow, count, probes: 0 }];
  const expected = { count: replicas, sinceMs: lostAtMs, untilMs: now + graceMs };
  const back = { ...rest, expected, pace: { ...budget, inFlight: budget.inFlight + count } };
  return withMember(back, me, { out, seenAtMs: now });
}

/** Whether replicas may still be alone that rely on their share. */
export function isExpecting(record: LimiterRecord, now: number): boolean {
  return now < record.expected.untilMs && backOf(record) < record.expected.count;
}

/** A permit given by another limiter, as this one understands it: of no window that it has seen. */
export function strayPermit(permit: Permit, shiftMs: number): Permit {
  return { ...shiftedPermit(permit, shiftMs), window: strayWindow, probe: false };
}

const strayWindow = -1;

/** How long those who are back first wait for the others before they take what is left. */
const graceMs = 3000;

/** Whether all that may be drawn from this window is drawn, the shares of those still alone left out. */
function isOthersShare(record: LimiterRecord, now: number): boolean {
  const { pace: budget, expected } = record;
  if (budget.meter !== 'on' || !isExpecting(record, now)) return false;
  const drawn = budget.quota - Math.min(budget.reported, budget.own) + budget.inFlight;
  return drawn >= (budget.quota * backOf(record)) / expected.count;
}

function backOf({ expected, members }: LimiterRecord): number {
  return Object.values(members).filter(({ seenAtMs }) => seenAtMs >= expected.sinceMs).length;
}

function takenBack(budget: BudgetState, { window, count, probes }: Outstanding): BudgetState {
  const lost: Settlement[] = Array.from({ length: count }, () =>
    // Where nothing is known, a request that is lost tells nothing either.
    budget.meter === 'on' ? { kind: 'lost' } : { kind: 'unused' },
  );
  return lost.reduce((left, ended, index) => {
    const permit = { window, probe: index < probes, sentAtMs: 0, rollsAtMs: 0 };
    return updateBudget(left, permit, ended, 0);
  }, budget);
}

function departed(budget: BudgetState, permit: Permit): BudgetState {
  const probes = budget.probes + (permit.probe ? 1 : 0);
  return { ...budget, inFlight: budget.inFlight + 1, probes };
}

function noted(record: LimiterRecord, me: string, permit: Permit, step: 1 | -1): LimiterRecord {
  const { window } = permit;
  const out = outOf(record, me);
  const known = out.find((entry) => entry.window === window) ?? { window, count: 0, probes: 0 };
  const changed = {
    window,
    count: known.count + step,
    probes: known.probes + (permit.probe ? step : 0),
  };
  const others = out.filter((entry) => entry !== known);
  const member = { ...record.members[me], out: changed.count > 0 ? [...others, changed] : others };
  return withMember(record, me, { seenAtMs: record.writtenAtMs, ...member });
}

function outOf(record: LimiterRecord, me: string): Outstanding[] {
  return record.members[me]?.out ?? [];
}

function withPace(record: LimiterRecord, budget: BudgetState): LimiterRecord {
  return { ...record, pace: budget };
}

function withMember(record: LimiterRecord, name: string, member: Member): LimiterRecord {
  return { ...record, members: { ...record.members, [name]: member } };
}
