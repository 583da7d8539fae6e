import { PlatformError } from '../../core/errors.ts';

export interface ProgressLimits {
  elapsed(): number;
  /** The longest wait of a single call. */
  maxWaitMs: number;
  /** Length of a rate window. */
  windowMs(): number;
}

/**
 * How long a read of many requests waits for the rate budget: through as many windows as it needs,
 * as long as it makes progress. With no answer within `maxWaitMs`, or within one window where that
 * is longer (up to two minutes), the wait is over. Reads that belong together share one deadline.
 */
export class ProgressDeadline {
  readonly #limits: ProgressLimits;
  #lastProgressMs: number;

  constructor(limits: ProgressLimits) {
    this.#limits = limits;
    this.#lastProgressMs = limits.elapsed();
  }

  /**
   * Makes one request of the read, and again where it was refused for want of budget while the read
   * as a whole makes progress. `untilMs` gives the elapsed time until which it may wait.
   */
  async run<T>(request: (untilMs: () => number) => Promise<T>): Promise<T> {
    const { elapsed, maxWaitMs, windowMs } = this.#limits;
    const untilMs = () =>
      this.#lastProgressMs + Math.max(maxWaitMs, Math.min(120_000, windowMs()) + 5000);
    for (;;) {
      try {
        const answer = await request(untilMs);
        this.#lastProgressMs = elapsed();
        return answer;
      } catch (error) {
        // It may have joined the request of a call that waits less long.
        const backMs = error instanceof PlatformError ? error.retryAfterMs : undefined;
        const isSpent = error instanceof PlatformError && error.code === 'rate_limited';
        if (!isSpent || backMs === undefined || elapsed() + backMs > untilMs()) throw error;
      }
    }
  }
}
