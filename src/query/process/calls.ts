import { isRecord, parseJson } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import { QueryError, queryMessages } from '../messages.ts';
import type { SentStatement } from '../protocol.ts';
import type { ArgumentValue, Scalar, TableCall } from '../provider.ts';
import { instantOf } from './answer.ts';

const maxValues = 100_000;

/** Sorts `9` before `10`. */
const collator = new Intl.Collator('en', { numeric: true });

/** The number of a call that has no rows: it is not loaded, or lacks a value. */
const noRows = -2;

/** Collects the calls that a statement asks for while it runs. */
export class Calls {
  /** The arguments of each table that differ from row to row. */
  readonly #correlated: ReadonlyMap<string, ReadonlySet<string>>;
  /** The number of each loaded call within its table. */
  readonly #loaded = new Map<string, number>();
  readonly #missing = new Map<string, TableCall>();
  /** The calls that macros write as texts; undefined for a call that can have no rows. */
  readonly #callsByText = new Map<string, TableCall | undefined>();
  /** By table, the argument that got no value. */
  readonly #emptyArguments = new Map<string, string>();
  #error: unknown;

  constructor(
    correlated: ReadonlyMap<string, ReadonlySet<string>>,
    loaded: SentStatement['loaded'],
  ) {
    this.#correlated = correlated;
    for (const { calls } of loaded.values())
      for (const [number, key] of calls.entries()) this.#loaded.set(key, number);
  }

  /** The number of a call. A call that is not loaded is remembered as missing. */
  numberOf(callText: string): number {
    if (!this.#callsByText.has(callText)) this.#callsByText.set(callText, this.#readCall(callText));
    const call = this.#callsByText.get(callText);
    if (call === undefined) return noRows;
    const number = this.#loaded.get(call.key);
    if (number === undefined && this.#missing.size < maxValues) this.#missing.set(call.key, call);
    return number ?? noRows;
  }

  /**
   * Removes the missing calls and gives them, sorted, since the engine's threads ask in any order.
   * @throws {QueryError} for a call that cannot be made
   */
  takeMissing(): TableCall[] {
    if (this.#error !== undefined) throw this.#error;
    const missing = [...this.#missing.values()].sort((a, b) => collator.compare(a.key, b.key));
    this.#missing.clear();
    return missing;
  }

  /** Warnings for tables that have no rows because an argument got no value in any of their calls. */
  emptyArgumentWarnings(): Warning[] {
    const requested = [...this.#callsByText.values()].map((call) => call?.table);
    return [...this.#emptyArguments]
      .filter(([table]) => !requested.includes(table))
      .map(([table, argument]) => queryMessages.no_values({ table, argument }));
  }

  #readCall(callText: string): TableCall | undefined {
    const [name, values] = [parseJson(callText)].flat();
    const table = String(name);
    const args: Record<string, ArgumentValue> = {};
    try {
      for (const [arg, value] of Object.entries(isRecord(values) ? values : {})) {
        if (value === null) continue;
        args[arg] = readValue(value, { table, argument: arg });
      }
    } catch (error) {
      // Native code calls this function, so `takeMissing` throws the error later.
      this.#error ??= error;
      return undefined;
    }
    const [empty] = Object.entries(args).find(([, value]) => [value].flat().length === 0) ?? [];
    if (empty !== undefined) {
      this.#emptyArguments.set(table, empty);
      return undefined;
    }
    const correlatedArguments = [...(this.#correlated.get(table) ?? [])];
    return { key: JSON.stringify([table, args]), table, args, correlatedArguments };
  }
}

/** A list becomes distinct and sorted. */
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
