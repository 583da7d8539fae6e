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
