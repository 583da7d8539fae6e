/** The calls that a statement asks for while it runs, and those that are loaded. */
import { isRecord, parseJson } from '../../core/json.ts';
import { QueryError } from '../errors.ts';
import type { ArgumentValue, Scalar, TableCall } from '../provider.ts';
import { instantOf } from './answer.ts';

/** Most values of one argument. */
const maxValues = 100_000;

/** Most calls that one run may ask for. */
const maxCalls = 200_000;

/** No row has this number: the call of an empty list has no rows. */
const noRows = -3;

export class Calls {
  #loaded = new Map<string, number>();
  #asked = new Map<string, TableCall>();
  /** What macros write, with the call that it means; none where there can be no rows. */
  #read = new Map<string, TableCall | undefined>();
  #error: QueryError | undefined;

  /** The calls of one table, numbered by their place. */
  load(keys: readonly string[]): void {
    for (const [number, key] of keys.entries()) this.#loaded.set(key, number);
  }

  /** The number of a call; one that is not loaded is noted, and has none. */
  numberOf(written: string): number | undefined {
    let call = this.#read.get(written);
    if (call === undefined && !this.#read.has(written)) {
      call = this.#readCall(written);
      this.#read.set(written, call);
    }
    if (call === undefined) return noRows;
    const number = this.#loaded.get(call.key);
    if (number === undefined && this.#asked.size < maxCalls) this.#asked.set(call.key, call);
    return number;
  }

  /** The calls that were asked for since, and are not loaded. @throws {QueryError} when one cannot be */
  take(): TableCall[] {
    if (this.#error !== undefined) throw this.#error;
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    return asked;
  }

  #readCall(written: string): TableCall | undefined {
    const [table, given] = [parseJson(written)].flat();
    const args: [string, ArgumentValue][] = [];
    try {
      for (const [name, value] of Object.entries(isRecord(given) ? given : {})) {
        const read = readValue(value, `${table}: ${name}`);
        if (read === undefined) return undefined;
        if (read !== null) args.push([name, read]);
      }
    } catch (error) {
      // The engine calls this function: the error is thrown once the run has ended.
      if (error instanceof QueryError) this.#error ??= error;
      return undefined;
    }
    const carried = args.flatMap(([name, value]) => (Array.isArray(value) ? [name] : []));
    const key = JSON.stringify([table, args]);
    return { key, table: String(table), args: Object.fromEntries(args), carried };
  }
}

/** The value of an argument; undefined for a list of nothing. */
function readValue(value: unknown, place: string): ArgumentValue | undefined {
  if (!Array.isArray(value)) return scalar(value, place);
  const values = value.flat().flatMap((item) => scalar(item, place) ?? []);
  if (values.length > maxValues) {
    throw new QueryError(
      'bad_argument',
      `${place} has more than ${maxValues} values. Narrow its subquery.`,
    );
  }
  return values.length === 0 ? undefined : [...new Set(values)].sort(inOrder);
}

function scalar(value: unknown, place: string): Scalar {
  if (typeof value === 'string') return instantOf(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  throw new QueryError(
    'bad_argument',
    `${place} takes plain values, not objects or lists of lists.`,
  );
}

function inOrder(a: Scalar, b: Scalar): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : 1;
}
