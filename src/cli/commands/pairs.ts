import { isDay } from '../../core/calendar.ts';
import { isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import { periodWords } from '../../core/periods.ts';
import { UsageError } from '../command-line.ts';

/** `key=value` pairs as arguments; a value that is a JSON list or object counts as what it encodes. */
export function readPairs(pairs: readonly string[], names: readonly string[]): JsonObject {
  const input = new Map<string, unknown>();
  for (const pair of pairs) {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === '')
      throw new UsageError({
        code: 'not_key_value',
        text: pair,
        names,
        meant: meantBy(pair, names),
      });
    if (input.has(name)) throw new UsageError({ code: 'given_twice', name });
    const parsed = parseJson(text);
    input.set(name, Array.isArray(parsed) || isRecord(parsed) ? parsed : text);
  }
  return Object.fromEntries(input);
}

/** The argument that a value without one may have meant: one that the tool has, of its kind. */
function meantBy(value: string, names: readonly string[]): string | undefined {
  const isTime = isDay(value) || periodWords.includes(value) || /^last_\d+_\w+$/.test(value);
  const ids = /^\d+$/.test(value) ? names.filter((it) => it.endsWith('_id')) : undefined;
  const ofKind = isTime ? ['period', 'date', 'since'] : (ids ?? ['q', 'query', 'sql']);
  return ofKind.find((it) => names.includes(it));
}
