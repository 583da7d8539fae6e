/** Customers (relations) and their segments. */

import { pageOf, wholeList } from '../../wire/envelope.ts';
import { id, paging, text } from '../../wire/parameter.ts';
import { notFound } from '../../wire/problem.ts';
import type { Customer } from '../../world/business/customers.ts';
import { defineRoute } from '../route.ts';
import { addressFields } from './address.ts';

export const searchCustomers = defineRoute({
  path: '/api/customer',
  summary: 'Customers by free text or segment',
  parameters: {
    q: text('Free text over name, e-mail and other contact fields.'),
    segment_id: id('Members of one customer segment.'),
    ...paging(50, 500),
  },
  payload: 'CustomerPage',
  otherStatuses: [400],
  answer({ q, segment_id, start, limit }, { world }) {
    const wanted = q?.toLowerCase();
    const found = world
      .customers()
      .filter((each) => each.segmentId === (segment_id ?? each.segmentId))
      .filter((each) => wanted === undefined || searchText(each).includes(wanted));
    return pageOf(found, { start, limit }, customerRow);
  },
});

export const getCustomer = defineRoute({
  path: '/api/customer/{id}',
  summary: 'One customer with contact details and address',
  parameters: {},
  payload: 'Customer',
  otherStatuses: [404],
  answer(_values, { world, id }) {
    const found = world.customer(id);
    if (found === undefined) throw notFound('customer');
    return {
      ...customerRow(found),
      phone: found.phone,
      address: addressFields(found.address),
    };
  },
});

export const listCustomerSegments = defineRoute({
  path: '/api/customer-segment',
  summary: 'Customer segments, alphabetical by name',
  parameters: {},
  payload: 'CustomerSegmentList',
  otherStatuses: [],
  answer(_values, { world }) {
    const members = world.memberCounts();
    return wholeList(
      world.segments
        .map(({ id, name, customPrices }) => ({
          id,
          name,
          customer_count: members.get(id) ?? 0,
          product_prices_count: customPrices,
        }))
        .sort((a, b) => a.name.localeCompare(b.name, 'nl')),
    );
  },
});

function customerRow({ id, name, firstName, lastName, company, email, segmentId }: Customer) {
  return {
    id,
    name,
    first_name: firstName,
    last_name: lastName,
    company,
    email,
    segment_id: segmentId,
  };
}

function searchText({ name, firstName, lastName, email, phone, address }: Customer): string {
  return `${name} ${firstName} ${lastName} ${email} ${phone} ${address.city}`.toLowerCase();
}
