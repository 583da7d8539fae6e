/** The rows of earlier answers, kept for `read_rows`, `query` and `commerce://results/{id}`. */
import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { SharedValues } from '../../client/fleet/shared-values.ts';
import { CommerceError, InputError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { toolsets } from '../../endpoints/define.ts';
import type { Row } from '../rows/rows.ts';

const short = z.string().max(500);
const call = z.object({ tool: short, arguments: z.record(z.string(), z.unknown()) });
const timezone = z.literal('Europe/Amsterdam');
const period = z.object({ from: short, to: short, timezone, given: short });
const sentences = z.record(z.string(), z.string());
const name = z.object({ given: short, id: z.int(), name: short, note: z.string().exactOptional() });

const tableUse = call.extend({
  table: short,
  period: period.exactOptional(),
  reference_period: period.exactOptional(),
  rows: z.int(),
  calls: z.int(),
  as_of: short,
  cached: z.literal(true).exactOptional(),
  complete: z.boolean(),
  left_open: sentences.exactOptional(),
  result: short.exactOptional(),
});

/** A result where other replicas find it: what is said there is checked, and nothing more is passed on. */
const entry = z.object({
  /** `r_` and ten characters that cannot be guessed. */
  id: z.string().regex(/^r_[0-9a-z]{10}$/),
  /** Whose it is, and what was open to them when it was made. */
  owner: z.string().min(1).max(500),
  toolsets: z.array(z.enum(toolsets)).readonly(),
  /** The call that read the rows, and what its answer said of itself. */
  ...call.shape,
  context: z.object({
    endpoint: short,
    source: z.enum(['live', 'sandbox']),
    as_of: short,
    cached: z.literal(true).exactOptional(),
    period: period.exactOptional(),
    reference_period: period.exactOptional(),
    resolved: z.record(z.string(), name).exactOptional(),
    left_open: sentences.exactOptional(),
    since: z.object({ given: short, instant: short }).exactOptional(),
    definitions: sentences.exactOptional(),
    more: z.record(z.string(), z.array(short).readonly()).exactOptional(),
    tables: z.array(tableUse).readonly().exactOptional(),
    warnings: z.array(z.string()).exactOptional(),
  }),
  /** Present when the platform has rows that these lack. */
  rest: z.object({ next: call.optional() }).exactOptional(),
  rows: z.array(z.record(z.string(), z.unknown())),
  /** Epoch milliseconds; being read does not put it off. */
  expiresAtMs: z.number(),
});

const origin = entry.pick({ tool: true, arguments: true, context: true, rest: true });

export interface KeptResult extends Omit<z.output<typeof entry>, 'rows'> {
  rows: readonly Row[];
}

type ResultClaim = Pick<KeptResult, 'owner' | 'toolsets'>;

const uriPrefix = 'commerce://results/';

/** The address of a result. */
export function resultUri({ id }: Pick<KeptResult, 'id'>): string {
  return `${uriPrefix}${id}`;
}

/** The kept rows of one caller. */
export type ResultStore = ReturnType<AllResults['of']>;

/** Bytes of memory, by estimate, and results. */
type Bounds = Record<'maxBytes' | 'maxResults', number>;

/** How much is kept of all callers and of one, for how many milliseconds, and where replicas find it. */
export interface ResultStoreSettings extends Bounds {
  /** @default as much as of all */
  own?: Bounds;
  ttlMs: number;
  /** Epoch milliseconds. */
  now: () => number;
  shared?: SharedValues;
}

/** What all callers keep: in this process, and through shared values in other replicas. */
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
      keep: async (rows: readonly Row[], from: z.input<typeof origin>): Promise<KeptResult> => {
        const bytes = estimateBytes(rows);
        if (bytes > maxBytes)
          throw new CommerceError(
            'too_large',
            `${rows.length} rows take about ${megabytes(bytes)} MB, and at most ${megabytes(maxBytes)} MB can be kept for one caller. Ask for fewer days or a narrower filter.`,
          );
        const about = { ...origin.parse(from), ...caller };
        const result = { ...about, id: randomId(), rows, expiresAtMs: now() + ttlMs };
        this.#hold(result, bytes);
        await shared?.put(result.id, result, ttlMs);
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
        return held.filter(([, result]) => mayRead(caller, result)).map(([id]) => id);
      },
    };
  }

  /** What another replica keeps, held here as well until it expires. */
  async #fetch(id: string, caller: ResultClaim): Promise<KeptResult | undefined> {
    const { shared, now, ttlMs } = this.#settings;
    const found = await shared?.get(id, (value) => {
      const { data } = entry.safeParse(value);
      return data?.id === id ? data : undefined;
    });
    if (!found || found.expiresAtMs <= now() || !mayRead(caller, found)) return undefined;
    // Whatever an entry says, nothing is kept for longer than what is kept now.
    const result = { ...found, expiresAtMs: Math.min(found.expiresAtMs, now() + ttlMs) };
    const bytes = estimateBytes(found.rows);
    if (bytes <= this.#own.maxBytes) this.#hold(result, bytes);
    return result;
  }

  /** When all is full, the owner who holds the most makes room: no caller can push others out. */
  #hold(result: KeptResult, bytes: number): void {
    const { maxBytes, maxResults, now } = this.#settings;
    const cache = this.#owners.get(result.owner) ?? this.#newCache();
    this.#owners.set(result.owner, cache);
    // lru-cache lets go of what is as old as its time; here that is the last moment of it.
    cache.set(result.id, result, { size: bytes, ttl: result.expiresAtMs - now() });
    for (const [owner, held] of this.#owners) {
      held.purgeStale();
      if (held.size === 0) this.#owners.delete(owner);
    }
    for (const [measure, most] of [
      ['size', maxResults],
      ['calculatedSize', maxBytes],
    ] as const) {
      const all = () => [...this.#owners.values()];
      while (all().reduce((sum, held) => sum + held[measure], 0) > most)
        all()
          .reduce((a, b) => (b[measure] > a[measure] ? b : a))
          .pop();
    }
  }

  #newCache(): LRUCache<string, KeptResult> {
    const { maxBytes: maxSize, maxResults: max } = this.#own;
    const perf = { now: this.#settings.now };
    return new LRUCache({ max, maxSize, ttl: this.#settings.ttlMs, ttlResolution: 0, perf });
  }
}

/** What is not stated is refused: rows without an owner are for no caller. */
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
