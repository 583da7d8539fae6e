import { hasCode } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { CustomerNames } from './customer-names.ts';
import { type Reference, type ReferenceSpace, referenceSpaces } from './reference.ts';

/** Names by id for each id field: `{"shop_id": {"3": "Webshop"}}`. */
export type Labels = Record<string, Record<string, string>>;

/** Where names come from. */
export interface NameSources {
  reference: Reference;
  customerNames: CustomerNames;
}

/** Longest that an answer waits for the names of its ids. */
const maxWaitMs = 5000;

/**
 * The names of all reference ids in a payload, wherever nested, and of customers that passed by. Only
 * the lists of the ids that occur are read. Names that cannot be read cost the answer nothing but a
 * warning.
 */
export async function labelPayload(
  { reference, customerNames }: NameSources,
  payload: unknown,
  signal?: AbortSignal,
): Promise<{ labels: Labels; warnings: string[] }> {
  const ids = collectIds(payload);
  const labels: Labels = {};
  const warnings: string[] = [];
  const customers = unsaidCustomers(payload, customerNames);
  if (customers.size > 0) labels[customerField] = Object.fromEntries(customers);
  if (ids.size === 0) return { labels, warnings };
  // Lists are at hand as a rule: only waiting for one needs a bound.
  let bounded: AbortSignal | undefined;
  const bound = () => {
    bounded ??= AbortSignal.any([
      AbortSignal.timeout(maxWaitMs),
      ...(signal === undefined ? [] : [signal]),
    ]);
    return bounded;
  };
  await Promise.all(
    referenceSpaces.map(async (space) => {
      const wanted = ids.get(space.idField);
      if (wanted === undefined) return;
      try {
        const entries =
          reference.atHand(space.kind) ?? (await reference.entries(space.kind, bound()));
        const names = entries
          .filter(({ id, name }) => wanted.has(id) && name !== String(id))
          .map(({ id, name }): [string, string] => [String(id), name]);
        if (names.length > 0) labels[space.idField] = Object.fromEntries(names);
      } catch (error) {
        signal?.throwIfAborted();
        if (hasCode(error, 'not_offered')) return;
        warnings.push(unnamed(space, error));
      }
    }),
  );
  return { labels, warnings };
}

/** Section 2: the customer of an order. */
const customerField = 'relation_data_id';

/** The names of customers that do not stand beside their id already, by id. */
function unsaidCustomers(payload: unknown, names: CustomerNames): Map<string, string> {
  const found = new Map<string, string>();
  if (!names.any()) return found;
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (!isRecord(value)) return;
    const id = value[customerField];
    const name = isId(id) ? names.nameOf(Number(id)) : undefined;
    if (name !== undefined && !Object.values(value).includes(name)) found.set(String(id), name);
    for (const key of Object.keys(value)) walk(value[key]);
  };
  walk(payload);
  return found;
}

const idFields: ReadonlySet<string> = new Set(referenceSpaces.map(({ idField }) => idField));

/** Every reference id in a payload by its field, found by walking all of it. */
export function collectIds(payload: unknown): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (!isRecord(value)) return;
    for (const key of Object.keys(value)) {
      const inner = value[key];
      if (!idFields.has(key)) {
        walk(inner);
        continue;
      }
      const ids = found.get(key) ?? new Set();
      for (const id of [inner].flat()) if (isId(id)) ids.add(Number(id));
      if (ids.size > 0) found.set(key, ids);
    }
  };
  walk(payload);
  return found;
}

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) || (typeof value === 'string' && /^\d+$/.test(value));
}

function unnamed({ idField, noun }: ReferenceSpace, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `The ids in ${idField} stand without names: the ${noun}s could not be read (${reason}).`;
}
