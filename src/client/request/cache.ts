import { LRUCache } from 'lru-cache';
import type { RateLimiter } from '../rate-limit/limiter.ts';
import type { Runtime } from '../transport/runtime.ts';
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

/** How far the clocks of other replicas may be ahead: a later time of reading is not believed. */
const clockDoubtMs = 60_000;

/** Answers cached in this process, bounded in number and characters, and where it shares them. */
export class ReadingCache {
  readonly #now: () => number;
  readonly #shared: SharedAnswers | undefined;
  readonly #own: LRUCache<string, Reading>;

  constructor({ now, elapsed }: Pick<Runtime, 'now' | 'elapsed'>, shared?: SharedAnswers) {
    this.#now = now;
    this.#shared = shared;
    this.#own = new LRUCache({
      maxSize: 64_000_000,
      // At most 5,000 answers: with `max` it would make room for all of them at once.
      sizeCalculation: ({ size }) => Math.max(size, 12_800),
      perf: { now: elapsed },
      ttl: 1,
      ttlResolution: 0,
    });
  }

  /** The answer to an address, where one is at most `maxAgeMs` old. */
  async get(address: string, maxAgeMs: number): Promise<Reading | undefined> {
    if (maxAgeMs <= 0) return undefined;
    const known = this.#own.get(address) ?? (await this.#shared?.get(address));
    return known && this.#isYoung(known, maxAgeMs) ? known : undefined;
  }

  /** Whether this process has such an answer. */
  has(address: string, maxAgeMs: number): boolean {
    const known = this.#own.peek(address);
    return known !== undefined && this.#isYoung(known, maxAgeMs);
  }

  /** Keeps an answer for so long; 0 keeps nothing. */
  put(address: string, reading: Reading, forMs: number): void {
    if (forMs <= 0) return;
    this.#own.set(address, reading, { ttl: forMs });
    void this.#shared?.put(address, reading, forMs);
  }

  #isYoung({ readAtMs }: Reading, maxAgeMs: number): boolean {
    const ageMs = this.#now() - readAtMs;
    return ageMs < maxAgeMs && ageMs > -clockDoubtMs;
  }
}
