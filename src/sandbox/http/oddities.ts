/** What else an account does whose platform describes nothing, as one was seen to. */
import { isRecord } from '../../core/json.ts';
import { WALK_IN_ID } from '../world/business/customers.ts';
import type { Endpoint } from './endpoint.ts';
import type { Request } from './payload.ts';
import { notFound } from './problem.ts';
import * as customers from './routes/customers.ts';
import * as orders from './routes/orders.ts';
import { visibleShops } from './scope.ts';

/** One order in so many has the rare column. */
const rarity = 997;

/** The endpoint as such an account answers it; many are as they were. */
export function withOddities(endpoint: Endpoint): Endpoint {
  const { answer } = endpoint;
  switch (endpoint) {
    // The list gives a key with a binding what it may not read one by one.
    case orders.getOrder:
    case orders.listOrderItems:
      return {
        ...endpoint,
        answer(parameters, id, request) {
          if (Number(id) === newestOrderId(request)) throw notFound('order');
          return answer(parameters, id, request);
        },
      };
    case orders.listOrders:
      return mapRows(endpoint, (row) =>
        Number(row.id) % rarity === 0 ? { ...row, remark: 'Belt eerst' } : row,
      );
    // Nothing is known of who bought without a name.
    case customers.searchCustomers:
      return mapRows(endpoint, (row) => (row.id === WALK_IN_ID ? emptied(row) : row));
    case customers.getCustomer:
      return mapRows(endpoint, (row) =>
        row.id === WALK_IN_ID ? { ...emptied(row), segment_ids: [] } : row,
      );
    default:
      return endpoint;
  }
}

function newestOrderId({ world, caller: { role } }: Request): number | undefined {
  if (role.scope.kind === 'all') return undefined;
  const shopIds = visibleShops(role, world.shops, undefined);
  return world.orders(world.today(), world.today(), { shopIds })[0]?.id;
}

function mapRows(endpoint: Endpoint, change: (row: Record<string, unknown>) => object): Endpoint {
  return {
    ...endpoint,
    answer(...request) {
      const body = endpoint.answer(...request);
      if ('data' in body && Array.isArray(body.data))
        return { ...body, data: body.data.map(change) };
      return isRecord(body) ? change(body) : body;
    },
  };
}

function emptied({ id, ...fields }: Record<string, unknown>): object {
  const empty = Object.entries(fields).map(([name, value]) => [name, isRecord(value) ? {} : null]);
  return { id, ...Object.fromEntries(empty) };
}
