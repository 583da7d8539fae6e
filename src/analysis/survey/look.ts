/** How an account is looked at: a few rows of a list, a record by an id from its list, a report of last week. */
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
import type { LookReading } from './shape.ts';

export const lookMessages = messagesOf({
  /** A list whose ids another look needs. */
  gave_no_rows: ({ tool }: { tool: string }) => `${tool} gave no rows.`,
});

/** What looks are made with. */
export interface LookSource
  extends Pick<Services, 'client' | 'reference' | 'maxRows' | 'now' | 'learn'> {
  endpoints: readonly Endpoint[];
}

/**
 * One request of a look, behind all others, after those whose rows have the ids that it takes.
 * @throws CommerceError as the request does; `not_found` where there is no id to go by
 */
export async function readSample(
  source: LookSource,
  endpoint: Endpoint,
  input: JsonObject = {},
): Promise<LookReading> {
  const { client, now, ...services } = source;
  const known = byTool[endpoint.tool];
  const isNeeded = known && known.argument in endpoint.input.shape && !(known.argument in input);
  const ids = isNeeded ? known : undefined;
  const candidates = ids ? await readCandidates(source, ids) : [{}];
  const call = { nowMs: now(), statementDeadline: client.progressDeadline() };
  const looking = {
    ...services,
    client: {
      ...client,
      // A platform in trouble is not asked again and again for what nobody waits for.
      get: (path: string, how = {}) =>
        client.get(path, { ...how, priority: 'prefetch', isTriedOnce: true }),
    },
    // It looks for the account itself; what a caller may know of it is decided where they ask.
    fence: new Set(toolsets),
  };
  const read = async (id: JsonObject) => {
    const usual = lookArguments(endpoint, 'from' in input);
    const request = await prepareRequest(looking, endpoint, { ...usual, ...id, ...input }, call);
    return { ...(await readEndpoint(looking, request)), period: request.period };
  };
  const none = lookMessages.gave_no_rows({ tool: ids?.list ?? '' });
  let failure = new CommerceError('not_found', none);
  for (const id of candidates) {
    try {
      return await read(id);
    } catch (error) {
      if (!hasCode(error, 'not_found') && !hasCode(error, 'forbidden')) throw error;
      failure = error;
    }
  }
  throw failure;
}

async function readCandidates(source: LookSource, ids: Ids): Promise<JsonObject[]> {
  const endpoint = source.endpoints.find(({ tool }) => tool === ids.list);
  const { rows = [] } = endpoint ? await readSample(source, endpoint) : {};
  return idArguments(ids, rows);
}

interface Ids {
  /** The tool in whose rows they are, and its column. */
  list: string;
  column: string;
  argument: string;
  /** So many at once, with commas. @default 1 */
  atMost?: number;
  /** So many one after the other, where the key cannot read one that the list gives. @default 1 */
  tries?: number;
  /** The rows, those that tell most first. */
  order?(rows: readonly Row[]): readonly Row[];
}

const someOrder: Ids = {
  list: 'list_orders',
  column: 'id',
  argument: 'order_id',
  tries: 3,
  // An order with a discount has lines of more kinds.
  order: (rows) => [...rows.filter((row) => toNumber(row.discount_value_wt) > 0), ...rows],
};

const byTool: Readonly<Record<string, Ids>> = {
  get_order: someOrder,
  list_order_items: someOrder,
  get_customer: { list: 'search_customers', column: 'id', argument: 'customer_id', tries: 3 },
  get_location: { list: 'list_locations', column: 'id', argument: 'location_id' },
  // docs/platform.md#product-ids: each takes its own.
  get_product: { list: 'search_products', column: 'shop_product_id', argument: 'shop_product_id' },
  list_product_prices: {
    list: 'search_products',
    column: 'id',
    argument: 'product_ids',
    atMost: 25,
  },
  list_stock: { list: 'search_products', column: 'id', argument: 'product_id' },
};

function idArguments(ids: Ids, rows: readonly Row[]): JsonObject[] {
  const { column, argument, atMost, tries = 1, order = (all) => all } = ids;
  const found = order(rows).map((row) => row[column]);
  const chosen = [...new Set(found.filter(Number.isSafeInteger))].slice(0, atMost ?? tries);
  if (chosen.length === 0) return [];
  return atMost === undefined
    ? chosen.map((id) => ({ [argument]: id }))
    : [{ [argument]: chosen.join(',') }];
}

function lookArguments(endpoint: Endpoint, hasDays: boolean): JsonObject {
  const { shape } = endpoint.input;
  const isOrders = endpoint.tool === listOrders.tool;
  // Behaviour is decided from orders and product sales: as many rows as one request gives.
  const isWhole = isOrders || endpoint.toolset === 'reports';
  const limit = Math.min(isWhole ? 1000 : 100, largestPage(endpoint));
  return {
    // Days that are over: an order placed meanwhile would be in one count and missing in the next.
    ...('from' in shape && !hasDays && { period: isOrders ? 'last_30_days' : 'last_week' }),
    ...('date' in shape && { date: 'yesterday' }),
    ...(isChangeFeed(endpoint) && { since: 'last_7_days' }),
    ...((isPaged(endpoint) || isChangeFeed(endpoint)) && { limit }),
  };
}
