/** Why a request does not leave. */
import { CommerceError, PlatformError } from '../../core/errors.ts';

/** The rate budget comes back too late for this call. */
export function budgetSpent(endpoint: string, waitMs: number): PlatformError {
  const seconds = Math.ceil(waitMs / 1000);
  return new PlatformError(
    'rate_limited',
    `${endpoint}: the rate budget of this API key is used up; ask again in ${seconds} s.`,
    { endpoint, attempts: 0, retryAfterMs: Math.ceil(waitMs) },
  );
}

/** Every place in flight is taken, for longer than this call may wait. */
export function noPlace(endpoint: string): CommerceError {
  return new CommerceError(
    'overloaded',
    `${endpoint}: other requests kept every connection busy; ask again when they are done.`,
  );
}

/** As many wait as may. */
export function queueFull(endpoint: string, waiting: number): CommerceError {
  return new CommerceError(
    'overloaded',
    `${endpoint}: ${waiting} requests are waiting already; ask again when some are done.`,
  );
}
