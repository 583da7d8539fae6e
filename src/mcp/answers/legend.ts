import type { ResolvedName } from '../../analysis/answer.ts';
import type { Labels } from '../../analysis/reference/labels.ts';
import { isRecord } from '../../core/json.ts';

/**
 * The labels that a reader of the payload still needs: without the names that stand beside their id
 * each time it occurs, as those of payment methods do in a daily close, and without the names that
 * the question was asked with.
 */
export function legendLabels(
  payload: unknown,
  labels: Labels = {},
  resolved: Readonly<Record<string, ResolvedName>> = {},
): Labels {
  const needed = new Set<string>();
  collectUnsaid(payload, labels, needed);
  for (const [idField, { id }] of Object.entries(resolved)) needed.delete(keyOf(idField, id));
  return Object.fromEntries(
    Object.entries(labels).flatMap(([idField, names]): [string, Record<string, string>][] => {
      const rest = Object.entries(names).filter(([id]) => needed.has(keyOf(idField, id)));
      return rest.length > 0 ? [[idField, Object.fromEntries(rest)]] : [];
    }),
  );
}

function collectUnsaid(value: unknown, labels: Labels, needed: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectUnsaid(item, labels, needed);
  if (!isRecord(value)) return;
  const beside = Object.values(value);
  for (const [field, inner] of Object.entries(value)) {
    collectUnsaid(inner, labels, needed);
    const names = Object.hasOwn(labels, field) ? labels[field] : undefined;
    for (const id of names === undefined ? [] : [inner].flat())
      if (isScalar(id) && !beside.includes(names?.[id])) needed.add(keyOf(field, id));
  }
}

function isScalar(id: unknown): id is string | number {
  return typeof id === 'string' || typeof id === 'number';
}

function keyOf(idField: string, id: string | number): string {
  return `${idField} ${id}`;
}
