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
