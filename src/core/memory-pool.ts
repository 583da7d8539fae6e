interface Cache {
  readonly calculatedSize: number;
  purgeStale(): unknown;
  /** Lets go of what was not used for longest. */
  pop(): unknown;
}

/** Memory that several caches share: when it is full, the cache that holds the most lets go of entries. */
export class MemoryPool {
  readonly caches = new Set<Cache>();
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** To be called when something was added to one of them. */
  fit(): void {
    const usedBytes = () =>
      [...this.caches].reduce((sum, { calculatedSize }) => sum + calculatedSize, 0);
    if (usedBytes() <= this.#maxBytes) return;
    for (const cache of this.caches) cache.purgeStale();
    while (usedBytes() > this.#maxBytes)
      [...this.caches].reduce((a, b) => (b.calculatedSize > a.calculatedSize ? b : a)).pop();
  }
}
