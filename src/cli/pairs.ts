import { isRecord, type JsonObject, parseJson } from '../core/json.ts';
import { UsageError } from './command-line.ts';

/**
 * `key=value` pairs as arguments of a tool; a value that is a JSON list or object counts as what it
 * encodes.
 *
 * @throws {UsageError} that quotes what is no pair.
 */
export function readPairs(pairs: readonly string[]): JsonObject {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`"${pair}" is not key=value, such as period=last_week`);
      const text = pair.slice(at + 1);
      const parsed = parseJson(text);
      const isCompound = Array.isArray(parsed) || isRecord(parsed);
      return [pair.slice(0, at), isCompound ? parsed : text];
    }),
  );
}
