/** What `tables` says of each table: what a statement needs to know of it. */
import { z } from 'zod';
import { sentencesFor } from '../../core/sentence.ts';
import { quote } from '../../core/text.ts';
import type { DescribedColumn } from '../../endpoints/openapi.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { referenceSpaces } from '../reference/reference.ts';
import { isReport } from './table-rows.ts';

/** A row of `tables`, but for the name. */
export interface TableDescription {
  holds: string;
  /** `period*; shop_id; status (...)`: a star marks what has to be given. */
  arguments: string;
  /** `id integer, shop_id integer = shops.id, total_wt decimal incl. VAT`. */
  columns: string;
}

/** Where ids join, by the names of their columns (docs/platform.md#ids). */
export const joins: Readonly<Record<string, string>> = {
  ...Object.fromEntries(referenceSpaces.map(({ kind, idField }) => [idField, `${kind}s.id`])),
  provider_method_type_id: 'payment_methods.provider_method_type_id',
  relation_data_id: 'search_customers.id',
  customer_id: 'search_customers.id',
  order_id: 'list_orders.id',
  product_id: 'search_products.id',
};

/** What else the platform's documentation says of columns, by their names. */
const meanings: Readonly<Record<string, string>> = {
  product_id: 'not the shop_product_id',
  shop_product_id: 'not the product_id',
  order_number: 'for people, never an id',
  product_price_type_id: '1 is the sale price, others are cost or purchase prices',
  type_alias: 'the stable key',
  stock: 'at the location_id asked for, else of all together',
};

/** How the columns are written. */
export const notation =
  'decimal: exact; timestamp: Amsterdam time; nested: reached by dots; =: what it joins with';

const ofReports =
  'path, measure, value decimal, split {total|shop|shop, turnover_group|...}, shop_id, location_id, ... (null where none), name, line';

/** Most columns that are listed of a table. */
const maxColumns = 60;

/**
 * Describes the table of a tool.
 * @param taken the arguments that it takes
 * @param columns those of its rows, where the platform's own description has them
 * @param isTable whether the caller has a table, or a tool, of that name
 */
export function describeTool(
  tool: ToolDefinition,
  taken: readonly string[],
  columns: readonly DescribedColumn[] | undefined,
  isTable: (name: string) => boolean,
): TableDescription {
  const own = columns?.map((column) => sayColumn(column, tool, isTable));
  // A period says what from and to do.
  const said = taken.filter((name) => !(taken.includes('period') && /^(from|to)$/.test(name)));
  return {
    holds: sentencesFor(tool.description, isTable),
    arguments: said.map((name) => sayArgument(tool, name)).join('; '),
    columns: isReport(tool) ? ofReports : listColumns(own),
  };
}

/** Columns in a line, as many as one look takes. */
export function listColumns(said: readonly string[] = ['SELECT * ... LIMIT 3 shows them']): string {
  const more = said.length > maxColumns ? [`and ${said.length - maxColumns} more`] : [];
  return [...said.slice(0, maxColumns), ...more].join(', ');
}

function sayArgument({ input, daysAreOptional }: ToolDefinition, name: string): string {
  const schema = z.instanceof(z.ZodType).parse(input.shape[name]);
  // An order's number may be given in place of its id, and then a period is not needed.
  const takesNumber = 'order_number' in input.shape;
  const isPeriod = name === 'period' && !daysAreOptional && !takesNumber;
  const isOrder = name === 'order_id' && takesNumber;
  const isNeeded = isPeriod || isOrder || !schema.safeParse(undefined).success;
  const about = schema.description ? ` (${schema.description})` : '';
  return `${name}${isNeeded ? '*' : ''}${about}`;
}

function sayColumn(
  { name, type }: DescribedColumn,
  { knownValues = {} }: ToolDefinition,
  isTable: (name: string) => boolean,
): string {
  const own = name.slice(name.lastIndexOf('.') + 1);
  const of = <Value>(known: Readonly<Record<string, Value>>) =>
    Object.hasOwn(known, own) ? known[own] : undefined;
  const [target, meaning, values] = [of(joins), of(meanings), of(knownValues)];
  const isJoined = target !== undefined && isTable(target.replace(/\..*/, ''));
  const side = own.endsWith('_wt') ? ' incl. VAT' : own.endsWith('_ex') ? ' excl. VAT' : '';
  return [
    `${quote(name, 64)} ${type}${side}`,
    ...(isJoined ? [`= ${target}`] : []),
    ...(values ? [`{${values.join('|')}}`] : []),
    ...(meaning ? [`(${meaning})`] : []),
  ].join(' ');
}
