/** Oddities of accounts that describe no answers: sandboxes with a bare description have them in tests. */
import type { MiddlewareHandler } from 'hono';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import { visibleShops } from '../../src/sandbox/http/access.ts';
import type { Environment } from '../../src/sandbox/http/platform.ts';
import { notFound } from '../../src/sandbox/http/problem.ts';
import { WALK_IN_ID } from '../../src/sandbox/world/business/customers.ts';
import type { World } from '../../src/sandbox/world/world.ts';

/** A payload in which some orders have a rare field, and the walk-in customer is empty. */
export function withOddRows(payload: unknown): unknown {
  if (!isRecord(payload)) return payload;
  const { data } = payload;
  if (!Array.isArray(data)) return oddRow(payload);
  return { ...payload, data: data.map((row) => (isRecord(row) ? oddRow(row) : row)) };
}

function oddRow(row: JsonObject): JsonObject {
  const isRare = 'backoffice_url' in row && Number(row.id) % 1009 === 0;
  if (isRare) return { ...row, remark: 'Belt eerst' };
  if (row.id !== WALK_IN_ID || !('email' in row)) return row;
  const empty = Object.fromEntries(Object.keys(row).map((field) => [field, null]));
  return { ...empty, id: row.id, ...('address' in row && { address: {}, segment_ids: [] }) };
}

/** A key with a binding cannot read its newest order by id, although lists have it. */
export function hideNewestOrder(world: () => World): MiddlewareHandler<Environment> {
  return async (c, next) => {
    await next();
    const [, id] = /^\/api\/order\/(\d+)/.exec(c.req.path) ?? [];
    if (id === undefined || c.res.status !== 200) return;
    const { role } = c.get('caller');
    if (role.scope.kind === 'all') return;
    const shopIds = visibleShops(role, world().shops, undefined);
    const [newest] = world().orders(world().today(), world().today(), { shopIds });
    if (newest?.id === Number(id)) throw notFound('order');
  };
}
