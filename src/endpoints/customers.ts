import { z } from 'zod';
import { defineEndpoint, fieldsOf, integer, listOf, text, unsent } from './define.ts';
import { columns, page, segmentRef, words } from './parameters.ts';

/** docs/platform.md#customers. */
export const searchCustomers = defineEndpoint({
  tool: 'search_customers',
  title: 'Search customers',
  description: 'Customers by name, e-mail or other contact field.',
  path: '/api/customer',
  toolset: 'customers',
  input: z.strictObject({
    q: words.optional().describe('Part of any contact field'),
    segment_id: segmentRef.optional(),
    ...page(50, 500),
  }),
  output: listOf({ id: integer }),
  noun: 'customers',
  namedIds: ['segment_id'],
});

/** docs/platform.md#customers: the relation id, which orders carry as `relation_data_id`. */
export const getCustomer = defineEndpoint({
  tool: 'get_customer',
  title: 'Get a customer',
  description: 'Contact details and address, by the relation_data_id of orders.',
  path: '/api/customer/{id}',
  toolset: 'customers',
  input: z.strictObject({
    customer_id: words.optional().describe('Its id or name'),
    relation_data_id: words.optional().describe('The same id or name').meta(unsent),
  }),
  output: fieldsOf({ id: integer }),
  pathId: 'customer_id',
  namedIds: ['segment_id'],
});

/** docs/platform.md#customers. */
export const listCustomerSegments = defineEndpoint({
  tool: 'list_customer_segments',
  title: 'List customer segments',
  description: 'Segments with member and custom price counts.',
  path: '/api/customer-segment',
  toolset: 'customers',
  input: z.strictObject({ ...columns('name') }),
  output: listOf({
    id: integer,
    name: text,
    customer_count: integer,
    product_prices_count: integer,
  }),
  noun: 'customer segments',
  cache: 'reference',
});
