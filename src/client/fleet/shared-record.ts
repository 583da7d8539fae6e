import { randomBytes } from 'node:crypto';
import type { Permit } from '../rate-limit/budget-state.ts';
import type { CasCell } from './cas-cell.ts';
import { betterSample, type ClockSample, sampleClock } from './clock.ts';
import { applyOperations, type Operation } from './operations.ts';
import { decodeRecord, emptyRecord, encodeRecord, type LimiterRecord } from './record.ts';

/** The record on the cell, as one replica reads and writes it. */
export interface SharedRecord {
  /**
   * Does all operations at once, and gives each its permit, if any.
   * @throws when the cell is away, or so busy that nothing could be written
   */
  perform(operations: readonly Operation[]): Promise<(Permit | undefined)[]>;
  /** Reads what stands there now. @throws when the cell is away */
  look(): Promise<void>;
  /** What stood there last. */
  record(): LimiterRecord;
  /** What the cell's clock shows more than ours. */
  offsetMs(): number;
}

/** Longest that a replica tries to write. */
const patienceMs = 1500;

/**
 * Decides on what was read last, and writes if nobody has written meanwhile; otherwise decides again
 * on what they wrote. Somebody always succeeds, so all together never stand still.
 *
 * @param onForeign hears of a text that is none of ours
 */
export function openSharedRecord(
  cell: CasCell,
  me: string,
  elapsed: () => number,
  onForeign: () => void = () => {},
): SharedRecord {
  let known = { stamp: '', record: emptyRecord };
  let clock: ClockSample | undefined;
  const offsetMs = () => clock?.offsetMs ?? 0;

  /** What is none of ours counts as nothing, and is written over. */
  function readRecord(text: string): LimiterRecord {
    const record = decodeRecord(text);
    if (record === undefined) onForeign();
    return record ?? emptyRecord;
  }

  async function exchange(next?: typeof known): Promise<boolean> {
    const sentAtMs = elapsed();
    const given = next && { stamp: next.stamp, text: encodeRecord(next.record) };
    const { isSwapped, stamp, text, clockMs } = await cell.exchange(known.stamp, given);
    clock = betterSample(clock, sampleClock(sentAtMs, elapsed(), clockMs));
    if (isSwapped && next) known = next;
    // A cell that has forgotten everything is told again by whoever remembers.
    else if (stamp === '') known = known.stamp === '' ? known : { stamp, record: known.record };
    else if (text !== undefined) known = { stamp, record: readRecord(text) };
    return isSwapped;
  }

  return {
    async perform(operations) {
      if (clock === undefined) await exchange();
      const untilMs = elapsed() + patienceMs;
      for (;;) {
        const basis = known;
        const now = elapsed() + offsetMs();
        const outcome = applyOperations(basis.record, me, operations, {
          now,
          offsetMs: offsetMs(),
        });
        const next = outcome.isChanged ? { stamp: newStamp(), record: outcome.record } : undefined;
        const isSwapped = await exchange(next);
        if (isSwapped || (!next && known === basis)) return outcome.permits;
        if (elapsed() > untilMs) throw new Error('the shared limiter is too busy');
      }
    },
    async look() {
      await exchange();
    },
    record: () => known.record,
    offsetMs,
  };
}

/** Never used twice, so that no two texts can be taken for each other. */
function newStamp(): string {
  return randomBytes(9).toString('base64');
}
