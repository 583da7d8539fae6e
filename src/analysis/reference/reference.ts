import type { Client } from '../../client/client.ts';
import type { Priority } from '../../client/rate-limit/shares.ts';
import { isIdentifier } from '../../core/column-name.ts';
import { withDeadline } from '../../core/deadline.ts';
import { CommerceError, hasCode, reasonIn } from '../../core/errors.ts';
import { isRecord, toNumber, toText } from '../../core/json.ts';
import { type Finished, messagesOf, type Warning } from '../../core/message.ts';
import { quote } from '../../core/text.ts';
import { listCustomerSegments } from '../../endpoints/customers.ts';
import { type Endpoint, endpointName, type Toolset, toolsets } from '../../endpoints/define.ts';
import {
  listLocations,
  listPaymentMethods,
  listShops,
  listTaxRates,
  listTurnoverGroups,
} from '../../endpoints/reference.ts';
import type { Fence } from '../fence.ts';
import type { Row } from '../rows/rows.ts';

export const referenceMessages = messagesOf({
  not_known_yet: 'not known yet',
  list_not_open: ({ noun, toolset }: { noun: string; toolset: Toolset }) =>
    `The ${noun}s belong to the toolset ${toolset}, which is not open here.`,
  no_names: ({ idField, noun, reason }: { idField: string; noun: string; reason: Finished }) =>
    `${idField} has no names: the ${noun}s could not be read (${reason.text}).`,
});

/** The reference lists by their kinds (docs/platform.md#ids). */
export const spaceByKind = {
  shop: space('shop', 'shop_id', listShops),
  location: space('location', 'location_id', listLocations),
  turnover_group: space('turnover_group', 'product_group_id', listTurnoverGroups),
  payment_method: space('payment_method', 'provider_method_type_id', listPaymentMethods),
  tax_rate: space('tax_rate', 'tax_rate_id', listTaxRates),
  customer_segment: space('customer_segment', 'segment_id', listCustomerSegments),
};

/** @param idField the field in other answers and in arguments */
function space<const Kind extends string>(kind: Kind, idField: string, endpoint: Endpoint) {
  return { kind, idField, endpoint, noun: kind.replace('_', ' ') };
}

export type ReferenceKind = keyof typeof spaceByKind;

export type ReferenceSpace = (typeof spaceByKind)[ReferenceKind];

export const referenceSpaces: readonly ReferenceSpace[] = Object.values(spaceByKind);

export const referenceKinds = referenceSpaces.map(({ kind }) => kind);

/** A row of a reference list. */
export interface ReferenceEntry {
  kind: ReferenceKind;
  id: number;
  name: string;
  /** Other texts of the row, such as `type_alias`. */
  aliases: string[];
  row: Row;
}

export const referenceTtlMs = 5 * 60_000;

/** @param idField such as `shop_id` */
export function spaceOf(idField: string): ReferenceSpace | undefined {
  return referenceSpaces.find((space) => space.idField === idField);
}

/** Rows without a usable id are left out. */
export function readEntries(kind: ReferenceKind, list: readonly unknown[]): ReferenceEntry[] {
  const { idField } = spaceByKind[kind];
  const rows = list.filter(isRecord);
  const nameColumn = findNameColumn(rows);
  return rows.flatMap((row) => {
    // A payment method's own id is `provider_method_type_id`; the others carry `id`.
    const id = toNumber(kind === 'payment_method' ? row[idField] : (row.id ?? row[idField]));
    if (!Number.isSafeInteger(id)) return [];
    const rate = kind === 'tax_rate' ? rateName(row) : undefined;
    const name = rate ?? (toText(row[nameColumn]).trim() || String(id));
    const texts = Object.values(row).filter((value) => typeof value === 'string');
    const aliases = texts.filter((text) => text.trim() !== '' && text !== name);
    return [{ kind, id, name, aliases, row }];
  });
}

/** The country of a VAT rate: its only value of two capitals. */
export function countryOf(row: Row): string | undefined {
  const codes = Object.values(row)
    .map(toText)
    .filter((text) => /^[A-Z]{2}$/.test(text));
  return codes.length === 1 ? codes[0] : undefined;
}

/** `NL 21%`, if the row has one country and one number from 0 to 100 that is no id. */
function rateName(row: Row): string | undefined {
  const fields = Object.entries(row).filter(([field]) => !isIdentifier(field));
  const numbers = fields.map(([, value]) => toNumber(value));
  const shares = numbers.filter((number) => number >= 0 && number <= 100);
  const country = countryOf(row);
  return country && shares.length === 1 ? `${country} ${shares[0]}%` : undefined;
}

/** The name's column is not documented: a usual one, or the first text that differs in all rows. */
function findNameColumn(rows: readonly Row[]): string {
  const isText = (column: string) => rows.some((row) => typeof row[column] === 'string');
  const isKey = (column: string) => new Set(rows.map((row) => row[column])).size === rows.length;
  // `type_alias` is the stable key of a payment method; its name is another field.
  const columns = Object.keys(rows[0] ?? {}).filter(
    (name) => name !== 'type_alias' && isText(name),
  );
  const usual = ['name', 'title', 'label', 'description'].find((name) => columns.includes(name));
  return usual ?? columns.find(isKey) ?? columns[0] ?? 'type_alias';
}

/** The reference lists that a caller may have. Entries are kept as long as the client caches their rows. */
export class ReferenceLists {
  readonly #source: { client: Client; now: () => number };
  #fence: Fence = new Set(toolsets);
  #refusals = new Map<ReferenceKind, { error: CommerceError; untilMs: number }>();
  #lists = new Map<ReferenceKind, { entries: readonly ReferenceEntry[]; readAtMs: number }>();

  constructor(source: { client: Client; now: () => number }) {
    this.#source = source;
  }

  forCaller(fence: Fence): ReferenceLists {
    const lists = new ReferenceLists(this.#source);
    lists.#fence = fence;
    lists.#refusals = this.#refusals;
    lists.#lists = this.#lists;
    return lists;
  }

  hasToolset(toolset: Toolset): boolean {
    return this.#fence.has(toolset);
  }

  /** @throws {CommerceError} `not_offered` without its toolset, or the failure of reading it */
  async listForDisplay(
    kind: ReferenceKind,
    signal?: AbortSignal,
  ): Promise<readonly ReferenceEntry[]> {
    if (!this.#fence.has(spaceByKind[kind].endpoint.toolset)) throw notOffered(kind);
    return this.entriesForTranslation(kind, signal);
  }

  /** Undefined where the caller may not have the list, or it cannot be read. */
  async listIfOpen(
    kind: ReferenceKind,
    signal?: AbortSignal,
  ): Promise<readonly ReferenceEntry[] | undefined> {
    return this.listForDisplay(kind, signal).catch(() => {
      signal?.throwIfAborted();
      return undefined;
    });
  }

  /**
   * Entries to translate names and ids, for callers without the toolset `reference` too; customer segments need the
   * toolset `customers`. Never show them as a list: use `listForDisplay()`.
   * @throws {CommerceError} as `listForDisplay`
   */
  async entriesForTranslation(
    kind: ReferenceKind,
    signal?: AbortSignal,
    priority: Priority = 'interactive',
  ): Promise<readonly ReferenceEntry[]> {
    const { client, now } = this.#source;
    const { endpoint } = spaceByKind[kind];
    if (!this.#mayTranslate(kind)) throw notOffered(kind);
    const known = this.knownEntries(kind);
    if (known) return known;
    const { error: refusal, untilMs = 0 } = this.#refusals.get(kind) ?? {};
    if (refusal && untilMs > now()) throw refusal;
    const how = { endpoint: endpointName(endpoint), cacheForMs: referenceTtlMs, signal };
    try {
      const { path } = endpoint;
      const first = await client.get(path, { ...how, priority, holdsRows: true });
      const isWhole = !(first.total > first.rows.length);
      const { rows, readAtMs } = isWhole
        ? first
        : await client.readAllPages(path, { ...how, pageSize: 500 });
      const entries = readEntries(kind, rows);
      this.#lists.set(kind, { entries, readAtMs });
      return entries;
    } catch (error) {
      if (hasCode(error, 'forbidden'))
        this.#refusals.set(kind, { error, untilMs: now() + referenceTtlMs });
      throw error;
    }
  }

  /** The entries of a list that was read a short while ago; undefined where the caller may not have it. */
  knownEntries(kind: ReferenceKind): readonly ReferenceEntry[] | undefined {
    const { entries, readAtMs = 0 } = this.#lists.get(kind) ?? {};
    const ageMs = this.#source.now() - readAtMs;
    return ageMs >= 0 && ageMs < referenceTtlMs && this.#mayTranslate(kind) ? entries : undefined;
  }

  #mayTranslate(kind: ReferenceKind): boolean {
    const { toolset } = spaceByKind[kind].endpoint;
    return toolset === 'reference' || this.#fence.has(toolset);
  }

  /** Begins to read the lists for id fields while a question is under way. A failure has no effect. */
  prefetch(idFields: readonly string[], signal?: AbortSignal): void {
    for (const { kind } of idFields.flatMap((idField) => spaceOf(idField) ?? []))
      if (!this.knownEntries(kind))
        this.entriesForTranslation(kind, signal, 'prefetch').catch(() => {});
  }
}

function notOffered(kind: ReferenceKind): CommerceError {
  const { noun, endpoint } = spaceByKind[kind];
  const { toolset } = endpoint;
  return new CommerceError('not_offered', referenceMessages.list_not_open({ noun, toolset }));
}

/** Names by id for each id field: `{"shop_id": {"3": "Webshop"}}`. */
export type Labels = Record<string, Record<string, string>>;

/** Finds the names of all reference ids in a payload, with a warning for each list that cannot be read. */
export async function labelPayload(
  { reference }: { reference: ReferenceLists },
  payload: unknown,
  signal?: AbortSignal,
): Promise<{ labels: Labels; warnings: Warning[] }> {
  const ids = collectIds(payload);
  const spaces = referenceSpaces.filter(({ idField }) => ids.get(idField)?.size);
  const failures = new Map<ReferenceKind, unknown>();
  const readings = spaces.flatMap(({ kind }) => {
    if (reference.knownEntries(kind)) return [];
    // Reading continues after the wait, so that the next answer has the names.
    const reading = reference.entriesForTranslation(kind, undefined, 'prefetch');
    return [reading.catch((error: unknown) => void failures.set(kind, error))];
  });
  if (readings.length > 0)
    await withDeadline({ ms: maxWaitMs, signal }, () => Promise.all(readings)).catch(() =>
      signal?.throwIfAborted(),
    );
  const labels: Labels = {};
  const warnings: Warning[] = [];
  for (const { kind, idField, noun } of spaces) {
    const error = failures.get(kind);
    const entries = reference.knownEntries(kind);
    const isNamed = ({ id, name }: NamedId) => ids.get(idField)?.has(id) && name !== String(id);
    const names = entries?.filter(isNamed).map(({ id, name }) => [id, name]) ?? [];
    if (names.length > 0) labels[idField] = Object.fromEntries(names);
    if (entries || hasCode(error, 'not_offered')) continue;
    const reason = error === undefined ? referenceMessages.not_known_yet() : reasonIn(error);
    warnings.push(referenceMessages.no_names({ idField, noun, reason }));
  }
  return { labels, warnings };
}

function collectIds(payload: unknown): Map<string, Set<number>> {
  const idsByField = new Map(referenceSpaces.map(({ idField }) => [idField, new Set<number>()]));
  const walk = (value: unknown, ids?: Set<number>): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, ids);
    else if (isRecord(value)) for (const name in value) walk(value[name], idsByField.get(name));
    else if (ids && Number.isSafeInteger(toNumber(value))) ids.add(toNumber(value));
  };
  walk(payload);
  return idsByField;
}

/** How long an answer waits for extras, such as names of its ids, once its rows are read. */
export const maxWaitMs = 500;

/** For comparing names: no case, no accents, single spaces. */
export function foldName(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

export type NamedId = Pick<ReferenceEntry, 'id' | 'name'>;

/** `Webshop (3)`. */
export function nameWithId({ name, id }: NamedId): string {
  return name === String(id) ? name : `${quote(name)} (${id})`;
}

/** Bound for the names in a sentence. */
export const maxNamed = 12;

export function firstNamed(entries: readonly NamedId[]): NamedId[] {
  return entries.slice(0, maxNamed).map(({ id, name }) => ({ id, name }));
}

/** `Webshop (3), Utrecht (7) and 2 more`. */
export function listNames(entries: readonly NamedId[], count = entries.length): string {
  const shown = entries.slice(0, maxNamed);
  const more = count > shown.length ? ` and ${count - shown.length} more` : '';
  return shown.map(nameWithId).join(', ') + more;
}
