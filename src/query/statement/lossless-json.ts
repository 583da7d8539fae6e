/**
 * JSON in which whole numbers beyond 2^53 survive: the engine writes places in the text and large
 * constants as such numbers. In between they stand as `{"$integer": "18446744073709551615"}`.
 */

// Strings are stepped over whole: a quote inside one is escaped, so neither form occurs in one.
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const longInteger = /^-?\d{16,}$/;
const kept = /\{"\$integer":"(-?\d+)"\}/g;

/** `JSON.parse`, with large integers kept. @throws {SyntaxError} as `JSON.parse` does */
export function parseLossless(text: string): unknown {
  return JSON.parse(
    text.replace(stringOrNumber, (token) =>
      longInteger.test(token) ? `{"$integer":"${token}"}` : token,
    ),
  );
}

/** `JSON.stringify`, with large integers as they were. */
export function stringifyLossless(value: unknown): string {
  return JSON.stringify(value).replace(kept, '$1');
}
