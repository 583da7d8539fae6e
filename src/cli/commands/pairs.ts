import { isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import { UsageError } from '../command-line.ts';

/**
 * `key=value` pairs as arguments of a tool; a value that is a JSON list or object counts as what it
 * encodes.
 *
 * @throws {UsageError} that quotes what is no pair, or names what is given twice.
 */
export function readPairs(pairs: readonly string[]): JsonObject {
  const seen = new Set<string>();
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`"${pair}" is not key=value, such as period=last_week`);
      const name = pair.slice(0, at);
      if (seen.has(name)) throw new UsageError(`${name} is given twice`);
      seen.add(name);
      const text = pair.slice(at + 1);
      const parsed = parseJson(text);
      const isCompound = Array.isArray(parsed) || isRecord(parsed);
      return [name, isCompound ? parsed : text];
    }),
  );
}
