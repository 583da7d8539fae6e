/** Customers (relations) and their segments. */
import { z } from 'zod';
import type { Customer } from '../../world/business/customers.ts';
import { endpoint } from '../endpoint.ts';
import { freeText, id, paging } from '../parameters.ts';
import { list, pageOf, showAddress } from '../payload.ts';
import { notFound } from '../problem.ts';

function showRow({ id, name, firstName, lastName, company, email, segmentId }: Customer) {
  const names = { name, first_name: firstName, last_name: lastName, company };
  return { id, ...names, email, segment_id: segmentId };
}

export const searchCustomers = endpoint({
  path: '/api/customer',
  query: z.object({
    q: freeText('Free text over name, e-mail and other contact fields.'),
    segment_id: id('Members of one customer segment.'),
    ...paging(50, 500),
  }),
  answer({ q, segment_id, ...window }, { world }) {
    const found = world
      .customers()
      .filter(({ segmentId }) => segmentId === (segment_id ?? segmentId))
      .filter((each) => !q || searchText(each).includes(q.toLowerCase()));
    return pageOf(found, window, showRow);
  },
});

export const getCustomer = endpoint({
  path: '/api/customer/{id}',
  answer({ id }, { world }) {
    const found = world.customer(id);
    if (found === undefined) throw notFound('customer');
    return { ...showRow(found), phone: found.phone, address: showAddress(found.address) };
  },
});

export const listCustomerSegments = endpoint({
  path: '/api/customer-segment',
  answer(_values, { world }) {
    const counts = world.memberCounts();
    const byName = world.segments.toSorted((a, b) => a.name.localeCompare(b.name, 'nl'));
    return list(
      byName.map(({ id, name, customPrices }) => {
        return {
          id,
          name,
          customer_count: counts.get(id) ?? 0,
          product_prices_count: customPrices,
        };
      }),
    );
  },
});

function searchText({ name, firstName, lastName, email, phone, address }: Customer): string {
  return `${name} ${firstName} ${lastName} ${email} ${phone} ${address.city}`.toLowerCase();
}
