import type { PlatformError } from '../../core/errors.ts';

type Failure = Pick<PlatformError, 'code' | 'status' | 'retryAfterMs'>;

/** At most this many attempts beyond the first. */
export const maxRetries = 3;

/**
 * Milliseconds to wait before the next attempt, or undefined when another one cannot help.
 * Waits grow threefold, with jitter, and `Retry-After` is honoured where it asks for more.
 * A 429 is not for this: the budget knows when to go on.
 * @param attempt attempts made so far, the first one included
 * @param chance 0 to below 1
 */
export function nextDelay(failure: Failure, attempt: number, chance: number): number | undefined {
  if (attempt > maxRetries || !isTransient(failure)) return undefined;
  const backoffMs = 300 * 3 ** (attempt - 1) * (0.5 + chance / 2);
  return Math.max(Math.round(backoffMs), failure.retryAfterMs ?? 0);
}

function isTransient({ code, status }: Failure): boolean {
  switch (code) {
    case 'unreachable':
    case 'timeout':
    case 'malformed_answer':
      return true;
    case 'upstream_failed':
      return status !== undefined && [500, 502, 503, 504].includes(status);
    case 'exchange_failed':
      return status !== undefined && (status === 429 || status >= 500);
    default:
      return false;
  }
}
