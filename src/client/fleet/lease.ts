import { learn } from '../learn.ts';
import {
  allowance,
  grant,
  type Pace,
  type Permit,
  type Priority,
  type Settlement,
} from '../pace.ts';
import type { LedgerRecord, Member, Outstanding } from './record.ts';

/** A replica that has not been seen for so long is taken for dead: its permits go back. */
export const leaseMs = 5000;

/** Leave for one request of a replica, or undefined when none may leave now. */
export function grantTo(
  record: LedgerRecord,
  me: string,
  priority: Priority,
  now: number,
): { record: LedgerRecord; permit: Permit } | undefined {
  if (allowance(record.pace, now, priority) < 1) return undefined;
  const { pace, permit } = grant(record.pace, now);
  return { record: withPace(noted(record, me, permit, 1), pace), permit };
}

/** What is believed after a permit of a replica ended at `atMs`. */
export function settledBy(
  record: LedgerRecord,
  me: string,
  permit: Permit,
  ended: Settlement,
  atMs: number,
): LedgerRecord {
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
  return { ...after, policy, pace: learn(before.pace, permit, ended, atMs) };
}

/** Takes back the permits of replicas not seen for a lease; their requests may have been counted. */
export function reclaimed(record: LedgerRecord, now: number): LedgerRecord {
  return Object.entries(record.members)
    .filter(([, { seenAtMs }]) => now - seenAtMs > leaseMs)
    .reduce((left, [name]) => without(left, name), record);
}

/** A replica leaves, or is taken for dead. */
export function without(record: LedgerRecord, name: string): LedgerRecord {
  const { [name]: gone, ...members } = record.members;
  return { ...record, members, pace: (gone?.out ?? []).reduce(takenBack, record.pace) };
}

/** A replica is there, whether it sends anything or not. */
export function seen(record: LedgerRecord, me: string, now: number): LedgerRecord {
  return withMember(record, me, { out: outOf(record, me), seenAtMs: now });
}

/** A replica comes back with `count` requests under way; whatever stood there of it is forgotten. */
export function rejoined(
  record: LedgerRecord,
  me: string,
  count: number,
  now: number,
): LedgerRecord {
  const { pace, ...rest } = without(record, me);
  const out = count === 0 ? [] : [{ window: strayWindow, count, probes: 0 }];
  const back = { ...rest, pace: { ...pace, inFlight: pace.inFlight + count } };
  return withMember(back, me, { out, seenAtMs: now });
}

/** A permit given by another ledger, as this one understands it: of no window that it has seen. */
export function strayPermit(permit: Permit, shiftMs: number): Permit {
  return { ...shiftedPermit(permit, shiftMs), window: strayWindow, probe: false };
}

/** The same permit on a clock that shows `ms` more. */
export function shiftedPermit(permit: Permit, ms: number): Permit {
  return { ...permit, sentAtMs: permit.sentAtMs + ms, rollsAtMs: permit.rollsAtMs + ms };
}

/** The same belief on a clock that shows `ms` more. */
export function shiftedPace(pace: Pace, ms: number): Pace {
  return {
    ...pace,
    rollsAtMs: pace.rollsAtMs + ms,
    rolledAtMs: pace.rolledAtMs + ms,
    probedAtMs: pace.probedAtMs + ms,
  };
}

/** Redis tells the time of its machine, which may be set back: all times then move along. */
export function onTime(record: LedgerRecord, now: number): LedgerRecord {
  const backMs = record.writtenAtMs - now;
  if (!(backMs > clockDoubtMs)) return record;
  const members = Object.fromEntries(
    Object.entries(record.members).map(([name, member]) => [
      name,
      { ...member, seenAtMs: member.seenAtMs - backMs },
    ]),
  );
  return { ...record, members, pace: shiftedPace(record.pace, -backMs), writtenAtMs: now };
}

const strayWindow = -1;

/** Replicas differ by their network's delays; a clock that was set differs by more. */
const clockDoubtMs = 1000;

function takenBack(pace: Pace, { window, count, probes }: Outstanding): Pace {
  const lost: Settlement[] = Array.from({ length: count }, () =>
    // Where nothing is known, a request that is lost tells nothing either.
    pace.meter === 'on' ? { kind: 'lost' } : { kind: 'unused' },
  );
  return lost.reduce((left, ended, index) => {
    const permit = { window, probe: index < probes, sentAtMs: 0, rollsAtMs: 0 };
    return learn(left, permit, ended, 0);
  }, pace);
}

function departed(pace: Pace, permit: Permit): Pace {
  const probes = pace.probes + (permit.probe ? 1 : 0);
  return { ...pace, inFlight: pace.inFlight + 1, probes };
}

function noted(record: LedgerRecord, me: string, permit: Permit, step: 1 | -1): LedgerRecord {
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

function outOf(record: LedgerRecord, me: string): Outstanding[] {
  return record.members[me]?.out ?? [];
}

function withPace(record: LedgerRecord, pace: Pace): LedgerRecord {
  return { ...record, pace };
}

function withMember(record: LedgerRecord, name: string, member: Member): LedgerRecord {
  return { ...record, members: { ...record.members, [name]: member } };
}
