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

  /** Makes room; call it after adding to one of the caches. */
  fit(): void {
    const usedBytes = () =>
      [...this.caches].reduce((sum, { calculatedSize }) => sum + calculatedSize, 0);
    if (usedBytes() <= this.#maxBytes) return;
    for (const cache of this.caches) cache.purgeStale();
    while (usedBytes() > this.#maxBytes)
      [...this.caches].reduce((a, b) => (b.calculatedSize > a.calculatedSize ? b : a)).pop();
  }
}

/** Bytes that are held for a while: bounded for each caller and over all. */
export class HeldBytes {
  readonly #bounds: { caller: number; all: number };
  readonly #byCaller = new Map<string, number>();
  #all = 0;

  constructor(bounds: { caller: number; all: number }) {
    this.#bounds = bounds;
  }

  /** Counts bytes of a caller, or takes negative ones off; tells which bound they exceed. */
  add(caller: string, bytes: number): 'caller' | 'all' | undefined {
    this.#all += bytes;
    const held = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (held > 0) this.#byCaller.set(caller, held);
    else this.#byCaller.delete(caller);
    if (held > this.#bounds.caller) return 'caller';
    return this.#all > this.#bounds.all ? 'all' : undefined;
  }
}
