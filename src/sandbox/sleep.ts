/** Waiting, as something that can be replaced. */
import { setTimeout } from 'node:timers/promises';

/** Waits, or stops waiting when the signal fires; never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits by a timer. */
export const sleepFor: Sleep = async (ms, signal) => {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
};
