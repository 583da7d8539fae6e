import { LRUCache } from 'lru-cache';
import type { Runtime } from '../transport/runtime.ts';
import type { Reading } from './attempts.ts';
import type { SharedAnswers } from './sharing.ts';

/** Answers that may serve again for a while, in this process and where it shares them. */
export interface ReadingCache {
  /** The answer to an address, where one is at most `maxAgeMs` old. */
  get(address: string, maxAgeMs: number): Promise<Reading | undefined>;
  /** Whether this process has such an answer: a question about the cost, that costs nothing. */
  has(address: string, maxAgeMs: number): boolean;
  /** Keeps an answer for so long; 0 keeps nothing. */
  put(address: string, reading: Reading, forMs: number): void;
}

/** How far clocks elsewhere may be ahead: what was read later than that is not believed. */
const clockDoubtMs = 60_000;

/** A cache bounded in answers and in characters. */
export function openReadingCache(
  { now, elapsed }: Pick<Runtime, 'now' | 'elapsed'>,
  shared?: SharedAnswers,
): ReadingCache {
  const own = new LRUCache<string, Reading>({
    maxSize: 64_000_000,
    // At most 5,000 answers: with `max` it would make room for all of them at once.
    sizeCalculation: ({ size }) => Math.max(size, 12_800),
    perf: { now: elapsed },
    ttl: 1,
    ttlResolution: 0,
  });
  const isYoung = ({ readAtMs }: Reading, maxAgeMs: number) => {
    const ageMs = now() - readAtMs;
    return ageMs < maxAgeMs && ageMs > -clockDoubtMs;
  };
  return {
    async get(address, maxAgeMs) {
      if (maxAgeMs <= 0) return undefined;
      const known = own.get(address) ?? (await shared?.get(address));
      return known && isYoung(known, maxAgeMs) ? known : undefined;
    },
    has(address, maxAgeMs) {
      const known = own.peek(address);
      return known !== undefined && isYoung(known, maxAgeMs);
    },
    put(address, reading, forMs) {
      if (forMs <= 0) return;
      own.set(address, reading, { ttl: forMs });
      void shared?.put(address, reading, forMs);
    },
  };
}
