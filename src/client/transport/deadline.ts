import { CommerceError, type PlatformError } from '../../core/errors.ts';
import type { Runtime } from './runtime.ts';

/** How long work may take, and what can end it earlier. */
export interface Limits {
  ms: number;
  signal: AbortSignal;
  alarm: Runtime['alarm'];
  /** The error for work that took too long. */
  late: () => PlatformError;
}

/**
 * Runs `work` with a signal that fires at the deadline or with `limits.signal`, and ends then even
 * where the work does not listen.
 */
export async function withDeadline<T>(
  limits: Limits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  limits.signal.throwIfAborted();
  const ending = new AbortController();
  const onAbort = () => ending.abort(limits.signal.reason);
  limits.signal.addEventListener('abort', onAbort, { once: true });
  const stop = limits.alarm(limits.ms, () => ending.abort(limits.late()));
  try {
    return await unlessAborted(work(ending.signal), ending.signal);
  } finally {
    stop();
    limits.signal.removeEventListener('abort', onAbort);
  }
}

/** What `work` gives, or the signal's reason when that comes first. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).then(() => signal.removeEventListener('abort', leave));
  });
}

/** Resolves after `ms`; rejects with the signal's reason when that comes first. */
export async function sleep(
  alarm: Runtime['alarm'],
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  let stop = () => {};
  const slept = new Promise<void>((resolve) => {
    stop = alarm(ms, resolve);
  });
  await unlessAborted(slept, signal).finally(stop);
}

/** The error of a call whose caller went away. */
export function cancelled(endpoint: string): CommerceError {
  return new CommerceError('cancelled', `${endpoint}: cancelled before it was answered.`);
}
