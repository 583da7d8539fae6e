import { CommerceError, type PlatformError } from '../../core/errors.ts';
import type { Runtime } from './runtime.ts';

/** How long work may take, and who can end it earlier. */
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
    return await new Promise<T>((resolve, reject) => {
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true });
      work(ending.signal).then(resolve, reject);
    });
  } finally {
    stop();
    limits.signal.removeEventListener('abort', onAbort);
  }
}

/** The error of a call whose caller went away. */
export function cancelled(endpoint: string): CommerceError {
  return new CommerceError('cancelled', `${endpoint}: cancelled before it was answered.`);
}
