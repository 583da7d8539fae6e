/** Customers (relations) and their segments. */
import { z } from 'zod';
import { type Customer, WALK_IN_ID } from '../../world/business/customers.ts';
import { endpoint, list, type Request, showPage } from '../endpoint.ts';
import { freeText, id, paging } from '../parameters.ts';
import { notFound } from '../problem.ts';

function showRow({ phone: _, address: __, ...row }: Customer) {
  return row;
}

/** Of who buys without a name, an odd account holds nothing. */
function held(customer: Customer, { isOdd }: Request, more = {}): Customer {
  if (!isOdd || customer.id !== WALK_IN_ID) return customer;
  const empty = Object.keys(customer).map((field) => [field, field === 'address' ? {} : null]);
  return { ...Object.fromEntries(empty), id: customer.id, ...more };
}

export const searchCustomers = endpoint({
  path: '/api/customer',
  query: z.object({
    q: freeText('Free text over name, e-mail and other contact fields.'),
    segment_id: id('Members of one customer segment.'),
    ...paging(50, 500),
  }),
  answer({ q, segment_id, ...paging }, request) {
    const found = request.world
      .customers()
      .filter((each) => each.segment_id === (segment_id ?? each.segment_id))
      .filter((each) => !q || searchText(each).includes(q.toLowerCase()));
    return showPage(found, paging, (row) => showRow(held(row, request)));
  },
});

export const getCustomer = endpoint({
  path: '/api/customer/{id}',
  answer({ id }, request) {
    const found = request.world.customer(id);
    if (found === undefined) throw notFound('customer');
    return held(found, request, { segment_ids: [] });
  },
});

export const listCustomerSegments = endpoint({
  path: '/api/customer-segment',
  answer(_values, { world }) {
    const counts = world.memberCounts();
    const byName = world.segments.toSorted((a, b) => a.name.localeCompare(b.name, 'nl'));
    return list(
      byName.map(({ id, name, customPrices }) => {
        const customer_count = counts.get(id) ?? 0;
        return { id, name, customer_count, product_prices_count: customPrices };
      }),
    );
  },
});

function searchText({ name, first_name, last_name, email, phone, address }: Customer): string {
  return `${name} ${first_name} ${last_name} ${email} ${phone} ${address.city}`.toLowerCase();
}
