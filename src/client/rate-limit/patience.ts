import { PlatformError } from '../../core/errors.ts';

/**
 * How long one long read waits for the rate budget: its requests may wait through as many windows as
 * the read needs, as long as it gets on. Whoever reads many things as one shares one patience.
 */
export interface Patience {
  /**
   * Makes one request of the read, and again where it was refused for want of budget while the read
   * as a whole still gets on. `untilMs` tells, on the elapsed clock, how long it may wait.
   */
  ask<T>(request: (untilMs: () => number) => Promise<T>): Promise<T>;
}

/** What decides how long a long read may wait. */
export interface PatienceLimits {
  elapsed(): number;
  /** The longest wait of a single call. */
  maxWaitMs: number;
  /** Length of a rate window. */
  windowMs(): number;
}

/**
 * The patience of one read: nothing within `maxWaitMs`, or one window where that is longer (up to
 * two minutes), and the wait is over.
 */
export function openPatience({ elapsed, maxWaitMs, windowMs }: PatienceLimits): Patience {
  let gotOnAtMs = elapsed();
  const untilMs = () => gotOnAtMs + Math.max(maxWaitMs, Math.min(120_000, windowMs()) + 5000);
  return {
    async ask(request) {
      for (;;) {
        try {
          const answer = await request(untilMs);
          gotOnAtMs = elapsed();
          return answer;
        } catch (error) {
          // It may have been shared with a less patient caller, whose limit is not ours.
          const backMs = error instanceof PlatformError ? error.retryAfterMs : undefined;
          const isSpent = error instanceof PlatformError && error.code === 'rate_limited';
          if (!isSpent || backMs === undefined || elapsed() + backMs > untilMs()) throw error;
        }
      }
    },
  };
}
