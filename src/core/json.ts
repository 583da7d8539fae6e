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
  const isSuspect = /\\ud[89a-f]/i.test(text);
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

/** Like {@link parseJson}; whole numbers beyond 2^53 become texts of their digits, so that no two become equal. */
export function parseJsonExactly(text: string): unknown {
  return parseJson(longNumber.test(text) ? text.replace(textOrLongNumber, exactToken) : text);
}

/** Quick to try. It also matches within texts, which only {@link textOrLongNumber} tells apart, as slow as parsing. */
const longNumber = /[:,[\s]-?\d{16,}[\s,}\]]/;
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
  /** Different keys in the whole text. */
  keys: number;
  /** Elements of the longest list. */
  rowsPerList: number;
  depth: number;
}

/** `exceeded` is the bound at which counting stopped. */
export interface CountedJson extends JsonCounts {
  exceeded?: keyof JsonCounts;
}

/**
 * Counts what a text of JSON holds without parsing it, and stops at the first bound that it exceeds. A text that
 * is no JSON is counted too: up to its first error it holds no more than is counted.
 *
 * @param bounds what is fine still. A stranger's text needs one of the depth: what is open is kept meanwhile
 */
export function countJson(text: string, bounds: Readonly<Partial<JsonCounts>> = {}): CountedJson {
  const counts: CountedJson = { values: 0, keysPerObject: 0, keys: 0, rowsPerList: 0, depth: 0 };
  const max = { ...unbounded, ...bounds };
  /** Members of what is open around the innermost; those of a list are negative. */
  const outer: number[] = [];
  const keys = new Set<string>();
  /** The last key at each place of an object: rows of a list have the same ones. */
  const lastKeys: string[] = [];
  /** The place of the last text: a colon after it makes it a key. */
  let [textStart, textEnd] = [0, 0];
  let members = 0;
  let isList = false;
  /** Whether the next value is an element, or the root: those of an object are counted by their colons. */
  let isDue = true;

  for (let at = 0; at < text.length && counts.exceeded === undefined; at++) {
    const code = text.charCodeAt(at);
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
      if (++counts.values > max.values) counts.exceeded = 'values';
      const name = isList ? 'rowsPerList' : 'keysPerObject';
      if (outer.length > 0 && members > counts[name]) {
        counts[name] = members;
        if (members > max[name]) counts.exceeded = name;
      }
    }
    if (code === codes.quote) {
      textStart = at;
      at = endOfText(text, at);
      textEnd = at;
    } else if (code === codes.colon) {
      const last = lastKeys[members] ?? '';
      if (last.length === textEnd - textStart && text.startsWith(last, textStart)) continue;
      const key = text.slice(textStart, textEnd);
      lastKeys[members] = key;
      counts.keys = keys.add(key).size;
      if (counts.keys > max.keys) counts.exceeded = 'keys';
    } else if (code === codes.list || code === codes.object) {
      outer.push(isList ? -members : members);
      counts.depth = Math.max(counts.depth, outer.length);
      if (counts.depth > max.depth) counts.exceeded = 'depth';
      members = 0;
      isList = code === codes.list;
      isDue = isList;
    }
  }
  return counts;
}

const unbounded: JsonCounts = {
  values: Infinity,
  keysPerObject: Infinity,
  keys: Infinity,
  rowsPerList: Infinity,
  depth: Infinity,
};

const codes = {
  space: 32,
  quote: 34,
  comma: 44,
  colon: 58,
  list: 91,
  backslash: 92,
  listEnd: 93,
  object: 123,
  objectEnd: 125,
} as const;

/** Where the text that begins at a quote ends: at a quote behind an even number of backslashes, or nowhere. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let at = end;
    while (text.charCodeAt(at - 1) === codes.backslash) at--;
    if ((end - at) % 2 === 0) return end;
  }
  return text.length;
}
