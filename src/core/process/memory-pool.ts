interface Cache {
  readonly calculatedSize: number;
  purgeStale(): unknown;
  /** Drops the least recently used entry. */
  pop(): unknown;
}

/** Memory that several caches share: when it is full, the largest cache drops entries. */
export class MemoryPool {
  readonly caches = new Set<Cache>();
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** To be called after adding to one of the caches. */
  dropSurplus(): void {
    const usedBytes = () =>
      [...this.caches].reduce((sum, { calculatedSize }) => sum + calculatedSize, 0);
    if (usedBytes() <= this.#maxBytes) return;
    for (const cache of this.caches) cache.purgeStale();
    while (usedBytes() > this.#maxBytes)
      [...this.caches].reduce((a, b) => (b.calculatedSize > a.calculatedSize ? b : a)).pop();
  }
}

/** Counts bytes in memory, with a bound for each caller and one for all. */
export class HeldBytes {
  readonly #bounds: { caller: number; all: number };
  readonly #bytesByCaller = new Map<string, number>();
  #all = 0;

  constructor(bounds: { caller: number; all: number }) {
    this.#bounds = bounds;
  }

  /** @param bytes negative when they are freed @returns the bound that is exceeded */
  add(caller: string, bytes: number): 'caller' | 'all' | undefined {
    this.#all += bytes;
    const held = (this.#bytesByCaller.get(caller) ?? 0) + bytes;
    if (held > 0) this.#bytesByCaller.set(caller, held);
    else this.#bytesByCaller.delete(caller);
    if (held > this.#bounds.caller) return 'caller';
    return this.#all > this.#bounds.all ? 'all' : undefined;
  }
}
