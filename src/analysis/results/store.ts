import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { SharedValues } from '../../client/fleet/shared-values.ts';
import { CommerceError, InputError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { type ColumnProfile, profileColumns } from '../rows/column-profile.ts';
import type { Row } from '../rows/rows.ts';
import { type KeptRows, type ResultClaim, type ResultOrigin, readKept } from './kept-rows.ts';

/** The rows of an earlier answer, kept for `read_rows`, `query` and `commerce://results/{id}`. */
export interface KeptResult extends KeptRows {
  /** `commerce://results/{id}`. */
  readonly uri: string;
  /** What each column holds, see `profileColumns`; made when it is first asked for. */
  readonly columns: readonly ColumnProfile[];
}

/** The kept rows of one caller. */
export type ResultStore = ReturnType<AllResults['of']>;

interface Bounds {
  /** Bytes of memory, by estimate. */
  maxBytes: number;
  maxResults: number;
}

/** How much is kept of all callers, and for how long. */
export interface ResultStoreSettings extends Bounds {
  /** The most of one owner. @default as much as of all */
  own?: Bounds;
  /** Milliseconds from keeping to expiry. */
  ttlMs: number;
  /** Epoch milliseconds. */
  now: () => number;
  /** Where replicas find each other's results. */
  shared?: SharedValues;
}

const uriPrefix = 'commerce://results/';

/** What all callers keep: in this process, and through an archive in other replicas. */
export class AllResults {
  readonly #settings: ResultStoreSettings;
  readonly #own: Bounds;
  readonly #owners = new Map<string, LRUCache<string, KeptResult>>();

  constructor(settings: ResultStoreSettings) {
    this.#settings = settings;
    this.#own = settings.own ?? settings;
  }

  /** How many this process holds. */
  count(): number {
    return [...this.#owners.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** The store as one caller has it: their own results, as long as nothing was closed to them since. */
  of(caller: ResultClaim) {
    const { ttlMs, now, shared } = this.#settings;
    const { maxBytes, maxResults } = this.#own;
    return {
      /**
       * Keeps rows under a new id, and lets go of the least recently used ones where there is no room.
       * @throws {CommerceError} `too_large` when the rows alone are more than a caller may keep.
       */
      keep: async (rows: readonly Row[], origin: ResultOrigin): Promise<KeptResult> => {
        const bytes = estimateBytes(rows);
        if (bytes > maxBytes)
          throw new CommerceError(
            'too_large',
            `${rows.length} rows take about ${megabytes(bytes)} MB, and at most ${megabytes(maxBytes)} MB can be kept for one caller. Ask for fewer days or a narrower filter.`,
          );
        const { owner, toolsets } = caller;
        const kept = { ...origin, owner, toolsets, id: randomId(), rows };
        const entry = { ...kept, expiresAtMs: now() + ttlMs };
        const result = withProfile(entry);
        this.#hold(result, bytes);
        await shared?.put(entry.id, entry, ttlMs);
        return result;
      },
      /**
       * The rows kept under an id (its `commerce://results/` address will do).
       * @throws {InputError} when it is unknown, expired, had to make room, or belongs to another caller.
       */
      get: async (given: string): Promise<KeptResult> => {
        const id = given.trim().replace(uriPrefix, '');
        const result = this.#owners.get(caller.owner)?.get(id) ?? (await this.#fetch(id, caller));
        if (result && mayRead(caller, result)) return result;
        throw new InputError(
          `result_id: nothing is kept under "${quote(given)}". Rows are kept for ${Math.round(ttlMs / 60_000)} minutes and make room for newer ones: at most ${maxResults} results and ${megabytes(maxBytes)} MB of one caller; a server that was started anew has none. Call the tool that gave them again and use the result id of its answer.`,
          'result_id',
        );
      },
      /** The ids of what this process holds, the most recently used first. */
      ids: (): string[] => {
        const held = [...(this.#owners.get(caller.owner)?.entries() ?? [])];
        return held.filter(([, claim]) => mayRead(caller, claim)).map(([id]) => id);
      },
    };
  }

  /** What another replica keeps, held here as well until it expires. */
  async #fetch(id: string, caller: ResultClaim): Promise<KeptResult | undefined> {
    const { shared, now, ttlMs } = this.#settings;
    const found = await shared?.get(id, (value) => readKept(id, value));
    if (found === undefined || found.expiresAtMs <= now() || !mayRead(caller, found))
      return undefined;
    const bytes = estimateBytes(found.rows);
    // Whatever an entry says, nothing is kept for longer than what is kept now.
    const expiresAtMs = Math.min(found.expiresAtMs, now() + ttlMs);
    const result = withProfile({ ...found, expiresAtMs });
    if (bytes <= this.#own.maxBytes) this.#hold(result, bytes);
    return result;
  }

  /** When all is full, the owner who holds the most makes room: no caller can push others out. */
  #hold(result: KeptResult, bytes: number): void {
    const { maxBytes, maxResults, now } = this.#settings;
    const cache = this.#owners.get(result.owner) ?? this.#newCache();
    this.#owners.set(result.owner, cache);
    // lru-cache lets go of what is as old as its time; here that is the last moment of it.
    const ttl = result.expiresAtMs - now();
    cache.set(result.id, result, { size: bytes, ttl });
    for (const [owner, held] of this.#owners) {
      held.purgeStale();
      if (held.size === 0) this.#owners.delete(owner);
    }
    const most = (measure: 'size' | 'calculatedSize') =>
      [...this.#owners.values()].reduce((a, b) => (b[measure] > a[measure] ? b : a), cache);
    while (this.count() > maxResults) most('size').pop();
    while (this.#bytes() > maxBytes) most('calculatedSize').pop();
  }

  #bytes(): number {
    return [...this.#owners.values()].reduce((sum, held) => sum + held.calculatedSize, 0);
  }

  #newCache(): LRUCache<string, KeptResult> {
    const { maxBytes: maxSize, maxResults: max } = this.#own;
    const perf = { now: this.#settings.now };
    return new LRUCache({ max, maxSize, ttl: this.#settings.ttlMs, ttlResolution: 0, perf });
  }
}

/** The rows with their address and the profile of their columns. */
function withProfile(kept: KeptRows): KeptResult {
  let columns: readonly ColumnProfile[] | undefined;
  return {
    ...kept,
    uri: `${uriPrefix}${kept.id}`,
    get columns() {
      columns ??= profileColumns(kept.rows);
      return columns;
    },
  };
}

/** What is not stated is refused: rows without an owner are for no caller. */
function mayRead(reader: ResultClaim, { owner, toolsets }: ResultClaim): boolean {
  return (
    owner !== '' && owner === reader.owner && toolsets.every((it) => reader.toolsets.includes(it))
  );
}

/** Bytes of memory that a JSON value takes, by estimate: rather too many than too few. */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 32;
  if (Array.isArray(value)) for (const part of value) bytes += 16 + estimateBytes(part);
  else if (isRecord(value)) for (const key in value) bytes += 16 + estimateBytes(value[key]);
  return bytes;
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}

// Without i, l, o and u: nothing to misread, and no words by accident.
const base32 = '0123456789abcdefghjkmnpqrstvwxyz';

function randomId(): string {
  return `r_${Array.from({ length: 10 }, () => base32[randomInt(32)]).join('')}`;
}
