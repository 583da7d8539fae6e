import type { Permit, Priority, Settlement } from '../rate-limit/budget-state.ts';
import { onTime } from './clock.ts';
import { grantTo, type Return, reclaimed, rejoined, seen, settledBy, without } from './lease.ts';
import type { LimiterRecord } from './record.ts';

/** What a replica does to the record. */
export type Operation =
  | { kind: 'take'; priority: Priority; give(permit: Permit | undefined): void }
  /** `atMs` is the replica's own elapsed clock's. */
  | { kind: 'settle'; permit: Permit; ended: Settlement; atMs: number }
  /** Shows that it lives. */
  | { kind: 'beat' }
  /** Comes back from being alone; `lostAtMs` is the replica's own elapsed clock's. */
  | ({ kind: 'rejoin' } & Return)
  | { kind: 'leave' };

/** What became of the record. */
export interface AppliedOperations {
  record: LimiterRecord;
  /** What each operation was given, if anything. */
  permits: (Permit | undefined)[];
  /** False when there is nothing to write. */
  isChanged: boolean;
}

/** When operations take place: the shared clock, and what it shows more than the replica's own. */
export interface OperationClock {
  now: number;
  offsetMs: number;
}

/** Does all operations of one replica at once. */
export function applyOperations(
  record: LimiterRecord,
  me: string,
  operations: readonly Operation[],
  { now, offsetMs }: OperationClock,
): AppliedOperations {
  let next = reclaimed(seen(onTime(record, now), me, now), now);
  const permits = operations.map((operation) => {
    if (operation.kind !== 'take') {
      next = done(next, me, operation, { now, offsetMs });
      return undefined;
    }
    const granted = grantTo(next, me, operation.priority, now);
    next = granted?.record ?? next;
    return granted?.permit;
  });
  const isChanged = operations.some(
    (operation, index) => operation.kind !== 'take' || permits[index],
  );
  return { record: { ...next, writtenAtMs: now }, permits, isChanged };
}

function done(
  record: LimiterRecord,
  me: string,
  operation: Exclude<Operation, { kind: 'take' }>,
  { now, offsetMs }: OperationClock,
): LimiterRecord {
  switch (operation.kind) {
    case 'settle':
      return settledBy(record, me, operation.permit, operation.ended, operation.atMs + offsetMs);
    case 'beat':
      return record;
    case 'rejoin':
      return rejoined(record, me, { ...operation, lostAtMs: operation.lostAtMs + offsetMs }, now);
    case 'leave':
      return without(record, me);
  }
}
