/** Lists that are well-formed and wrong. */

/** The body of a list answer with its rows, its total or its cursor spoilt; other bodies stay as they are. */
export function spoilRows(
  kind: 'null-list' | 'lying-total' | 'repeated-ids' | 'stuck-cursor',
  body: string,
  cursor: string | undefined,
): string {
  const payload: unknown = JSON.parse(body);
  if (!isList(payload)) return body;
  const { data } = payload;
  switch (kind) {
    case 'null-list':
      return JSON.stringify({ ...payload, data: null });
    case 'lying-total':
      return JSON.stringify({ ...payload, total: Number(payload.total) + 7 });
    case 'repeated-ids':
      return JSON.stringify({ ...payload, data: [...data.slice(0, -1), ...data.slice(0, 1)] });
    case 'stuck-cursor':
      return JSON.stringify({
        ...payload,
        next_cursor: cursor ?? payload.next_cursor,
        has_more: true,
      });
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
