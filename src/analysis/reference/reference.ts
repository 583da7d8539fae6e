import type { Client } from '../../client/client.ts';
import type { GetOptions } from '../../client/request/get.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { isRecord, numberIn, textIn } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { listCustomerSegments } from '../../endpoints/customers.ts';
import { type Endpoint, endpointName, type Toolset } from '../../endpoints/define.ts';
import {
  listLocations,
  listPaymentMethods,
  listShops,
  listTaxRates,
  listTurnoverGroups,
} from '../../endpoints/reference.ts';
import type { Fence } from '../fence.ts';
import type { Row } from '../rows/rows.ts';

/** The reference lists by kind (docs/platform.md#ids). */
export const referenceKinds = [
  'shop',
  'location',
  'turnover_group',
  'payment_method',
  'tax_rate',
  'customer_segment',
] as const;

export type ReferenceKind = (typeof referenceKinds)[number];

/** A reference list: the id field that other answers carry, and the endpoint that resolves it. */
export interface ReferenceSpace {
  kind: ReferenceKind;
  /** Such as `shop_id`: the field of payloads and the parameter of tools. */
  idField: string;
  endpoint: Endpoint;
  /** Singular, for sentences. */
  noun: string;
}

export const referenceSpaces: readonly ReferenceSpace[] = [
  space('shop', 'shop_id', listShops),
  space('location', 'location_id', listLocations),
  space('turnover_group', 'product_group_id', listTurnoverGroups),
  space('payment_method', 'provider_method_type_id', listPaymentMethods),
  space('tax_rate', 'tax_rate_id', listTaxRates),
  space('customer_segment', 'segment_id', listCustomerSegments),
];

function space(kind: ReferenceKind, idField: string, endpoint: Endpoint): ReferenceSpace {
  return { kind, idField, endpoint, noun: kind.replace('_', ' ') };
}

/** One row of a reference list with the texts that people call it by. */
export interface ReferenceEntry {
  kind: ReferenceKind;
  id: number;
  name: string;
  /** Other texts of the row, such as `type_alias`. */
  aliases: string[];
  row: Row;
}

/** The toolset that the list of a kind belongs to. */
export function toolsetOfKind(kind: ReferenceKind): Toolset {
  return spaceOfKind(kind).endpoint.toolset;
}

/** How long a reference list is served from the cache. */
export const referenceTtlMs = 5 * 60_000;

/** The space that an id field belongs to, such as `shop_id`. */
export function spaceOf(idField: string): ReferenceSpace | undefined {
  return referenceSpaces.find((space) => space.idField === idField);
}

/** The space of a kind. */
export function spaceOfKind(kind: ReferenceKind): ReferenceSpace {
  const found = referenceSpaces.find((it) => it.kind === kind);
  if (found === undefined) throw new TypeError(`no reference space ${kind}`);
  return found;
}

/** The entries of a reference list. Rows without a usable id are left out. */
export function readEntries(kind: ReferenceKind, list: readonly unknown[]): ReferenceEntry[] {
  const { idField } = spaceOfKind(kind);
  const rows = list.filter(isRecord);
  const nameColumn = findNameColumn(rows);
  return rows.flatMap((row) => {
    // A payment method's own id is `provider_method_type_id`; the others carry `id`.
    const own = kind === 'payment_method' ? row[idField] : row.id;
    const id = numberIn(own ?? row[idField] ?? row.id);
    if (!Number.isSafeInteger(id)) return [];
    const texts = Object.values(row).filter(
      (value): value is string => typeof value === 'string' && value.trim() !== '',
    );
    const named = nameColumn === undefined ? undefined : row[nameColumn];
    const called = typeof named === 'string' && named.trim() !== '' ? named : String(id);
    const name = kind === 'tax_rate' ? (rateName(row) ?? called) : called;
    return [{ kind, id, name, aliases: texts.filter((text) => text !== name), row }];
  });
}

/**
 * `NL 21%` for a VAT rate. The fields of its row are not documented, so it is read by what they hold:
 * one code of two capitals, and one number from 0 to 100 that is no id.
 */
function rateName(row: Row): string | undefined {
  const entries = Object.entries(row);
  const countries = entries.filter(([, value]) => /^[A-Z]{2}$/.test(textIn(value)));
  const shares = entries.filter(([field, value]) => {
    const share = isRecord(value) ? Number.NaN : numberIn(value);
    return !/(^|_)id$/.test(field) && typeof value !== 'boolean' && share >= 0 && share <= 100;
  });
  const [country, ...otherCountries] = countries;
  const [share, ...otherShares] = shares;
  if (!country || !share || otherCountries.length > 0 || otherShares.length > 0) return undefined;
  return `${country[1]} ${Number(share[1])}%`;
}

/** Names of fields are not documented: the usual one, or the first that tells rows apart. */
function findNameColumn(rows: readonly Row[]): string | undefined {
  const columns = Object.keys(rows[0] ?? {}).filter((column) =>
    rows.some((row) => typeof row[column] === 'string'),
  );
  const usual = ['name', 'title', 'label', 'description'].find((name) => columns.includes(name));
  // `type_alias` is the stable key of a payment method; its name is another field.
  const candidates = columns.filter((column) => column !== 'type_alias');
  const tellsApart = candidates.find(
    (column) => new Set(rows.map((row) => row[column])).size === rows.length,
  );
  return usual ?? tellsApart ?? candidates[0] ?? columns[0];
}

type Cached = { untilMs: number } & ({ entries: readonly ReferenceEntry[] } | { refusal: unknown });

/** The reference lists of the account as a caller may have them; cached, refusals included. */
export class ReferenceLists {
  readonly #client: Client;
  readonly #now: () => number;
  #cache = new Map<ReferenceKind, Cached>();
  #has: (toolset: Toolset) => boolean = () => true;

  constructor(client: Client, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** The same lists for a caller who has some of the toolsets. */
  within(fence: Fence): ReferenceLists {
    const own = new ReferenceLists(this.#client, this.#now);
    own.#cache = this.#cache;
    own.#has = (toolset) => fence.has(toolset);
    return own;
  }

  /**
   * A whole list, for callers who may have it.
   *
   * @throws {CommerceError} `not_offered` without its toolset, or what kept it from being read
   */
  async list(kind: ReferenceKind, signal?: AbortSignal): Promise<readonly ReferenceEntry[]> {
    if (!this.#has(toolsetOfKind(kind))) throw notOffered(kind);
    return this.entries(kind, signal);
  }

  /**
   * The same entries for putting names to ids, and ids to names: names of the business are for every
   * caller, those of customer segments only with the toolset. No text may list them.
   *
   * @throws {CommerceError} as `list`
   */
  async entries(kind: ReferenceKind, signal?: AbortSignal): Promise<readonly ReferenceEntry[]> {
    if (!this.#mayName(kind)) throw notOffered(kind);
    const known = this.#recall(kind);
    if (known && 'refusal' in known) throw known.refusal;
    return this.cached(kind) ?? this.#read(kind, { ...(signal && { signal }) });
  }

  /** The entries, where nothing has to be read for them. */
  cached(kind: ReferenceKind): readonly ReferenceEntry[] | undefined {
    const known = this.#mayName(kind) ? this.#recall(kind) : undefined;
    return known && 'entries' in known ? known.entries : undefined;
  }

  /** Begins to read the lists that name such id fields while a question is under way. Never fails. */
  prefetch(idFields: readonly string[], signal?: AbortSignal): void {
    for (const { kind } of idFields.flatMap((idField) => spaceOf(idField) ?? []))
      if (this.#mayName(kind) && this.#recall(kind) === undefined)
        // What fails is read again by the next caller who needs it.
        this.#read(kind, { priority: 'prefetch', ...(signal && { signal }) }).catch(() => {});
  }

  #mayName(kind: ReferenceKind): boolean {
    const toolset = toolsetOfKind(kind);
    return toolset === 'reference' || this.#has(toolset);
  }

  #recall(kind: ReferenceKind): Cached | undefined {
    const known = this.#cache.get(kind);
    return known !== undefined && known.untilMs > this.#now() ? known : undefined;
  }

  async #read(kind: ReferenceKind, how: GetOptions): Promise<readonly ReferenceEntry[]> {
    const { endpoint } = spaceOfKind(kind);
    const request = { endpoint: endpointName(endpoint), ...(how.signal && { signal: how.signal }) };
    const cached = { holdsRows: true, cacheForMs: referenceTtlMs };
    try {
      const first = await this.#client.get(endpoint.path, { ...how, ...request, ...cached });
      const isWhole = !isRecord(first.body) || !(numberIn(first.body.total) > first.rows.length);
      const { rows, readAtMs } = isWhole
        ? first
        : await this.#client.drain(endpoint.path, { ...request, pageSize: 500 });
      const entries = readEntries(kind, rows);
      this.#cache.set(kind, { untilMs: readAtMs + referenceTtlMs, entries });
      return entries;
    } catch (error) {
      if (hasCode(error, 'forbidden'))
        this.#cache.set(kind, { untilMs: this.#now() + referenceTtlMs, refusal: error });
      throw error;
    }
  }
}

function notOffered(kind: ReferenceKind): CommerceError {
  const { noun } = spaceOfKind(kind);
  return new CommerceError(
    'not_offered',
    `The ${noun}s belong to the toolset ${toolsetOfKind(kind)}, which is not open here.`,
  );
}

/** Names by id for each id field: `{"shop_id": {"3": "Webshop"}}`. */
export type Labels = Record<string, Record<string, string>>;

/** Longest that an answer waits for what it can do without, such as the names of its ids. */
const maxWaitMs = 5000;

/**
 * The names of all reference ids in a payload, wherever nested. Only the lists of the ids that occur
 * are read; names that cannot be read cost the answer nothing but a warning.
 */
export async function labelPayload(
  { reference }: { reference: ReferenceLists },
  payload: unknown,
  signal?: AbortSignal,
): Promise<{ labels: Labels; warnings: string[] }> {
  const ids = collectIds(payload);
  const labels: Labels = {};
  const warnings: string[] = [];
  await Promise.all(
    referenceSpaces.map(async ({ kind, idField, noun }) => {
      const wanted = ids.get(idField);
      if (wanted === undefined) return;
      try {
        // Lists are cached as a rule: only waiting for one needs a bound.
        const entries = reference.cached(kind) ?? (await reference.entries(kind, bounded(signal)));
        const names = entries
          .filter(({ id, name }) => wanted.has(id) && name !== String(id))
          .map(({ id, name }): [string, string] => [String(id), name]);
        if (names.length > 0) labels[idField] = Object.fromEntries(names);
      } catch (error) {
        signal?.throwIfAborted();
        if (hasCode(error, 'not_offered')) return;
        const reason = error instanceof Error ? error.message : String(error);
        warnings.push(
          `The ids in ${idField} stand without names: the ${noun}s could not be read (${reason}).`,
        );
      }
    }),
  );
  return { labels, warnings };
}

/** A signal that also ends what an answer can do without, where that takes too long. */
export function bounded(signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(maxWaitMs);
  return signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
}

const idFields: ReadonlySet<string> = new Set(referenceSpaces.map(({ idField }) => idField));

/** Every reference id in a payload by its field, found by walking all of it. */
export function collectIds(payload: unknown): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  const walk = (value: object): void => {
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === 'object' && item !== null) walk(item);
      return;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (idFields.has(key)) {
        const ids = found.get(key) ?? new Set();
        for (const id of [inner].flat()) if (isId(id)) ids.add(Number(id));
        if (ids.size > 0) found.set(key, ids);
      } else if (typeof inner === 'object' && inner !== null) walk(inner);
    }
  };
  walk([payload]);
  return found;
}

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) || (typeof value === 'string' && /^\d+$/.test(value));
}

/** How many names one sentence lists. */
const maxListed = 12;

/** Text as names are compared: no case, no accents, single spaces. */
export function foldName(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** `Webshop (3)`, the way every text names an entry. */
export function nameWithId({ name, id }: Pick<ReferenceEntry, 'name' | 'id'>): string {
  return name === String(id) ? name : `${quote(name)} (${id})`;
}

/** The entries by name, as many as one sentence lists. */
export function listNames(entries: readonly ReferenceEntry[]): string {
  const shown = entries.slice(0, maxListed).map(nameWithId).join(', ');
  const more = entries.length - maxListed;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
