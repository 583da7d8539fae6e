/** Repeatable chance: the same keys give the same stream on every machine, in any order of calls. */

/** A list that is never empty. */
export type Choices<T> = readonly [T, ...T[]];

/** A stream of pseudo-random numbers (mulberry32), seeded by whole numbers. */
export class Chance {
  #state: number;

  constructor(...keys: readonly number[]) {
    this.#state = keys.reduce(mix, 0x9e3779b9);
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let word = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    word = (word + Math.imul(word ^ (word >>> 7), word | 61)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Both bounds are included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: Choices<T>): T {
    return choices[Math.floor(this.next() * choices.length)] ?? choices[0];
  }

  /** An index below `length`; low ones are more frequent, like good customers and sellers. */
  favourite(length: number, skew = 1.7): number {
    return Math.floor(this.next() ** skew * length);
  }

  /** Rounds up or down, so that the mean of many draws is `value`. */
  whole(value: number): number {
    return Math.floor(value + this.next());
  }
}

/** A scrambling step (murmur3): neighbouring keys give unrelated streams. */
function mix(state: number, key: number): number {
  let word = Math.imul(key | 0, 0xcc9e2d51);
  word = Math.imul((word << 15) | (word >>> 17), 0x1b873593);
  const joined = state ^ word;
  const turned = (joined << 13) | (joined >>> 19);
  const spread = Math.imul(turned, 5) + 0xe6546b64;
  return Math.imul(spread ^ (spread >>> 16), 0x85ebca6b);
}
