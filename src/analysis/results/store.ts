import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { CommerceError, InputError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import type { Answer, AnswerContext } from '../answer.ts';
import { type ColumnProfile, type Profile, profileColumns } from '../rows/column-profile.ts';
import type { Row } from '../rows/rows.ts';

/** Where kept rows came from: the call that read them, and what was known about its answer. */
export interface ResultOrigin {
  tool: string;
  arguments: JsonObject;
  context: AnswerContext;
  /** Present when the platform has rows that these lack. */
  rest?: NonNullable<Answer['rest']>;
  /** Whose it is, where callers are told apart. */
  owner?: string;
}

/** The rows of an earlier answer, kept for `read_rows`, `query` and `commerce://results/{id}`. */
export interface KeptResult extends ResultOrigin {
  /** `r_` and ten characters that cannot be guessed. */
  id: string;
  /** `commerce://results/{id}`. */
  uri: string;
  rows: readonly Row[];
  /** What each column holds, see {@link profileColumns}. */
  columns: ColumnProfile[];
  /** How many columns the profile leaves out to stay small. */
  columnsLeftOut: number;
  /** Epoch milliseconds; being read does not put it off. */
  expiresAtMs: number;
}

/** Whose a result is, and what gave it: what decides who may see it. */
export type ResultClaim = Pick<ResultOrigin, 'owner' | 'tool'>;

/** Keeps rows for a while. Asynchronous, so that replicas can share one store. */
export interface ResultStore {
  /**
   * Keeps rows under a new id, and lets go of the least recently used ones where there is no room.
   * @throws CommerceError `too_large` when the rows alone are more than the store holds.
   */
  keep(rows: readonly Row[], origin: ResultOrigin): Promise<KeptResult>;
  /**
   * The rows kept under an id (its `commerce://results/` address will do).
   * @param isVisible what it refuses is as if it were not kept
   * @throws InputError when it is unknown, expired or had to make room.
   */
  get(id: string, isVisible?: (claim: ResultClaim) => boolean): Promise<KeptResult>;
  /** The ids of what is kept, the most recently used first. */
  ids(isVisible?: (claim: ResultClaim) => boolean): Promise<string[]>;
}

/** Where replicas find each other's results. Nothing here rejects. */
export interface ResultArchive {
  put(result: KeptResult, forMs: number): Promise<void>;
  get(id: string): Promise<KeptResult | undefined>;
  /** Whose each result is, by id, the newest first. */
  list(): Promise<Map<string, ResultClaim>>;
}

/** How much is kept, and for how long. */
export interface ResultStoreSettings {
  /** Bytes of memory that all kept rows may take together, by estimate. */
  maxBytes: number;
  maxResults: number;
  /** Milliseconds from keeping to expiry. */
  ttlMs: number;
  /** Epoch milliseconds. */
  now: () => number;
  /** Where other replicas find what this one keeps, and this one what they keep. */
  archive?: ResultArchive;
  /** @default ten random characters after `r_` */
  newId?: () => string;
}

const uriPrefix = 'commerce://results/';

/** A store in this process's memory, bounded in bytes, results and time. */
export function createResultStore({
  maxBytes,
  maxResults,
  ttlMs,
  now,
  archive,
  newId = randomId,
}: ResultStoreSettings): ResultStore {
  const kept = new LRUCache<string, KeptResult>({
    max: maxResults,
    maxSize: maxBytes,
    ttl: ttlMs,
    ttlResolution: 0,
    perf: { now },
  });

  /** What another replica keeps, held here as well until it expires. */
  async function fetched(id: string): Promise<KeptResult | undefined> {
    const result = await archive?.get(id);
    if (result === undefined || result.expiresAtMs <= now()) return undefined;
    kept.set(id, result, { size: estimateBytes(result.rows), ttl: result.expiresAtMs - now() });
    return result;
  }

  return {
    async keep(rows, origin) {
      const size = estimateBytes(rows);
      if (size > maxBytes) throw tooLarge(rows.length, size, maxBytes);
      const id = newId();
      // Made when it is first asked for: what statements read is kept without anyone looking at it.
      let profile: Profile | undefined;
      const profiled = () => {
        profile ??= profileColumns(rows);
        return profile;
      };
      const result: KeptResult = {
        ...origin,
        id,
        uri: `${uriPrefix}${id}`,
        rows,
        get columns() {
          return profiled().columns;
        },
        get columnsLeftOut() {
          return profiled().leftOut;
        },
        expiresAtMs: now() + ttlMs,
      };
      // Expired rows are let go before anything that is still of use.
      kept.purgeStale();
      kept.set(id, result, { size });
      await archive?.put(result, ttlMs);
      return result;
    },
    async get(given, isVisible = () => true) {
      const id = given.trim().replace(uriPrefix, '');
      const result = kept.get(id) ?? (await fetched(id));
      if (result && isVisible(result)) return result;
      throw new InputError(
        `result_id: nothing is kept under "${quote(given)}". Rows are kept for ${Math.round(ttlMs / 60_000)} minutes and make room for newer ones. Call the tool that gave them again and use the result id of its answer.`,
        'result_id',
      );
    },
    async ids(isVisible = () => true) {
      kept.purgeStale();
      const own = [...kept.values()].filter(isVisible).map(({ id }) => id);
      const others = (await archive?.list()) ?? new Map<string, ResultClaim>();
      const theirs = [...others].filter(([, claim]) => isVisible(claim)).map(([id]) => id);
      return [...new Set([...own, ...theirs])];
    },
  };
}

/** Bytes of memory that a JSON value takes, by estimate: rather too many than too few. */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 32;
  for (const part of Object.values(value)) bytes += 16 + estimateBytes(part);
  return bytes;
}

function tooLarge(rows: number, bytes: number, maxBytes: number): CommerceError {
  const megabytes = (count: number) => Math.ceil(count / 2 ** 20);
  return new CommerceError(
    'too_large',
    `${rows} rows take about ${megabytes(bytes)} MB, and at most ${megabytes(maxBytes)} MB can be kept. Ask for fewer days or a narrower filter.`,
  );
}

// Without i, l, o and u: nothing to misread, and no words by accident.
const base32 = '0123456789abcdefghjkmnpqrstvwxyz';

function randomId(): string {
  return `r_${Array.from(randomBytes(10), (byte) => base32[byte % 32]).join('')}`;
}
