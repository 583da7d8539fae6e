import { LRUCache } from 'lru-cache';

/** What passed by lately, by its key; what nobody looked for longest makes room. */
export interface LatelySeen<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  /** How many are remembered. */
  readonly size: number;
}

/** Remembers so many. The room grows with them: a cache that is given `max` takes room for all at once. */
export function createLatelySeen<
  Key extends string | number,
  Value extends string | number | object,
>(most: number): LatelySeen<Key, Value> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
