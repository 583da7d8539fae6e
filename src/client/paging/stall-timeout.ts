import { PlatformError } from '../../core/errors.ts';
import type { Urgency } from '../rate-limit/queue.ts';
import type { Reading } from '../request/attempts.ts';
import type { Query } from '../transport/url.ts';

/** Asks for one page of a long read. */
export type AskPage = (query: Query, signal: AbortSignal | undefined) => Promise<Reading>;

/** What decides how long a long read may wait. */
export interface StallLimits {
  elapsed(): number;
  /** The longest wait of a single call. */
  maxWaitMs: number;
  /** Length of a rate window. */
  windowMs(): number;
}

/**
 * The pages of one drain or feed. They may wait through as many windows as the read needs, as long
 * as it gets on: no page within `maxWaitMs`, or one window where that is longer (up to two
 * minutes), and the wait is over.
 */
export function withStallTimeout(
  ask: (
    query: Query,
    urgency: { signal?: AbortSignal } & Omit<Urgency, 'priority'>,
  ) => Promise<Reading>,
  { elapsed, maxWaitMs, windowMs }: StallLimits,
): AskPage {
  let gotOnAtMs = elapsed();
  const patientUntilMs = () =>
    gotOnAtMs + Math.max(maxWaitMs, Math.min(120_000, windowMs()) + 5000);
  return async (query, signal) => {
    for (;;) {
      try {
        const reading = await ask(query, { patientUntilMs, ...(signal ? { signal } : {}) });
        gotOnAtMs = elapsed();
        return reading;
      } catch (error) {
        // The page may have been shared with a less patient caller, whose limit is not ours.
        const backMs = error instanceof PlatformError ? error.retryAfterMs : undefined;
        const isSpent = error instanceof PlatformError && error.code === 'rate_limited';
        if (!isSpent || backMs === undefined || elapsed() + backMs > patientUntilMs()) throw error;
      }
    }
  };
}
