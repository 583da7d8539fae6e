/** How much is kept, of each caller and in all. */
export interface RoomBounds {
  /** Bytes of memory that all values may take together, by estimate. */
  maxBytes: number;
  maxResults: number;
  /** The most of one owner. @default as much as of all */
  own?: { maxBytes: number; maxResults: number };
}

/** Something kept, and what it takes. */
export interface Kept<Value> {
  value: Value;
  owner: string;
  bytes: number;
  untilMs: number;
}

/** Values by id, bounded in number and bytes of each owner and of all: the least recently used go first. */
export interface Room<Value> {
  put(id: string, kept: Kept<Value>): void;
  /** Makes it the one used last. */
  get(id: string): Value | undefined;
  /** The most recently used first. */
  values(): Value[];
}

/**
 * An empty room. Who goes over their own bound makes room of their own; when all is full, it is the
 * owner who holds the most that makes room: nobody can push others out by asking more.
 */
export function createRoom<Value>(bounds: RoomBounds, now: () => number): Room<Value> {
  const { maxBytes, maxResults, own = { maxBytes, maxResults } } = bounds;
  const held = new Map<string, Kept<Value>>();
  const owners = new Map<string, { bytes: number; count: number }>();
  let bytes = 0;

  function drop(id: string): void {
    const gone = held.get(id);
    if (gone === undefined) return;
    held.delete(id);
    bytes -= gone.bytes;
    const left = take(gone.owner, -gone.bytes, -1);
    if (left.count === 0) owners.delete(gone.owner);
  }

  function take(owner: string, more: number, count: number) {
    const before = owners.get(owner) ?? { bytes: 0, count: 0 };
    const after = { bytes: before.bytes + more, count: before.count + count };
    owners.set(owner, after);
    return after;
  }

  function dropStale(): void {
    for (const [id, { untilMs }] of held) if (untilMs < now()) drop(id);
  }

  /** The least recently used of an owner; the one that was just put is the last of all. */
  function dropOldestOf(owner: string): void {
    const oldest = [...held].find(([, kept]) => kept.owner === owner);
    if (oldest) drop(oldest[0]);
  }

  function greediest(): string {
    const ranked = [...owners].sort(([, a], [, b]) =>
      bytes > maxBytes ? b.bytes - a.bytes : b.count - a.count,
    );
    return ranked[0]?.[0] ?? '';
  }

  function isOver(owner: string): boolean {
    const of = owners.get(owner);
    return of !== undefined && (of.bytes > own.maxBytes || of.count > own.maxResults);
  }

  return {
    put(id, kept) {
      drop(id);
      // What has expired goes before anything that is still of use.
      dropStale();
      held.set(id, kept);
      bytes += kept.bytes;
      take(kept.owner, kept.bytes, 1);
      while (isOver(kept.owner)) dropOldestOf(kept.owner);
      while (bytes > maxBytes || held.size > maxResults) dropOldestOf(greediest());
    },
    get(id) {
      const kept = held.get(id);
      if (kept === undefined) return undefined;
      if (kept.untilMs < now()) {
        drop(id);
        return undefined;
      }
      held.delete(id);
      held.set(id, kept);
      return kept.value;
    },
    values() {
      dropStale();
      return [...held.values()].map(({ value }) => value).reverse();
    },
  };
}
