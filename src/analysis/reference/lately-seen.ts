import { LRUCache } from 'lru-cache';

/** What passed by lately, by its key; the oldest makes room. */
export interface LatelySeen<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
}

/** Remembers so many; the room for them is taken when the first one comes. */
export function createLatelySeen<
  Key extends string | number,
  Value extends string | number | object,
>(max: number): LatelySeen<Key, Value> {
  let seen: LRUCache<Key, Value> | undefined;
  return {
    get: (key) => seen?.get(key),
    set(key, value) {
      seen ??= new LRUCache({ max });
      seen.set(key, value);
    },
  };
}
