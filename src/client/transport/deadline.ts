import { CommerceError, type PlatformError } from '../../core/errors.ts';
import type { Runtime } from './runtime.ts';

/** How long work may take, and who can end it earlier. */
export interface Limits {
  ms: number;
  signal: AbortSignal;
  sleep: Runtime['sleep'];
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
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true });
  });
  ended.catch(() => {});
  const timer = new AbortController();
  limits.sleep(limits.ms, timer.signal).then(
    () => ending.abort(limits.late()),
    () => {},
  );
  try {
    return await Promise.race([work(ending.signal), ended]);
  } finally {
    timer.abort(over);
    limits.signal.removeEventListener('abort', onAbort);
  }
}

/** Made once: an abort without a reason makes an exception with its stack, at every call. */
const over = new Error('the work ended before its deadline');

/** The error of a call whose caller went away. */
export function cancelled(endpoint: string): CommerceError {
  return new CommerceError('cancelled', `${endpoint}: cancelled before it was answered.`);
}
