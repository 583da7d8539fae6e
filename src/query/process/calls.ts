/** The calls that a statement asks for while it runs, and those that are loaded. */
import { isRecord, parseJson } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import { QueryError } from '../errors.ts';
import { queryMessages } from '../messages.ts';
import type { SentStatement } from '../protocol.ts';
import type { ArgumentValue, Scalar, TableCall } from '../provider.ts';
import { instantOf } from './answer.ts';

const maxValues = 100_000;

/** Numbers in texts by what they are: `9` before `10`. */
const collator = new Intl.Collator('en', { numeric: true });

/** No row has this number: of a call that is not loaded, or that asks for nothing. */
const noRows = -2;

export class Calls {
  /** The arguments of each table that differ from row to row. */
  readonly #correlated: ReadonlyMap<string, ReadonlySet<string>>;
  /** The place of each call that is loaded among those of its table. */
  readonly #loaded = new Map<string, number>();
  readonly #missing = new Map<string, TableCall>();
  /** The calls by the texts that macros write; undefined where there can be no rows. */
  readonly #read = new Map<string, TableCall | undefined>();
  /** Arguments that got no value, by tables of which nothing else was asked. */
  readonly #withoutValue = new Map<string, string>();
  #error: unknown;

  constructor(
    correlated: ReadonlyMap<string, ReadonlySet<string>>,
    loaded: SentStatement['loaded'],
  ) {
    this.#correlated = correlated;
    for (const { calls } of loaded.values())
      for (const [number, key] of calls.entries()) this.#loaded.set(key, number);
  }

  /** The number of a call; one that is not loaded is noted. */
  numberOf(written: string): number {
    if (!this.#read.has(written)) this.#read.set(written, this.#readCall(written));
    const call = this.#read.get(written);
    if (call === undefined) return noRows;
    const number = this.#loaded.get(call.key);
    if (number === undefined && this.#missing.size < maxValues) this.#missing.set(call.key, call);
    return number ?? noRows;
  }

  /**
   * The calls that were asked for since, and are not loaded, by table and arguments: the engine's threads ask in
   * any order. @throws {QueryError} when one cannot be
   */
  take(): TableCall[] {
    if (this.#error !== undefined) throw this.#error;
    const missing = [...this.#missing.values()].sort((a, b) => collator.compare(a.key, b.key));
    this.#missing.clear();
    return missing;
  }

  /** Tables that have no rows because an argument got no value in any of their calls. */
  withoutValue(): Warning[] {
    const requested = [...this.#read.values()].map((call) => call?.table);
    return [...this.#withoutValue]
      .filter(([table]) => !requested.includes(table))
      .map(([table, argument]) => queryMessages.no_values({ table, argument }));
  }

  #readCall(written: string): TableCall | undefined {
    const [name, values] = [parseJson(written)].flat();
    const table = String(name);
    const args: Record<string, ArgumentValue> = {};
    try {
      for (const [arg, value] of Object.entries(isRecord(values) ? values : {})) {
        if (value === null) continue;
        args[arg] = readValue(value, { table, argument: arg });
      }
    } catch (error) {
      // The engine calls this function: the error is thrown once the run has ended.
      this.#error ??= error;
      return undefined;
    }
    const [empty] = Object.entries(args).find(([, value]) => [value].flat().length === 0) ?? [];
    if (empty !== undefined) {
      this.#withoutValue.set(table, empty);
      return undefined;
    }
    const correlatedArguments = [...(this.#correlated.get(table) ?? [])];
    return { key: JSON.stringify([table, args]), table, args, correlatedArguments };
  }
}

/** The value of an argument; a list is distinct and in order. */
function readValue(value: unknown, place: Place): ArgumentValue {
  if (!Array.isArray(value)) return scalar(value, place);
  const values = value.flat().flatMap((item) => scalar(item, place) ?? []);
  if (values.length <= maxValues) return [...new Set(values)].sort();
  throw new QueryError(queryMessages.too_many_values({ ...place, max: maxValues }));
}

interface Place {
  table: string;
  argument: string;
}

function scalar(value: unknown, place: Place): Scalar {
  if (typeof value === 'string') return instantOf(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  throw new QueryError(queryMessages.no_plain_value({ ...place }));
}
