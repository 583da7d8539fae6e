import type { Permit, Priority, Settlement } from '../rate-limit/budget-state.ts';
import { grantTo, type Return, reclaimed, rejoined, seen, settledBy, without } from './lease.ts';
import type { LedgerRecord } from './record.ts';
import { onTime } from './shifted.ts';

/** What a replica does to the record. */
export type Deed =
  | { kind: 'take'; priority: Priority; give(permit: Permit | undefined): void }
  /** `atMs` is the replica's own elapsed clock's. */
  | { kind: 'settle'; permit: Permit; ended: Settlement; atMs: number }
  /** Shows that it lives. */
  | { kind: 'beat' }
  /** Comes back from being alone; `lostAtMs` is the replica's own elapsed clock's. */
  | ({ kind: 'rejoin' } & Return)
  | { kind: 'leave' };

/** What became of the record. */
export interface Turn {
  record: LedgerRecord;
  /** What each deed was given, if anything. */
  permits: (Permit | undefined)[];
  /** False when there is nothing to write. */
  isChanged: boolean;
}

/** When a turn takes place: the shared clock, and what it shows more than the replica's own. */
export interface TurnClock {
  now: number;
  offsetMs: number;
}

/** Does all deeds of one replica at once. */
export function inTurn(
  record: LedgerRecord,
  me: string,
  deeds: readonly Deed[],
  { now, offsetMs }: TurnClock,
): Turn {
  let next = reclaimed(seen(onTime(record, now), me, now), now);
  const permits = deeds.map((deed) => {
    if (deed.kind !== 'take') {
      next = done(next, me, deed, { now, offsetMs });
      return undefined;
    }
    const granted = grantTo(next, me, deed.priority, now);
    next = granted?.record ?? next;
    return granted?.permit;
  });
  const isChanged = deeds.some((deed, index) => deed.kind !== 'take' || permits[index]);
  return { record: { ...next, writtenAtMs: now }, permits, isChanged };
}

function done(
  record: LedgerRecord,
  me: string,
  deed: Exclude<Deed, { kind: 'take' }>,
  { now, offsetMs }: TurnClock,
): LedgerRecord {
  switch (deed.kind) {
    case 'settle':
      return settledBy(record, me, deed.permit, deed.ended, deed.atMs + offsetMs);
    case 'beat':
      return record;
    case 'rejoin':
      return rejoined(record, me, { ...deed, lostAtMs: deed.lostAtMs + offsetMs }, now);
    case 'leave':
      return without(record, me);
  }
}
