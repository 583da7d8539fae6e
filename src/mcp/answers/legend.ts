import type { ResolvedName } from '../../analysis/answer.ts';
import type { Labels } from '../../analysis/reference/labels.ts';
import { isRecord } from '../../core/json.ts';
import { neutralise } from '../../core/text.ts';

/**
 * The names that a reader of the payload still needs, a line for each field: `shop_id: 3 Webshop`.
 * Left out are those that stand beside their id each time it occurs, as those of payment methods do
 * in a daily close, and those that the question was asked with.
 */
export function legend(
  payload: unknown,
  labels: Labels = {},
  resolved: Readonly<Record<string, ResolvedName>> = {},
): string[] {
  const needed = new Set<string>();
  collectUnsaid(payload, labels, needed);
  for (const [idField, { id }] of Object.entries(resolved)) needed.delete(keyOf(idField, id));
  return Object.entries(labels).flatMap(([idField, names]) => {
    const pairs = Object.entries(names)
      .filter(([id]) => needed.has(keyOf(idField, id)))
      .map(([id, name]) => `${id} ${neutralise(name)}`);
    return pairs.length > 0 ? [`${idField}: ${pairs.join(', ')}`] : [];
  });
}

function collectUnsaid(value: unknown, labels: Labels, needed: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectUnsaid(item, labels, needed);
  if (!isRecord(value)) return;
  for (const field of Object.keys(value)) {
    const inner = value[field];
    if (typeof inner === 'object') collectUnsaid(inner, labels, needed);
    const names = Object.hasOwn(labels, field) ? labels[field] : undefined;
    if (names === undefined) continue;
    const beside = Object.values(value);
    for (const id of [inner].flat())
      if (isScalar(id) && !beside.includes(names[id])) needed.add(keyOf(field, id));
  }
}

function isScalar(id: unknown): id is string | number {
  return typeof id === 'string' || typeof id === 'number';
}

function keyOf(idField: string, id: string | number): string {
  return `${idField} ${id}`;
}
