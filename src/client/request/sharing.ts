import type { RateLimiter } from '../rate-limit/limiter.ts';
import type { Reading } from './attempts.ts';

/** What clients on the same key share, wherever they run. */
export interface Sharing {
  /** Runs on the client's elapsed clock. */
  limiter: RateLimiter;
  answers: SharedAnswers;
}

/** Answers that may serve again, by the path and query that they answer. */
export interface SharedAnswers {
  /** Undefined when nothing is kept, or when it cannot be had in time. Never rejects. */
  get(address: string): Promise<Reading | undefined>;
  /** Keeps an answer for so long, where there is room. Never rejects. */
  put(address: string, reading: Reading, forMs: number): Promise<void>;
}
