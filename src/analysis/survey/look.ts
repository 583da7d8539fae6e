/** Looks at an account by single requests: a few rows of a list, a record by an id from its list, a report of last week. */
import type { Days } from '../../core/calendar.ts';
import { isEmptyCell } from '../../core/column-type.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import { messagesOf } from '../../core/message.ts';
import {
  type Endpoint,
  isChangeFeed,
  isPaged,
  largestPage,
  toolsets,
} from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import { readEndpoint } from '../endpoint/ask-endpoint.ts';
import { prepareRequest } from '../endpoint/prepare-request.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';

export const lookMessages = messagesOf({
  gave_no_rows: ({ tool }: { tool: string }) => `${tool} gave no rows.`,
});

export interface LookReading {
  payload: JsonObject;
  rows?: readonly Row[] | undefined;
  period?: Days | undefined;
}

/** @param input added to the usual arguments of a look */
export type LookAt = (tool: string, input?: JsonObject) => Promise<LookReading>;

export interface LookSource
  extends Pick<Services, 'client' | 'reference' | 'maxRows' | 'now' | 'learn'> {
  endpoints: readonly Endpoint[];
}

/**
 * Makes one request with the lowest priority. For a tool that takes an id, another request lists ids first.
 * @throws {CommerceError} of the request; `not_found` where the list has no ids
 */
export async function readSample(
  source: LookSource,
  endpoint: Endpoint,
  input: JsonObject = {},
): Promise<LookReading> {
  const { client, now, ...services } = source;
  const call = { nowMs: now(), statementDeadline: client.progressDeadline() };
  const looking = {
    ...services,
    client: {
      ...client,
      // No retries, since nobody waits for a look.
      get: (path: string, how = {}) =>
        client.get(path, { ...how, priority: 'prefetch', isTriedOnce: true }),
    },
    // Looks are for the whole account; each caller's toolsets are checked when he asks.
    fence: new Set(toolsets),
  };
  const usual = usualArguments(endpoint, 'from' in input);
  const read = async (id: JsonObject) => {
    const request = await prepareRequest(looking, endpoint, { ...usual, ...id, ...input }, call);
    return { ...(await readEndpoint(looking, request)), period: request.period };
  };
  const ids = idsByTool[endpoint.tool];
  if (ids === undefined) return read({});
  let failure = new CommerceError('not_found', lookMessages.gave_no_rows({ tool: ids.list }));
  for (const id of await readIds(source, ids)) {
    try {
      return await read({ [ids.argument]: id });
    } catch (error) {
      // The key may not read every record of the list.
      if (!hasCode(error, 'not_found') && !hasCode(error, 'forbidden')) throw error;
      failure = error;
    }
  }
  throw failure;
}

interface Ids {
  /** The tool whose rows have the ids. */
  list: string;
  column: string;
  argument: string;
}

const someOrder: Ids = { list: 'list_orders', column: 'id', argument: 'order_id' };

const idsByTool: Readonly<Record<string, Ids>> = {
  get_order: someOrder,
  list_order_items: someOrder,
  get_customer: { list: 'search_customers', column: 'id', argument: 'customer_id' },
  get_location: { list: 'list_locations', column: 'id', argument: 'location_id' },
  // docs/platform.md#product-ids.
  get_product: { list: 'search_products', column: 'shop_product_id', argument: 'shop_product_id' },
  list_product_prices: { list: 'search_products', column: 'id', argument: 'product_ids' },
  list_stock: { list: 'search_products', column: 'id', argument: 'product_id' },
};

/** The ids to try one after the other, those of rows with the most values first; product ids go into one request. */
async function readIds(source: LookSource, { list, column, argument }: Ids) {
  const endpoint = source.endpoints.find(({ tool }) => tool === list);
  const { rows = [] } = endpoint ? await readSample(source, endpoint) : {};
  const counts = new Map(rows.map((row) => [row, Object.values(row).filter(isTelling).length]));
  const best = rows.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const ids = new Set(best.map((row) => row[column]).filter(Number.isSafeInteger));
  return argument === 'product_ids' ? [[...ids].slice(0, 25).join()] : [...ids].slice(0, 3);
}

/** Whether a value is neither empty nor zero. Records with more such values show more columns. */
function isTelling(value: unknown): boolean {
  return !isEmptyCell(value) && toNumber(value) !== 0;
}

function usualArguments(endpoint: Endpoint, hasDays: boolean): JsonObject {
  const { shape } = endpoint.input;
  const isOrders = endpoint.tool === listOrders.tool;
  // Behaviour is decided from orders and product sales, so these looks read as many rows as a request gives.
  const isWhole = isOrders || endpoint.toolset === 'reports';
  const limit = Math.min(isWhole ? 1000 : 100, largestPage(endpoint));
  return {
    // Past days, since an order placed between two looks would be in only one count.
    ...('from' in shape && !hasDays && { period: isOrders ? 'last_30_days' : 'last_week' }),
    ...('date' in shape && { date: 'yesterday' }),
    ...(isChangeFeed(endpoint) && { since: 'last_7_days' }),
    ...((isPaged(endpoint) || isChangeFeed(endpoint)) && { limit }),
  };
}
