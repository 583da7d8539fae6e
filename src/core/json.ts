export type JsonObject = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** For names that a stranger may have chosen, such as `__proto__` or `constructor`. */
export function ownValue<Value>(
  record: Readonly<Record<string, Value>> = {},
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** NaN for anything but numbers and texts of numbers. Plain `Number` throws for `{"toString": 1}`. */
export function toNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/** `''` for anything but texts and numbers. Plain `String` throws for `{"toString": 1}`. */
export function toText(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}

/** Every escape of JSON, so that `\\ud83d` is not misread; the group holds half a surrogate pair. */
const escapes = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(ud[89a-f][\da-f]{2})|.)/gi;

/**
 * Undefined for a text that is no JSON. Half a surrogate pair is read as U+FFFD, because some models refuse a
 * conversation for good once it holds one.
 */
export function parseJson(text: string): unknown {
  const isSuspect = text.includes('\\u') && /\\ud[89a-f]/i.test(text);
  try {
    return JSON.parse(
      isSuspect
        ? text.replace(escapes, (whole, half) => (half === undefined ? whole : '\\ufffd'))
        : text,
    );
  } catch {
    return undefined;
  }
}

/**
 * Like {@link parseJson}; whole numbers beyond 2^53 become texts of their digits, so that no two become equal.
 * @param mayHoldLong whether there may be such numbers: their search is as slow as parsing
 */
export function parseJsonExactly(text: string, mayHoldLong: boolean): unknown {
  return parseJson(mayHoldLong ? text.replace(textOrLongNumber, exactToken) : text);
}

const textOrLongNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\w.+-])-?\d{16,}(?![\d.eE])/gs;

function exactToken(token: string): string {
  return token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`;
}

/** Keeps the order of items and of first keys. */
export function groupBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string) {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** Counts that tell the cost of parsing a JSON text and of walking the result. */
export interface JsonCounts {
  /** Lists and objects included. */
  values: number;
  /** Keys of the widest object, repeated ones included. */
  keysPerObject: number;
  /** Different keys in the whole text; 0 if the text is too short to exceed their bound. */
  keys: number;
  /** Elements of the longest list. */
  rowsPerList: number;
  depth: number;
}

export interface CountedJson extends JsonCounts {
  /** The bound at which counting stopped. */
  exceeded?: keyof JsonCounts;
  /** Whether a number has 16 digits or more. */
  holdsLong: boolean;
}

/**
 * Counts what a text of JSON holds without parsing it, and stops at the first bound that it exceeds. A text that
 * is no JSON is counted too: up to its first error it holds no more than is counted.
 *
 * @param json preferably its UTF-8: a text is encoded first
 * @param bounds the largest accepted counts. For a stranger's text, bound the depth: each open list or object takes memory
 */
export function countJson(
  json: string | Uint8Array,
  bounds: Partial<JsonCounts> = {},
): CountedJson {
  const bytes = typeof json === 'string' ? new TextEncoder().encode(json) : json;
  const { length } = bytes;
  const max = { ...unbounded, ...bounds };
  const keys = bounds.keys && length < minMemberBytes * bounds.keys ? undefined : new Keys(bytes);
  let [values, keysPerObject, rowsPerList, depth] = [0, 0, 0, 0];
  let holdsLong = false;
  /** Members of what is open around the innermost; those of a list are negative. */
  const outer: number[] = [];
  /** The place of the last text: a colon after it makes it a key. */
  let [textStart, textEnd] = [0, 0];
  let members = 0;
  let isList = false;
  /** Whether the next value is an element, or the root: those of an object are counted by their colons. */
  let isDue = true;
  let exceeded: keyof JsonCounts | undefined;

  for (let at = 0; at < length && exceeded === undefined; at++) {
    const code = bytes[at] ?? 0;
    if (code <= codes.space) continue;
    if (code === codes.comma) {
      isDue = isList;
      continue;
    }
    if (code === codes.listEnd || code === codes.objectEnd) {
      const around = outer.pop() ?? 0;
      isList = around < 0;
      members = Math.abs(around);
      isDue = false;
      continue;
    }
    if (isDue || code === codes.colon) {
      isDue = false;
      members++;
      if (++values > max.values) exceeded = 'values';
      if (isList) {
        rowsPerList = Math.max(rowsPerList, members);
        if (members > max.rowsPerList) exceeded = 'rowsPerList';
      } else if (outer.length > 0) {
        keysPerObject = Math.max(keysPerObject, members);
        if (members > max.keysPerObject) exceeded = 'keysPerObject';
      }
    }
    if (code === codes.quote) {
      textStart = at;
      at = endOfText(bytes, at);
      textEnd = at;
    } else if (code === codes.colon) {
      keys?.add(members, textStart, textEnd);
      if (keys && keys.size > max.keys) exceeded = 'keys';
    } else if (code === codes.list || code === codes.object) {
      outer.push(isList ? -members : members);
      depth = Math.max(depth, outer.length);
      if (depth > max.depth) exceeded = 'depth';
      members = 0;
      isList = code === codes.list;
      isDue = isList;
    } else if (isDigit(code)) {
      const start = at;
      while (at + 1 < length && isDigit(bytes[at + 1])) at++;
      holdsLong ||= at - start >= 15;
    }
  }
  const counts = { values, keysPerObject, keys: keys?.size ?? 0, rowsPerList, depth, holdsLong };
  return { ...counts, ...(exceeded && { exceeded }) };
}

const unbounded: JsonCounts = {
  values: Infinity,
  keysPerObject: Infinity,
  keys: Infinity,
  rowsPerList: Infinity,
  depth: Infinity,
};

/** Such as `"":1,`. */
const minMemberBytes = 5;

const codes = {
  space: 32,
  quote: 34,
  comma: 44,
  zero: 48,
  nine: 57,
  colon: 58,
  list: 91,
  backslash: 92,
  listEnd: 93,
  object: 123,
  objectEnd: 125,
} as const;

function isDigit(code = 0): boolean {
  return code >= codes.zero && code <= codes.nine;
}

/** Where the text that begins at a quote ends: at a quote behind an even number of backslashes, or nowhere. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(codes.quote, start + 1); end >= 0; ) {
    let at = end;
    while (bytes[at - 1] === codes.backslash) at--;
    if ((end - at) % 2 === 0) return end;
    end = bytes.indexOf(codes.quote, end + 1);
  }
  return bytes.length;
}

const latin1 = new TextDecoder('latin1');

/** Places of an object whose last key is kept. */
const keptPlaces = 256;

/** The different keys of a text. Rows of a list have the same keys at the same places, so these are compared first. */
class Keys {
  readonly #bytes: Uint8Array;
  readonly #keys = new Set<string>();
  readonly #starts = new Uint32Array(keptPlaces);
  readonly #ends = new Uint32Array(keptPlaces);

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#keys.size;
  }

  add(place: number, start: number, end: number): void {
    if (place < keptPlaces && this.#isLast(place, start, end)) return;
    this.#keys.add(latin1.decode(this.#bytes.subarray(start, end)));
    this.#starts[place] = start;
    this.#ends[place] = end;
  }

  #isLast(place: number, start: number, end: number): boolean {
    const last = this.#starts[place] ?? 0;
    if (this.#ends[place] !== last + end - start) return false;
    for (let at = start; at < end; at++)
      if (this.#bytes[at] !== this.#bytes[last + at - start]) return false;
    return true;
  }
}
