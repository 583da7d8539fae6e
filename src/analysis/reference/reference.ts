import { CommerceError } from '../../core/errors.ts';
import { isRecord, numberIn, textIn } from '../../core/json.ts';
import { listCustomerSegments } from '../../endpoints/customers.ts';
import type { Endpoint, Toolset } from '../../endpoints/define.ts';
import {
  listLocations,
  listPaymentMethods,
  listShops,
  listTaxRates,
  listTurnoverGroups,
} from '../../endpoints/reference.ts';
import type { Fence } from '../fence.ts';
import type { Row } from '../rows/rows.ts';

/** Section 1, "Resolving ids": the reference lists by kind. */
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
  { kind: 'shop', idField: 'shop_id', endpoint: listShops, noun: 'shop' },
  { kind: 'location', idField: 'location_id', endpoint: listLocations, noun: 'location' },
  {
    kind: 'turnover_group',
    idField: 'product_group_id',
    endpoint: listTurnoverGroups,
    noun: 'turnover group',
  },
  {
    kind: 'payment_method',
    idField: 'provider_method_type_id',
    endpoint: listPaymentMethods,
    noun: 'payment method',
  },
  { kind: 'tax_rate', idField: 'tax_rate_id', endpoint: listTaxRates, noun: 'tax rate' },
  {
    kind: 'customer_segment',
    idField: 'segment_id',
    endpoint: listCustomerSegments,
    noun: 'customer segment',
  },
];

/** One row of a reference list with the texts that people call it by. */
export interface ReferenceEntry {
  kind: ReferenceKind;
  id: number;
  name: string;
  /** Other texts of the row, such as `type_alias`. */
  aliases: string[];
  row: Row;
}

/**
 * The reference lists of the account, read when first needed and cached for five minutes; while they
 * are used they are renewed before that.
 */
export interface Reference {
  /**
   * @throws PlatformError when the list cannot be read; a refusal is remembered for as long as a
   * list would be, so that an answer costs no second refusal.
   */
  list(kind: ReferenceKind, signal?: AbortSignal): Promise<readonly ReferenceEntry[]>;
  /**
   * The same entries for putting names to the ids of an answer, and ids to names that were given.
   * Whoever lacks the list may still have these; no text may list them.
   */
  entries(kind: ReferenceKind, signal?: AbortSignal): Promise<readonly ReferenceEntry[]>;
  /** The same where nothing has to be read for it. */
  atHand(kind: ReferenceKind): readonly ReferenceEntry[] | undefined;
  /**
   * Begins to read the lists that name such id fields, beside a question whose request is under way:
   * whoever wants their entries next need not wait, or not as long. Never fails.
   */
  prefetch(idFields: readonly string[], signal?: AbortSignal): void;
}

/** The toolset that the list of a kind belongs to. */
export function toolsetOfKind(kind: ReferenceKind): Toolset {
  return spaceOfKind(kind).endpoint.toolset;
}

/** The lists as a caller may have them: refused where they lack the toolset that one belongs to. */
export function fenceReference(reference: Reference, fence: Fence): Reference {
  const refuse = (kind: ReferenceKind): never => {
    const { noun } = spaceOfKind(kind);
    throw new CommerceError(
      'not_offered',
      `The ${noun}s belong to the toolset ${toolsetOfKind(kind)}, which is not open here.`,
    );
  };
  // Names of the business stand beside ids for everybody; customers' segments do not.
  const mayName = (kind: ReferenceKind) =>
    toolsetOfKind(kind) === 'reference' || fence.has(toolsetOfKind(kind));
  return {
    list: async (kind, signal) =>
      fence.has(toolsetOfKind(kind)) ? reference.list(kind, signal) : refuse(kind),
    entries: async (kind, signal) =>
      mayName(kind) ? reference.entries(kind, signal) : refuse(kind),
    atHand: (kind) => (mayName(kind) ? reference.atHand(kind) : undefined),
    prefetch(idFields, signal) {
      const allowed = referenceSpaces.filter(({ kind }) => mayName(kind));
      const open = new Set(allowed.map(({ idField }) => idField));
      reference.prefetch(
        idFields.filter((idField) => open.has(idField)),
        signal,
      );
    },
  };
}

/** How long a reference list is served from the cache. */
export const referenceTtlMs = 5 * 60_000;

/** The space that an id field belongs to, such as `shop_id`. */
export function spaceOf(idField: string): ReferenceSpace | undefined {
  return referenceSpaces.find((space) => space.idField === idField);
}

/** The space of a kind. */
export function spaceOfKind(kind: ReferenceKind): ReferenceSpace {
  const space = referenceSpaces.find((candidate) => candidate.kind === kind);
  if (space === undefined) throw new TypeError(`no reference space ${kind}`);
  return space;
}

/** The entries of a reference list. Rows without a usable id are left out. */
export function readEntries(kind: ReferenceKind, list: readonly unknown[]): ReferenceEntry[] {
  const { idField } = spaceOfKind(kind);
  const rows = list.filter(isRecord);
  const nameColumn = findNameColumn(rows);
  return rows.flatMap((row) => {
    // Section 2: a payment method's own id is `provider_method_type_id`; the others carry `id`.
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
 * A VAT rate as people tell it from others: `NL 21%`. The fields of its row are not documented, so it
 * is read by what they hold: one code of two capitals, and one number from 0 to 100 that is no id.
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

/** Section 4 leaves the names of most rows open: the usual field, or the first that tells rows apart. */
function findNameColumn(rows: readonly Row[]): string | undefined {
  const columns = Object.keys(rows[0] ?? {}).filter((column) =>
    rows.some((row) => typeof row[column] === 'string'),
  );
  const usual = ['name', 'title', 'label', 'description'].find((name) => columns.includes(name));
  // Section 2: `type_alias` is the stable key of a payment method; beside it stands its name.
  const candidates = columns.filter((column) => column !== 'type_alias');
  const tellsApart = candidates.find(
    (column) => new Set(rows.map((row) => row[column])).size === rows.length,
  );
  return usual ?? tellsApart ?? candidates[0] ?? columns[0];
}
