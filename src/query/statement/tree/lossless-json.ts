/**
 * JSON in which every number survives as it was written: the engine writes places in the text and
 * large constants beyond 2^53, and reads `10` where it wants `10.0` as an error. What JavaScript
 * would write otherwise stands as `{"$number": "18446744073709551615"}` in between.
 */
import { isRecord } from '../../../core/json.ts';

// Strings are stepped over whole: a quote inside one is escaped, so neither form occurs in one.
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
/** Long numbers, decimals and exponents; without any, nothing can be lost. */
const mayLose = /\d{16}|\d\.\d|\d[eE]|-0/;
const kept = /\{"\$number":"([-+.\deE]+)"\}/g;

/** `JSON.parse`, with numbers kept. @throws {SyntaxError} as `JSON.parse` does */
export function parseLossless(text: string): unknown {
  if (!mayLose.test(text)) return JSON.parse(text);
  return JSON.parse(
    text.replace(stringOrNumber, (token) =>
      token.startsWith('"') || String(Number(token)) === token ? token : `{"$number":"${token}"}`,
    ),
  );
}

/** `JSON.stringify`, with numbers as they were. */
export function stringifyLossless(value: unknown): string {
  return JSON.stringify(value).replace(kept, '$1');
}

/** The text of a number that {@link parseLossless} gave. */
export function numberText(value: unknown): string {
  return String(isRecord(value) ? value.$number : value);
}
