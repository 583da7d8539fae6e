import { hasCode } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { ReferenceLists } from './lists.ts';
import { referenceSpaces } from './reference.ts';

/** Names by id for each id field: `{"shop_id": {"3": "Webshop"}}`. */
export type Labels = Record<string, Record<string, string>>;

/** Longest that an answer waits for the names of its ids. */
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

function bounded(signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(maxWaitMs);
  return signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
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
        if (typeof inner === 'object') walk(inner);
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
