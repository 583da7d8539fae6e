/** Lists that are well-formed and wrong. */

/** The kinds that spoil rows. */
type RowFault = 'null-list' | 'lying-total' | 'low-total' | 'repeated-ids' | 'stuck-cursor';

/**
 * The body of a list answer with its rows, its total or its cursor spoilt; other bodies stay as
 * they are.
 */
export function spoilRows(kind: RowFault, body: string, cursor: string | undefined): string {
  const payload: unknown = JSON.parse(body);
  return isList(payload) ? JSON.stringify(spoil(kind, payload, cursor)) : body;
}

function spoil(kind: RowFault, list: List, cursor: string | undefined): object {
  const { data, total, next_cursor } = list;
  switch (kind) {
    case 'null-list':
      return { ...list, data: null };
    case 'lying-total':
      return typeof total === 'number' ? { ...list, total: total + 7 } : list;
    case 'low-total':
      return typeof total === 'number' ? { ...list, total: Math.floor(total / 2) } : list;
    case 'repeated-ids':
      return { ...list, data: [...data.slice(0, -1), ...data.slice(0, 1)] };
    case 'stuck-cursor':
      if (next_cursor === undefined) return list;
      return { ...list, next_cursor: cursor ?? next_cursor, has_more: true };
  }
}

interface List {
  data: unknown[];
  total?: unknown;
  next_cursor?: unknown;
}

function isList(payload: unknown): payload is List {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    'data' in payload &&
    Array.isArray(payload.data)
  );
}
