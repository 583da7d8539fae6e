/** How each tool is looked at: a few rows of a list, a record by an id from its list, a report of last week. */
import { addDays, type Day } from '../../core/calendar.ts';
import { type JsonObject, numberIn } from '../../core/json.ts';
import { type Endpoint, isDelta, isPaged, largestPage } from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import type { Row } from '../rows/rows.ts';

/** Ids that one tool's look takes from the rows of another's. */
interface Ids {
  /** The tool that gives them, and its column. */
  of: string;
  column: string;
  /** The argument that takes them. */
  argument: string;
  /** So many at once, with commas. @default 1 */
  atMost?: number;
  /** Rows that tell more than others. */
  prefer?(row: Row): boolean;
}

const byTool: Readonly<Record<string, Ids>> = {
  get_order: { of: 'list_orders', column: 'id', argument: 'order_id', prefer: isDiscounted },
  list_order_items: { of: 'list_orders', column: 'id', argument: 'order_id', prefer: isDiscounted },
  get_customer: { of: 'search_customers', column: 'id', argument: 'customer_id' },
  get_location: { of: 'list_locations', column: 'id', argument: 'location_id' },
  // docs/platform.md#product-ids: each takes its own.
  get_product: { of: 'search_products', column: 'shop_product_id', argument: 'shop_product_id' },
  list_product_prices: { of: 'search_products', column: 'id', argument: 'product_ids', atMost: 25 },
  list_stock: { of: 'search_products', column: 'id', argument: 'product_id' },
};

/** An order with a discount has lines of more kinds. */
function isDiscounted({ discount_value_wt: discount }: Row): boolean {
  return numberIn(discount) > 0;
}

/** The ids that the look at a tool needs, where the tool takes them. */
export function idsFor({ tool, input }: Endpoint): Ids | undefined {
  const ids = byTool[tool];
  return ids && ids.argument in input.shape ? ids : undefined;
}

/** These ids as the argument that takes them; undefined where no row has one. */
export function idArgument(ids: Ids, rows: readonly Row[]): JsonObject | undefined {
  const { column, argument, atMost = 1, prefer = () => false } = ids;
  const sorted = [...rows.filter(prefer), ...rows];
  const found = sorted.map((row) => row[column]).filter(Number.isSafeInteger);
  const chosen = [...new Set(found)].slice(0, atMost);
  if (chosen.length === 0) return undefined;
  return { [argument]: ids.atMost === undefined ? chosen[0] : chosen.join(',') };
}

/** The other arguments: of orders the last 30 days, of all else last week or yesterday, the first rows. */
export function lookArguments(endpoint: Endpoint, today: Day): JsonObject {
  const { shape } = endpoint.input;
  const isOrders = endpoint.tool === listOrders.tool;
  const days = isOrders ? { from: addDays(today, -29), to: today } : { period: 'last_week' };
  // Of some lists the behaviour is seen as well: as much as one request gives.
  const isWhole = isOrders || endpoint.toolset === 'reports' || isDelta(endpoint);
  const limit = Math.min(isWhole ? 1000 : 100, largestPage(endpoint));
  return {
    ...('from' in shape && days),
    ...('date' in shape && { date: 'yesterday' }),
    ...(isDelta(endpoint) && { since: 'last_7_days' }),
    ...((isPaged(endpoint) || isDelta(endpoint)) && { limit }),
  };
}
