import { referenceSpaces } from '../reference/reference.ts';

/** What the interface document says of columns, wherever they occur. */
export const joins: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    referenceSpaces.map(({ kind, idField }) => [
      idField,
      kind === 'payment_method' ? `payment_methods.${idField}` : `${kind}s.id`,
    ]),
  ),
  relation_data_id: 'search_customers.id',
  customer_id: 'search_customers.id',
  order_id: 'list_orders.id',
  product_id: 'search_products.id',
};

const meanings: Readonly<Record<string, string>> = {
  product_id: 'inner product id, not shop_product_id',
  shop_product_id: 'the key of get_product',
  order_number: 'for people, never an id',
  product_price_type_id: '1 = sale price, others are cost or purchase prices',
  type_alias: 'the stable key of a payment method',
  stock: 'at the location_id asked for, else of all together',
};

const toolName = /\b(?:get|list|search)_\w+/g;

/** All of it that is about the tables there are, in one text. */
export function sayJoins(tables: ReadonlySet<string>): string {
  const ids = Object.entries(joins)
    .filter(([, target]) => tables.has(target.split('.')[0] ?? ''))
    .map(([column, target]) => `${column} = ${target}`);
  const notes = Object.entries(meanings)
    .filter(([, meaning]) => (meaning.match(toolName) ?? []).every((tool) => tables.has(tool)))
    .map(([column, meaning]) => `${column}: ${meaning}`);
  return `joins: ${ids.join(', ')}; ${notes.join('; ')}`;
}

/** Where an id joins, where there is such a table: `shop_id` with `shops.id`. */
export function joinOf(column: string, tables: ReadonlySet<string>): string | undefined {
  const name = column.slice(column.lastIndexOf('.') + 1);
  const target = Object.hasOwn(joins, name) ? joins[name] : undefined;
  return target !== undefined && tables.has(target.split('.')[0] ?? '') ? target : undefined;
}

/** What is known of a column by its name: which side of VAT an amount is on, what an id is. */
export function meaningOf(column: string): string | undefined {
  const name = column.slice(column.lastIndexOf('.') + 1);
  if (Object.hasOwn(meanings, name)) return meanings[name];
  if (name.endsWith('_wt')) return 'incl. VAT';
  return name.endsWith('_ex') ? 'excl. VAT' : undefined;
}
