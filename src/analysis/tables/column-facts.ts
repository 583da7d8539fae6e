/** What is known of columns that their values do not show. */
import type { ColumnFacts } from '../../query/provider.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { referenceSpaces } from '../reference/reference.ts';

/** Where ids join, by the names of their columns (docs/platform.md#ids). */
export const joins: Readonly<Record<string, string>> = {
  ...Object.fromEntries(referenceSpaces.map(({ kind, idField }) => [idField, `${kind}s.id`])),
  provider_method_type_id: 'payment_methods.provider_method_type_id',
  relation_data_id: 'search_customers.id',
  customer_id: 'search_customers.id',
  order_id: 'list_orders.id',
  product_id: 'search_products.id',
  shop_product_id: 'the shop_product_id of products',
};

/** Rows that the platform leaves out unless an argument asks for them. */
const leftOut: ColumnFacts['leftOut'] = {
  is_internal: { condition: 'is_internal = 1', argument: 'is_internal' },
  discount_value_wt: { condition: 'discount_value_wt < 0', argument: 'include_negative' },
};

/** What an order adds up to: gift cards, tips and prepayments too, which turnover leaves out. */
export const orderTotals: readonly string[] = ['total', 'total_wt', 'total_ex'];

/** What the platform's documentation says of a tool's columns (docs/platform.md#ids). */
export function columnFacts({
  tool,
  input,
  noun,
  knownValues = {},
}: Pick<ToolDefinition, 'tool' | 'input' | 'knownValues' | 'noun'>): ColumnFacts {
  const space = referenceSpaces.find(({ endpoint }) => endpoint.tool === tool);
  const id = space ? `${space.kind}s.id` : `${tool}.id`;
  const isJoined = Object.values(joins).includes(id);
  const outs = Object.entries(leftOut).filter(([, { argument }]) => argument in input.shape);
  return {
    ids: { ...joins, ...(isJoined && { id }) },
    leftOut: Object.fromEntries(outs),
    values: knownValues,
    orderTotals: noun === 'orders' ? orderTotals : [],
  };
}
