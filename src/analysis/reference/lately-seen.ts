/** What passed by lately, by its key; what was seen longest ago makes room. */
export interface LatelySeen<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  /** How many are remembered. */
  readonly size: number;
}

/**
 * Remembers at most so many, and at least the half of them that was seen last. A list of 50,000 rows
 * passes by in one answer: taking one in costs no more than a place in a map.
 */
export function createLatelySeen<Key, Value>(most: number): LatelySeen<Key, Value> {
  let recent = new Map<Key, Value>();
  let before = new Map<Key, Value>();
  return {
    get: (key) => recent.get(key) ?? before.get(key),
    set(key, value) {
      recent.set(key, value);
      if (recent.size < most / 2) return;
      before = recent;
      recent = new Map();
    },
    get size() {
      return recent.size + before.size;
    },
  };
}
