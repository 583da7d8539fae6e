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
  /** How long and how much is kept for one caller. */
  minutes: number;
  results: number;
  megabytes: number;
  /** The reason why other servers cannot show their results. */
  trouble: 'away' | 'full' | undefined;
}

export const resultMessages = messagesOf({
  too_many_to_keep: (it: { rows: number; megabytes: number; max: number }) =>
    `${it.rows} rows take about ${it.megabytes} MB, and at most ${it.max} MB can be kept for one caller. Ask for fewer days or a narrower filter.`,
  result_gone: ({ address, minutes, results, megabytes, trouble }: ResultGone) =>
    sentences(
      `result_id: nothing is kept under "${quote(address)}".`,
      trouble &&
        `The Redis through which servers show each other their results is ${trouble}: another one may keep it.`,
      `Rows are kept for ${minutes} minutes and make room for newer ones: at most ${results} results and ${megabytes} MB of one caller; a server that was started anew has none. Call the tool that gave them again and use the result id of its answer.`,
    ),
  result_too_long: ({ id, rows }: { id: string; rows: number }) =>
    `${id} has ${rows} rows, too many for one text. read_rows gives them in parts, and query what can be computed from them.`,
});

const short = z.string().max(500);
const call = z.object({ tool: short, arguments: z.record(z.string(), z.unknown()) });

/** Warnings of this version, judged by their codes. */
const warning = z.custom<Warning>(
  (it) =>
    isRecord(it) && typeof it.text === 'string' && warningCodes.some((one) => one === it.code),
);

const context = answerContext.extend({
  endpoint: short,
  as_of: short,
  warnings: z.array(warning).readonly().optional(),
});

/** A result where other replicas find it: the rows, and the call that read them. */
const entry = call.extend({
  /** `r_` and ten characters that cannot be guessed. */
  id: z.string().regex(/^r_[0-9a-f]{10}$/),
  /** Whose it is, and what was open to them when it was made. */
  owner: z.string().min(1).max(500),
  toolsets: z.array(z.enum(toolsets)).readonly(),
  context,
  /** Present when the platform has rows that these lack. */
  rest: z.object({ next: call.optional() }).exactOptional(),
  /** Columns whose ids are not those that their names say. */
  misnamed: z.array(short).readonly().optional(),
  // Looked at no closer: a schema for each field of 100,000 rows takes a second, in which nobody else is served.
  rows: z.custom<readonly Row[]>((it) => Array.isArray(it) && it.every(isRecord)),
  /** Epoch milliseconds; being read does not put it off. */
  expiresAtMs: z.number(),
});

/** A result as it is kept. */
export type KeptResult = z.output<typeof entry>;

type ResultClaim = Pick<KeptResult, 'owner' | 'toolsets'>;

type ResultOrigin = Pick<KeptResult, 'tool' | 'arguments' | 'context' | 'rest' | 'misnamed'>;

const uriPrefix = 'commerce://results/';

/** Longest text of a result, in characters: what is larger is read in parts. */
const maxLength = 8_000_000;

/** The address of a result. */
export function resultUri({ id }: Pick<KeptResult, 'id'>): string {
  return `${uriPrefix}${id}`;
}

/** The kept rows of one caller. */
export type ResultStore = ReturnType<AllResults['of']>;

/** How much is kept, for how many milliseconds, and where other replicas find it. */
export interface ResultStoreSettings {
  /** Memory of all callers, by estimate, and of one. */
  pool: MemoryPool;
  callerBytes: number;
  callerResults: number;
  ttlMs: number;
  now: () => number;
  shared?: SharedValues | undefined;
}

/** The kept results of all callers, in this process and, through shared values, in other replicas. */
export class AllResults {
  readonly #settings: ResultStoreSettings;
  readonly #secret = randomBytes(32);
  readonly #owners = new Map<string, LRUCache<string, KeptResult>>();
  /** Texts are given out in turns: each is a message that takes a moment in which nobody else is served. */
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(settings: ResultStoreSettings) {
    this.#settings = settings;
  }

  count(): number {
    return [...this.#owners.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** The store as one caller has it: their own results, as long as nothing was closed to them since. */
  of(caller: ResultClaim) {
    return {
      /**
       * Keeps rows under a new id, and lets go of the least recently used ones where there is no room.
       * @param key tells which rows these are: where they are kept already, nothing is kept again
       * @throws {CommerceError} `too_large` when the rows alone are more than a caller may keep.
       */
      keep: (rows: readonly Row[], origin: ResultOrigin, key: string = randomUUID()) =>
        this.#keep(caller, rows, origin, key),
      /**
       * The rows kept under an id (its `commerce://results/` address will do).
       * @throws {InputError} when it is unknown, expired, had to make room, or belongs to another caller.
       */
      get: (address: string) => this.#get(caller, address),
      /**
       * All rows of a result as one text: JSON, or CSV under `r_….csv`.
       * @param finish makes its facts what clients receive
       * @throws {InputError} when nothing is kept under the id any more, or it is too long for one text
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
      /** The ids of what this process holds, the most recently used first. */
      ids: (): string[] => {
        const held = [...(this.#owners.get(caller.owner)?.entries() ?? [])];
        return held.filter(([, result]) => mayRead(caller, result)).map(([id]) => id);
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
    const known = this.#owners.get(caller.owner)?.get(id);
    if (known) return known;
    const result = { ...origin, ...caller, id, rows, expiresAtMs: now() + ttlMs };
    const bytes = estimateBytes(result);
    if (bytes > callerBytes) {
      const sizes = { megabytes: megabytes(bytes), max: megabytes(callerBytes) };
      const reason = resultMessages.too_many_to_keep({ rows: rows.length, ...sizes });
      throw new CommerceError('too_large', reason);
    }
    this.#hold(result, bytes);
    await shared?.put(id, result, ttlMs);
    // It may have made room meanwhile.
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

  /** Results of other replicas, held here as well until they expire. */
  async #fetch(id: string, caller: ResultClaim): Promise<KeptResult | undefined> {
    const { shared, now, ttlMs, callerBytes } = this.#settings;
    const found = await shared?.get(id, (value) => entry.safeParse(value).data);
    if (found?.id !== id || found.expiresAtMs <= now() || !mayRead(caller, found)) return undefined;
    // Whatever an entry says, nothing is kept for longer than what is kept now.
    const result = { ...found, expiresAtMs: Math.min(found.expiresAtMs, now() + ttlMs) };
    const bytes = estimateBytes(result);
    if (bytes <= callerBytes) this.#hold(result, bytes);
    return result;
  }

  clear(): void {
    for (const held of this.#owners.values()) this.#settings.pool.caches.delete(held);
    this.#owners.clear();
  }

  /** When all is full, the owner who holds the most makes room: no caller can push others out. */
  #hold(result: KeptResult, size: number): void {
    const { pool, callerBytes: maxSize, callerResults: max, now, shared } = this.#settings;
    const { id, owner, expiresAtMs } = result;
    const options = { max, maxSize, ttlResolution: 0, perf: { now } };
    const dispose = (_: KeptResult, name: string, reason: LRUCache.DisposeReason) => {
      // Room is made in Redis too: a caller fills neither.
      if (reason === 'evict') void shared?.remove(name);
    };
    const cache =
      this.#owners.get(owner) ?? new LRUCache<string, KeptResult>({ ...options, dispose });
    this.#owners.set(owner, cache.set(id, result, { size, ttl: expiresAtMs - now() }));
    pool.caches.add(cache);
    for (const [name, held] of this.#owners) {
      held.purgeStale();
      if (held.size > 0) continue;
      this.#owners.delete(name);
      pool.caches.delete(held);
    }
    pool.fit();
  }
}

/** Refuses anything unstated: rows without an owner belong to no caller. */
function mayRead(reader: ResultClaim, { owner, toolsets }: ResultClaim): boolean {
  const isOpen = toolsets.every((it) => reader.toolsets.includes(it));
  return owner !== '' && owner === reader.owner && isOpen;
}

/** Bytes of memory that a JSON value takes, by estimate: rather too many than too few. */
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
