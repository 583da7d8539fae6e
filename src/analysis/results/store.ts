import { randomBytes } from 'node:crypto';
import { CommerceError, InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { quoted } from '../../core/text.ts';
import type { Answer, AnswerContext } from '../answer.ts';
import type { ColumnProfile, Profile } from '../rows/column-profile.ts';
import type { Row } from '../rows/rows.ts';
import { mayRead, type ResultClaim } from './claim.ts';
import { createRoom, type RoomBounds } from './room.ts';

/** Where kept rows came from: the call that read them, and what was known about its answer. */
export interface ResultOrigin {
  tool: string;
  arguments: JsonObject;
  context: AnswerContext;
  /** Present when the platform has rows that these lack. */
  rest?: NonNullable<Answer['rest']>;
}

/** The rows of an earlier answer, kept for `read_rows`, `query` and `commerce://results/{id}`. */
export interface KeptResult extends ResultOrigin, ResultClaim {
  /** `r_` and ten characters that cannot be guessed. */
  id: string;
  /** `commerce://results/{id}`. */
  uri: string;
  rows: readonly Row[];
  /** What each column holds, see `profileColumns`. */
  columns: ColumnProfile[];
  /** How many columns the profile leaves out to stay small. */
  columnsLeftOut: number;
  /** Epoch milliseconds; being read does not put it off. */
  expiresAtMs: number;
}

/** The kept rows of one caller. Asynchronous, so that replicas can share one store. */
export interface ResultStore {
  /**
   * Keeps rows under a new id, and lets go of the least recently used ones where there is no room.
   * @throws CommerceError `too_large` when the rows alone are more than the store holds.
   */
  keep(rows: readonly Row[], origin: ResultOrigin): Promise<KeptResult>;
  /**
   * The rows kept under an id (its `commerce://results/` address will do).
   * @throws InputError when it is unknown, expired, had to make room, or is somebody else's.
   */
  get(id: string): Promise<KeptResult>;
  /** The ids of what is kept, the most recently used first. */
  ids(): Promise<string[]>;
}

/** What all callers keep. */
export interface AllResults {
  /** The store as one caller has it: see {@link mayRead}. */
  of(caller: ResultClaim): ResultStore;
  /** How many this process holds. */
  count(): number;
}

/** Where replicas find each other's results. Nothing here rejects. */
export interface ResultArchive {
  put(result: KeptResult, forMs: number): Promise<void>;
  get(id: string): Promise<KeptResult | undefined>;
  /** Whose each result is, by id, the newest first. */
  list(): Promise<Map<string, ResultClaim>>;
}

/** How much is kept, and for how long. */
export interface ResultStoreSettings extends RoomBounds {
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

/** A store in this process's memory, bounded in bytes, results and time, of each caller and in all. */
export function createResultStore(settings: ResultStoreSettings): AllResults {
  const { maxBytes, maxResults, ttlMs, now, archive, newId = randomId } = settings;
  const own = settings.own ?? { maxBytes, maxResults };
  const room = createRoom<KeptResult>(settings, now);

  function hold(result: KeptResult, bytes: number): void {
    const { id, owner, expiresAtMs } = result;
    room.put(id, { value: result, owner, bytes, untilMs: expiresAtMs });
  }

  /** What another replica keeps, held here as well until it expires. */
  async function fetched(id: string, caller: ResultClaim): Promise<KeptResult | undefined> {
    const result = await archive?.get(id);
    if (result === undefined || result.expiresAtMs <= now() || !mayRead(caller, result))
      return undefined;
    const bytes = estimateBytes(result.rows);
    // Whatever an entry says, nothing is kept for longer than what is kept now.
    const fresh = { ...result, expiresAtMs: Math.min(result.expiresAtMs, now() + ttlMs) };
    if (bytes <= own.maxBytes) hold(fresh, bytes);
    return fresh;
  }

  const minutes = Math.round(ttlMs / 60_000);
  const storeOf = (caller: ResultClaim): ResultStore => ({
    async keep(rows, origin) {
      const bytes = estimateBytes(rows);
      if (bytes > own.maxBytes) throw tooLarge(rows.length, bytes, own.maxBytes);
      const { profileColumns } = await import('../rows/column-profile.ts');
      const id = newId();
      // Made when it is first asked for: what statements read is kept without anyone looking at it.
      let profile: Profile | undefined;
      const profiled = () => {
        profile ??= profileColumns(rows);
        return profile;
      };
      const result: KeptResult = {
        ...origin,
        owner: caller.owner,
        toolsets: caller.toolsets,
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
      hold(result, bytes);
      await archive?.put(result, ttlMs);
      return result;
    },
    async get(given) {
      const id = given.trim().replace(uriPrefix, '');
      const result = room.get(id) ?? (isId(id) ? await fetched(id, caller) : undefined);
      if (result && mayRead(caller, result)) return result;
      throw new InputError(
        `result_id: nothing is kept under ${quoted(given)}. Rows are kept for ${minutes} minutes and make room for newer ones: at most ${own.maxResults} results and ${megabytes(own.maxBytes)} MB of one caller; a server that was started anew has none. Call the tool that gave them again and use the result id of its answer.`,
        'result_id',
      );
    },
    async ids() {
      const held = room.values().filter((result) => mayRead(caller, result));
      const others = (await archive?.list()) ?? new Map<string, ResultClaim>();
      const theirs = [...others].filter(([, claim]) => mayRead(caller, claim)).map(([id]) => id);
      return [...new Set([...held.map(({ id }) => id), ...theirs])];
    },
  });
  return { of: storeOf, count: () => room.values().length };
}

/** Nothing else is looked for elsewhere. */
function isId(text: string): boolean {
  return /^r_[0-9a-z]{10}$/.test(text);
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

function tooLarge(rows: number, bytes: number, maxBytes: number): CommerceError {
  return new CommerceError(
    'too_large',
    `${rows} rows take about ${megabytes(bytes)} MB, and at most ${megabytes(maxBytes)} MB can be kept for one caller. Ask for fewer days or a narrower filter.`,
  );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}

// Without i, l, o and u: nothing to misread, and no words by accident.
const base32 = '0123456789abcdefghjkmnpqrstvwxyz';

function randomId(): string {
  return `r_${Array.from(randomBytes(10), (byte) => base32[byte % 32]).join('')}`;
}
