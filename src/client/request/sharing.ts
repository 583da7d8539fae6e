import type { RateLimiter } from '../rate-limit/queue.ts';
import type { Reading } from './attempts.ts';

/** What clients on the same key share, wherever they run. */
export interface Sharing {
  /** Runs on the client's elapsed clock. */
  limiter: RateLimiter;
  answers: SharedAnswers;
}

/** Cached answers that replicas share, by the path and query that they answer. Nothing rejects. */
export interface SharedAnswers {
  get(address: string): Promise<Reading | undefined>;
  /** Keeps an answer for so long, where there is room. */
  put(address: string, reading: Reading, forMs: number): Promise<void>;
}
