/** An object of named values, as JSON has it. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is an object of named values: no array, not null. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a record holds under a name that a stranger may have chosen, such as `__proto__`. */
export function ownValue<Value>(
  record: Readonly<Record<string, Value>> = {},
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The number that a value is or writes; NaN for anything else. `Number` fails over such as `{"toString": 1}`. */
export function toNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/** The text that a value is, or that writes its number; nothing for anything else. `String` fails likewise. */
export function toText(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}

/** The value that a text encodes, or undefined where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a text of JSON holds: what parsing it, and walking what it gives, costs. */
export interface JsonCounts {
  /** Values of every kind, lists and objects among them. */
  values: number;
  /** Keys of the widest object, repeated ones included. */
  keysPerObject: number;
  /** Elements of the longest list. */
  rowsPerList: number;
  /** Lists and objects within one another. */
  depth: number;
}

/** What a text holds as far as it was read, and the bound at which reading it stopped. */
export interface CountedJson extends JsonCounts {
  exceeded?: keyof JsonCounts;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const space = 0x20;

/**
 * Counts what a text of JSON holds without parsing it, and stops at the first bound that it exceeds. A text that
 * is no JSON is counted too: up to its first error it holds no more than is counted.
 *
 * @param text encoded as UTF-8 where it is bytes
 * @param bounds what is fine still. A stranger's text needs one of the depth: what is open is kept meanwhile
 */
export function countJson(
  text: string | Uint8Array,
  bounds: Readonly<Partial<JsonCounts>> = {},
): CountedJson {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const { length } = bytes;
  const counts: CountedJson = { values: 0, keysPerObject: 0, rowsPerList: 0, depth: 0 };
  const most = {
    values: Infinity,
    keysPerObject: Infinity,
    rowsPerList: Infinity,
    depth: Infinity,
  };
  Object.assign(most, bounds);
  /** Members of what is open around the innermost; those of a list are negative. */
  const outer: number[] = [];
  let members = 0;
  let isList = false;
  /** Whether the next value is an element, or the root: those of an object are counted by their colons. */
  let isDue = true;

  /** @returns whether it is one too many */
  const countMember = (): boolean => {
    isDue = false;
    members++;
    if (++counts.values > most.values) counts.exceeded = 'values';
    if (outer.length === 0) return counts.exceeded !== undefined;
    const width = isList ? 'rowsPerList' : 'keysPerObject';
    if (members > counts[width]) counts[width] = members;
    if (members > most[width]) counts.exceeded = width;
    return counts.exceeded !== undefined;
  };

  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? space;
    if (byte <= space) continue;
    if (byte === comma) {
      isDue = isList;
    } else if (byte === closeList || byte === closeObject) {
      const around = outer.pop() ?? 0;
      isList = around < 0;
      members = Math.abs(around);
      isDue = false;
    } else {
      if ((isDue || byte === colon) && countMember()) return counts;
      if (byte === quote) {
        for (at++; at < length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
      } else if (byte === openList || byte === openObject) {
        outer.push(isList ? -members : members);
        if (outer.length > counts.depth) counts.depth = outer.length;
        if (outer.length > most.depth) return { ...counts, exceeded: 'depth' };
        members = 0;
        isList = byte === openList;
        isDue = isList;
      }
    }
  }
  return counts;
}
