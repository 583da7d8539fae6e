/** The rows of earlier answers, kept for `read_rows`, `query` and `commerce://results/{id}`. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { SharedValues } from '../../client/request/get.ts';
import { CommerceError, InputError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { messagesOf, type Warning, warningCodes } from '../../core/message.ts';
import type { MemoryPool } from '../../core/process/memory-pool.ts';
import { quote, sentences } from '../../core/text.ts';
import { toolsets } from '../../endpoints/define.ts';
import { type AnswerContext, answerContext } from '../answer.ts';
import { csvChunks } from '../rows/csv.ts';
import { type Row, readColumns } from '../rows/rows.ts';

interface ResultGone {
  address: string;
  /** The bounds for one caller. */
  minutes: number;
  results: number;
  megabytes: number;
  /** Why Redis does not show results of other servers. */
  trouble: 'away' | 'full' | undefined;
}

export const resultMessages = messagesOf({
  too_many_to_keep: ({ rows, megabytes, max }: Record<'rows' | 'megabytes' | 'max', number>) =>
    `${rows} rows take about ${megabytes} MB, and at most ${max} MB can be kept for one caller. Ask for fewer days or a narrower filter.`,
  result_gone: ({ address, minutes, results, megabytes, trouble }: ResultGone) =>
    sentences(
      `result_id: nothing is kept under "${quote(address)}".`,
      trouble &&
        `The Redis that servers share results through is ${trouble}, so another server may keep it.`,
      `Rows are kept for ${minutes} minutes and make room for newer ones: at most ${results} results and ${megabytes} MB of one caller; a server that was started anew has none. Call the tool that gave them again and use the result id of its answer.`,
    ),
  result_too_long: ({ id, rows }: { id: string; rows: number }) =>
    `${id} has ${rows} rows, too many for one text. read_rows gives them in parts, and query what can be computed from them.`,
});

const short = z.string().max(500);
const call = z.object({ tool: short, arguments: z.record(z.string(), z.unknown()) });

/** Accepts the codes of this version. */
const warning = z.custom<Warning>(
  (value) =>
    isRecord(value) &&
    typeof value.text === 'string' &&
    warningCodes.some((code) => code === value.code),
);

const context = answerContext.extend({
  endpoint: short,
  as_of: short,
  warnings: z.array(warning).readonly().optional(),
});

/** A result as other replicas read it. */
const entry = call.extend({
  /** Cannot be guessed. */
  id: z.string().regex(/^r_[0-9a-f]{10}$/),
  /** The caller, and his toolsets at the time. */
  owner: z.string().min(1).max(500),
  toolsets: z.array(z.enum(toolsets)).readonly(),
  context,
  /** Set where the platform has further rows. */
  rest: z.object({ next: call.optional() }).exactOptional(),
  /** Columns whose ids are of another kind than their names say. */
  misnamed: z.array(short).readonly().optional(),
  // A schema for each field would block the event loop for a second at 100,000 rows.
  rows: z.custom<readonly Row[]>((rows) => Array.isArray(rows) && rows.every(isRecord)),
  /** Epoch milliseconds; reading does not extend it. */
  expiresAtMs: z.number(),
});

/** A result as it is kept. */
export type KeptResult = z.output<typeof entry>;

type ResultClaim = Pick<KeptResult, 'owner' | 'toolsets'>;

type ResultOrigin = Pick<KeptResult, 'tool' | 'arguments' | 'context' | 'rest' | 'misnamed'>;

const uriPrefix = 'commerce://results/';

/** A longer result is refused as one text. */
const maxLength = 8_000_000;

export function resultUri({ id }: Pick<KeptResult, 'id'>): string {
  return `${uriPrefix}${id}`;
}

/** The kept rows of one caller. */
export type ResultStore = ReturnType<AllResults['forCaller']>;

export interface ResultStoreSettings {
  /** Estimated memory of all callers. */
  pool: MemoryPool;
  callerBytes: number;
  callerResults: number;
  ttlMs: number;
  now: () => number;
  shared?: SharedValues | undefined;
}

/** The kept results of all callers, in this process and in other replicas. */
export class AllResults {
  readonly #settings: ResultStoreSettings;
  readonly #secret = randomBytes(32);
  readonly #owners = new Map<string, LRUCache<string, KeptResult>>();
  /** Large texts, whose sending blocks the event loop, are given out one by one. */
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(settings: ResultStoreSettings) {
    this.#settings = settings;
  }

  count(): number {
    return [...this.#owners.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** A caller reads only his own results, and only while he has the toolsets that they were made with. */
  forCaller(caller: ResultClaim) {
    return {
      /**
       * Keeps rows under a new id, and drops the least recently used results where there is no room.
       * @param key identifies the rows, so that they are kept once
       * @throws {CommerceError} `too_large` when the rows are more than a caller may keep
       */
      keep: (rows: readonly Row[], origin: ResultOrigin, key: string = randomUUID()) =>
        this.#keep(caller, rows, origin, key),
      /**
       * @param address an id or its `commerce://results/` address
       * @throws {InputError} for a result that is unknown, expired, dropped, or another caller's
       */
      get: (address: string) => this.#get(caller, address),
      /**
       * All rows of a result as one text: JSON, or CSV under `r_….csv`.
       * @param finish turns the context into that of clients
       * @throws {InputError} as `get`, and for a text that is too long
       */
      read: async (address: string, finish: (context: AnswerContext) => object) => {
        const [, id = address, form = 'json'] = /^([^.]*)\.(csv|json)$/.exec(address) ?? [];
        const result = await this.#get(caller, id);
        const { rows, tool, context } = result;
        const isCsv = form === 'csv';
        const text = isCsv
          ? [...csvChunks(readColumns(rows))].join('')
          : JSON.stringify({ tool, data: rows, context: finish(context) });
        if (text.length > maxLength)
          throw new InputError(resultMessages.result_too_long({ id, rows: rows.length }));
        this.#lastTurn = this.#lastTurn.then(() => setImmediate());
        await this.#lastTurn;
        const mimeType = isCsv ? 'text/csv' : 'application/json';
        return { uri: `${resultUri(result)}.${form}`, mimeType, text };
      },
      /** Ids in this process, the most recently used first. */
      ids: (): string[] => {
        const results = [...(this.#owners.get(caller.owner)?.entries() ?? [])];
        return results.filter(([, result]) => mayRead(caller, result)).map(([id]) => id);
      },
    };
  }

  async #keep(
    caller: ResultClaim,
    rows: readonly Row[],
    origin: ResultOrigin,
    key: string,
  ): Promise<KeptResult> {
    const { callerBytes, ttlMs, now, shared } = this.#settings;
    const text = JSON.stringify([key, caller.owner, caller.toolsets]);
    const hash = createHmac('sha256', this.#secret).update(text).digest('hex');
    const id = `r_${hash.slice(0, 10)}`;
    const kept = this.#owners.get(caller.owner)?.get(id);
    if (kept) return kept;
    const result = { ...origin, ...caller, id, rows, expiresAtMs: now() + ttlMs };
    const bytes = estimateBytes(result);
    if (bytes > callerBytes) {
      const sizes = { megabytes: megabytes(bytes), max: megabytes(callerBytes) };
      const reason = resultMessages.too_many_to_keep({ rows: rows.length, ...sizes });
      throw new CommerceError('too_large', reason);
    }
    this.#hold(result, bytes);
    await shared?.put(id, result, ttlMs);
    // It may have been dropped meanwhile.
    if (!this.#owners.get(caller.owner)?.has(id)) await shared?.remove(id);
    return result;
  }

  async #get(caller: ResultClaim, address: string): Promise<KeptResult> {
    const { callerBytes, callerResults, ttlMs, shared } = this.#settings;
    const id = address.trim().replace(uriPrefix, '');
    const result = this.#owners.get(caller.owner)?.get(id) ?? (await this.#fetch(id, caller));
    if (result && mayRead(caller, result)) return result;
    const minutes = Math.round(ttlMs / 60_000);
    const limits = { minutes, results: callerResults, megabytes: megabytes(callerBytes) };
    const trouble = await shared?.trouble();
    const reason = resultMessages.result_gone({ address, ...limits, trouble });
    throw new InputError(reason, 'result_id', 'result_gone');
  }

  /** Fetches a result of another replica, and holds it here too. */
  async #fetch(id: string, caller: ResultClaim): Promise<KeptResult | undefined> {
    const { shared, now, ttlMs, callerBytes } = this.#settings;
    const remote = await shared?.get(id, (value) => entry.safeParse(value).data);
    if (remote?.id !== id || remote.expiresAtMs <= now() || !mayRead(caller, remote))
      return undefined;
    // A foreign entry may not claim a longer life than a new one.
    const result = { ...remote, expiresAtMs: Math.min(remote.expiresAtMs, now() + ttlMs) };
    const bytes = estimateBytes(result);
    if (bytes <= callerBytes) this.#hold(result, bytes);
    return result;
  }

  clear(): void {
    for (const cache of this.#owners.values()) this.#settings.pool.caches.delete(cache);
    this.#owners.clear();
  }

  /** When memory is full, the owner who holds the most loses results, so that no caller can push others out. */
  #hold(result: KeptResult, size: number): void {
    const { pool, callerBytes: maxSize, callerResults: max, now, shared } = this.#settings;
    const { id, owner, expiresAtMs } = result;
    const options = { max, maxSize, ttlResolution: 0, perf: { now } };
    const dispose = (_: KeptResult, name: string, reason: LRUCache.DisposeReason) => {
      // Redis must not fill up either.
      if (reason === 'evict') void shared?.remove(name);
    };
    const cache =
      this.#owners.get(owner) ?? new LRUCache<string, KeptResult>({ ...options, dispose });
    this.#owners.set(owner, cache.set(id, result, { size, ttl: expiresAtMs - now() }));
    pool.caches.add(cache);
    for (const [name, results] of this.#owners) {
      results.purgeStale();
      if (results.size > 0) continue;
      this.#owners.delete(name);
      pool.caches.delete(results);
    }
    pool.dropSurplus();
  }
}

/** Rows without an owner belong to nobody. */
function mayRead(reader: ResultClaim, { owner, toolsets }: ResultClaim): boolean {
  const isOpen = toolsets.every((toolset) => reader.toolsets.includes(toolset));
  return owner !== '' && owner === reader.owner && isOpen;
}

/** Estimates the memory of a JSON value, rather too high than too low. */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 32;
  if (Array.isArray(value)) for (const part of value) bytes += 16 + estimateBytes(part);
  else if (isRecord(value)) {
    const keys = Object.keys(value);
    // V8 keeps a parsed object of more than 128 keys as a hash table: some 50 bytes a number, not 10 (measured).
    const bytesPerKey = keys.length > 128 ? 48 : 16;
    for (const key of keys) bytes += bytesPerKey + estimateBytes(value[key]);
  }
  return bytes;
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
